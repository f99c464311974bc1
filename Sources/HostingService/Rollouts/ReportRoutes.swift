// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Crypto
internal import Database
internal import HTTP
internal import HostingModel
internal import Kit

/// What devices whose people agreed tell of versions that are being rolled out: came, or did not (G3).
///
/// Nobody can say who sends a report. Each is small, few are taken from one address, and only devices of the share count, each
/// once; the worst that all of them together can do is to halt a rollout.
struct ReportRoutes: Sendable {
    /// Bytes of a report.
    static let sizeLimit = 1 << 10

    let context: HostContext

    func addRoutes(to router: inout Router) {
        router.add("POST", "/devices/{app}/{channel}/reports", .open) { try await take($0) }
    }

    /// Whether a request is a report.
    static func isReport(_ request: HTTPServerRequest) -> Bool {
        request.method == "POST" && request.path.hasPrefix("/devices/")
    }

    /// The answer to a report that counts, and to one that does not, is the same.
    private func take(_ request: RouteRequest) async throws -> HTTPServerResponse {
        guard let channel = Channel(rawValue: request.parameters["channel"] ?? "") else { throw APIError.noSuchPath }
        let bundleID = request.parameters["app"] ?? ""
        try await ChannelGate(database: context.database).check(request.http, app: bundleID, channel: channel)
        let now = context.clock().seconds
        let address = ReportGate.sender(of: request.http, believesNetwork: context.isBehindProxy)
        let most = context.limits.reportsPerAddress
        guard !context.reports.refuses(address, limit: most, now: now) else { return Self.tooMany(now) }
        // Nobody reads addresses out of it who has not the secret.
        let sender = MessageAuthentication.hmacSHA256("reports\n\(address)".utf8, key: context.addressSecret).hex
        let report = try RolloutReport(request.http.body)
        let limit = Int64(clamping: context.limits.reportsPerRollout)
        let (isTaken, halted) = try await context.database.write { [tells = context.mail != nil] store in
            guard try store.countReport(from: sender, hour: now / ReportGate.window, limit: most) else {
                return (false, HaltedRollout?.none)
            }
            let halted = try store.record(report, app: bundleID, channel, limit: limit)
            if tells, let halted { try store.add(Letter(halted: halted, of: bundleID, channel, seconds: now)) }
            return (true, halted)
        }
        guard isTaken else { return Self.tooMany(now) }
        if let halted {
            context.log.warning(
                "A rollout was halted.",
                ["rollout": halted.id, "app": bundleID, "pack": halted.pack, "version": "\(halted.number)"])
        }
        return .noContent
    }

    private static func tooMany(_ now: Int64) -> HTTPServerResponse {
        var response = HTTPServerResponse.refusal(
            APIError(
                429, "RATE_LIMIT_EXCEEDED", "There are too many reports.",
                "So many reports are not taken from one address. Try again later."), id: Identifier.random())
        response.headers["Retry-After"] = "\(ReportGate.window - now % ReportGate.window)"
        return response
    }
}

/// One device's word about a rollout.
struct RolloutReport: Sendable {
    let device: String
    let rollout: String
    let hasFailed: Bool

    /// - Throws: `APIError`
    init(_ body: [UInt8]) throws(APIError) {
        guard let document = try? JSONParser.parse(body, options: .init(maximumDepth: 4)).value,
            let device = document["device"]?.stringValue, AskingDevice.isIdentifier(device),
            let rollout = document["rollout"]?.stringValue, rollout.utf8.count <= 64, rollout.isStorable,
            let outcome = document["outcome"]?.stringValue, ["SUCCEEDED", "FAILED"].contains(outcome)
        else { throw .malformed("A report has 'device', 'rollout', and an 'outcome' SUCCEEDED or FAILED.") }
        (self.device, self.rollout, hasFailed) = (device, rollout, outcome == "FAILED")
    }

    /// Tells devices of one rollout apart, and nothing else.
    var deviceDigest: String { SHA256.hash(Array("\(rollout)\n\(device)".utf8)).hex }
}

/// A rollout that failures have stopped, and what it is of.
struct HaltedRollout: Sendable {
    let id: String
    let pack: String
    let number: Int64
    let detail: StateDetail
}

extension Connection {
    /// Counts a report of a sender at all hosts together; false when it is one too many.
    /// - Throws: `DatabaseError`
    fileprivate func countReport(from sender: String, hour: Int64, limit: Int) throws -> Bool {
        let key: [SQLValue] = [.integer(hour), .text(sender)]
        let count =
            try first(
                #"SELECT "count" FROM "reportSenders" WHERE "hour" = ? AND "sender" = ?"#, key, { $0.int64(0) }) ?? 0
        guard count < limit else { return false }
        if count == 0 {
            try execute(#"DELETE FROM "reportSenders" WHERE "hour" < ?"#, [.integer(hour)])
            try execute(#"INSERT INTO "reportSenders" ("hour", "sender", "count") VALUES (?, ?, 1)"#, key)
        } else {
            try execute(
                #"UPDATE "reportSenders" SET "count" = "count" + 1 WHERE "hour" = ? AND "sender" = ?"#, key)
        }
        return true
    }

    /// Counts a report, if it counts.
    /// - Parameter limit: of reports of one rollout.
    /// - Returns: the rollout if that made it stop.
    /// - Throws: `DatabaseError`
    fileprivate func record(
        _ report: RolloutReport, app bundleID: String, _ channel: Channel, limit: Int64
    ) throws -> HaltedRollout? {
        guard let record = try record(.rollouts, report.rollout), let rollout = Rollout(record),
            record.text("channel") == channel.rawValue,
            try self.record(.apps, record.app)?.text("bundleId") == bundleID,
            // Also what comes late, from devices of the share.
            rollout.state == .active || rollout.state == .halted, rollout.covers(report.device),
            try count(report, limit: limit, total: Int64(clamping: rollout.successes &+ rollout.failures))
        else { return nil }
        guard var changed = try self.record(.rollouts, report.rollout), let counted = Rollout(changed),
            counted.hasFailed
        else { return nil }
        let detail = StateDetail(
            "FAILURE_THRESHOLD_EXCEEDED",
            "\(counted.failures) of \(counted.successes + counted.failures) devices reported that they could not use it, "
                + "more than \(counted.failureThreshold ?? 0) percent.")
        changed["stateDetails"] = StateDetail.details(errors: [detail])
        try step(&changed, RolloutState.self, .halted)
        let version = try self.record(.backgroundAssetVersions, changed.text("backgroundAssetVersion") ?? "")
        let pack = try self.record(.backgroundAssets, version?.text("backgroundAsset") ?? "")
        return HaltedRollout(
            id: changed.id, pack: pack?.text("assetPackIdentifier") ?? "", number: version?.integer("version") ?? 0,
            detail: detail)
    }

    /// False when the device has said so before, or enough have spoken.
    private func count(_ report: RolloutReport, limit: Int64, total: Int64) throws -> Bool {
        let key: [SQLValue] = [.text(report.rollout), .text(report.deviceDigest)]
        let known = try first(
            #"SELECT "failed" FROM "rolloutReports" WHERE "rollout" = ? AND "device" = ?"#, key, { $0.bool(0) })
        guard known != report.hasFailed else { return false }
        let (added, other) = report.hasFailed ? ("failures", "successes") : ("successes", "failures")
        // The device's last word counts, and the sum is done where two hosts cannot get into each other's way.
        if known == nil {
            guard total < limit else { return false }
            try execute(
                #"INSERT INTO "rolloutReports" ("rollout", "device", "failed") VALUES (?, ?, ?)"#,
                key + [.bool(report.hasFailed)])
            try execute(
                #"UPDATE "backgroundAssetVersionRollouts" SET "\#(added)" = "\#(added)" + 1 WHERE "id" = ?"#,
                [.text(report.rollout)])
        } else {
            try execute(
                #"UPDATE "rolloutReports" SET "failed" = ? WHERE "rollout" = ? AND "device" = ?"#,
                [.bool(report.hasFailed)] + key)
            try execute(
                """
                UPDATE "backgroundAssetVersionRollouts" SET "\(added)" = "\(added)" + 1, "\(other)" = "\(other)" - 1
                WHERE "id" = ?
                """, [.text(report.rollout)])
        }
        return true
    }

    /// Forgets who said what.
    /// - Throws: `DatabaseError`
    func deleteReports(of rollout: String) throws {
        try execute(#"DELETE FROM "rolloutReports" WHERE "rollout" = ?"#, [.text(rollout)])
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database
internal import HTTP
internal import HostingModel
internal import Kit

/// Begins, widens, halts and takes back what goes to a share of the devices first (G3).
struct RolloutRoutes: Sendable {
    private static let percentages: ClosedRange<Int64> = 0...100
    private static let thresholds: ClosedRange<Int64> = 0...100
    private static let reportCounts: ClosedRange<Int64> = 1...1_000_000
    private static let standardMinimumReports: Int64 = 20

    let context: HostContext
    let reader: ResourceReader

    func addRoutes(to router: inout Router) {
        reader.addGet(.rollouts, to: &router)
        reader.addList(.rollouts, to: &router)
        router.add("POST", "/v1/\(ResourceType.rollouts)", .needs(.manage)) { try await create($0) }
        router.add("PATCH", "/v1/\(ResourceType.rollouts)/{id}", .needs(.manage)) { try await update($0) }
    }

    private func create(_ request: RouteRequest) async throws -> HTTPServerResponse {
        let body = try RequestDocument(
            request.http.body, type: .rollouts,
            attributes: ["channel", "failureThreshold", "minimumReports", "percentage"],
            relationships: ["backgroundAssetVersion"])
        let name = try body.required("channel", body.choice("channel", of: Channel.allCases.map(\.rawValue)))
        guard let channel = Channel(rawValue: name) else { throw APIError.unexpected }
        let percentage = try body.required("percentage", body.integer("percentage", in: Self.percentages))
        let versionID = try body.requiredLink("backgroundAssetVersion", to: .backgroundAssetVersions)
        var values: [String: JSONValue] = [
            "channel": .string(name), "createdDate": .string(context.now), "percentage": .integer(percentage),
            "backgroundAssetVersion": .string(versionID), "successes": 0, "failures": 0,
            "state": .string(RolloutState.initial.rawValue),
            "minimumReports": .integer(
                try body.integer("minimumReports", in: Self.reportCounts) ?? Self.standardMinimumReports),
        ]
        values["failureThreshold"] = try body.integer("failureThreshold", in: Self.thresholds).map { .integer($0) }
        let rollout = try await context.database.write { [values] store in
            let version = try store.require(
                .backgroundAssetVersions, versionID, as: "backgroundAssetVersion", for: request.caller)
            try Self.checkMayBegin(version, channel, in: store)
            var rollout = ResourceRecord(.rollouts, id: Identifier.random(), app: version.app, values: values)
            rollout["app"] = .string(version.app)
            try store.insert(rollout)
            return rollout
        }
        return try await reader.show(rollout, status: 201)
    }

    private static func checkMayBegin(
        _ version: ResourceRecord, _ channel: Channel, in store: borrowing Connection
    ) throws {
        guard version.state(VersionState.self) != .failed else {
            throw APIError.state("The version was refused, so that no device gets it.")
        }
        let present = try store.records(
            .rollouts,
            where: ["backgroundAssetVersion": .text(version.id), "channel": .text(channel.rawValue)])
        if let present = present.first {
            throw APIError.state(
                "STATE_ERROR.ROLLOUT_EXISTS",
                "The version has a rollout in this channel already: \(present.id). Change that one.")
        }
        let release = try version.text(channel.release).flatMap { try store.record(channel.releaseType, $0) }
        guard release?.text("state") != "SUPERSEDED" else {
            throw APIError.state("A later version has taken this one's place in the channel.")
        }
    }

    private func update(_ request: RouteRequest) async throws -> HTTPServerResponse {
        let body = try RequestDocument(
            request.http.body, type: .rollouts, id: request.id,
            attributes: ["failureThreshold", "minimumReports", "percentage", "state"])
        var changes: [String: JSONValue] = [:]
        for (name, range) in [
            ("percentage", Self.percentages), ("failureThreshold", Self.thresholds),
            ("minimumReports", Self.reportCounts),
        ] {
            changes[name] = try body.integer(name, in: range).map { .integer($0) }
        }
        let wanted = try body.choice("state", of: RolloutState.allCases.map(\.rawValue))
            .flatMap(RolloutState.init(rawValue:))
        let rollout = try await context.database.write { [changes] store in
            var rollout = try store.require(.rollouts, request.id, for: request.caller)
            for (name, value) in changes { rollout[name] = value }
            if let wanted, wanted != rollout.state(RolloutState.self) {
                try store.move(&rollout, to: wanted)
            } else {
                try store.update(rollout)
            }
            return rollout
        }
        return try await reader.show(rollout)
    }
}

extension Connection {
    /// Brings a rollout where somebody wants it.
    /// - Throws: `APIError` when that is not possible from where it is; `DatabaseError`
    fileprivate func move(_ rollout: inout ResourceRecord, to state: RolloutState) throws {
        let event: RolloutState.Event =
            switch state {
            case .active: .resumed
            case .halted: .halted
            case .rolledBack: .rolledBack
            case .complete: .completed
            }
        rollout["stateDetails"] =
            state == .halted
            ? StateDetail.details(infos: [
                StateDetail("HALTED_BY_PUBLISHER", "Somebody has stopped it. Who has the version keeps it.")
            ]) : nil
        if state == .active {
            // What made it stop would at once make it stop again.
            rollout["successes"] = 0
            rollout["failures"] = 0
        }
        do {
            try step(&rollout, RolloutState.self, event)
        } catch let step as IllegalStep {
            throw APIError.state("This is not possible in the state \(step.state).")
        }
        if state != .halted { try deleteReports(of: rollout.id) }
        // Devices go back to what was live before, or on to this one again.
        if let version = try record(.backgroundAssetVersions, rollout.text("backgroundAssetVersion") ?? ""),
            let pack = try record(.backgroundAssets, version.text("backgroundAsset") ?? "")
        {
            try prepareUpdates(to: pack)
        }
    }
}

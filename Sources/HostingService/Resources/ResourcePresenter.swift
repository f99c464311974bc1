// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import HostingModel
internal import Kit

/// Fills in what is not stored but made when it is shown.
struct ResourcePresenter: Sendable {
    private let context: HostContext

    init(_ context: HostContext) { self.context = context }

    func present(_ records: [ResourceRecord]) async throws -> [ResourceRecord] {
        var shown: [ResourceRecord] = []
        for record in records { shown.append(try await present(record)) }
        return shown
    }

    func present(_ record: ResourceRecord) async throws -> ResourceRecord {
        guard UploadKind.all.contains(where: { $0.file == record.type }),
            record.state(UploadFileState.self) == .awaitingUpload,
            let size = record.integer("fileSize")
        else { return record }
        var shown = record
        let plan = UploadPlan(fileSize: size, partSize: record.integer("partSize"))
        let present = try await context.blobs.parts(of: record.id, plan)
        let elsewhere = try await context.blobs.addresses(of: record.id, plan, seconds: context.limits.uploadLifetime)
        let addresses = UploadAddresses(context)
        let expiry = context.clock().seconds + context.limits.uploadLifetime
        shown["uploadOperations"] = .array(
            plan.parts.map { part in
                var operation: [String: JSONValue] = [
                    "method": "PUT",
                    "url": .string(elsewhere?[part.number] ?? addresses.url(for: record.id, part, expiry: expiry)),
                    "offset": .integer(part.offset), "length": .integer(part.length),
                    "partNumber": .integer(Int64(part.number)),
                    "expiration": .string(Timestamp(seconds: expiry).formatted),
                    "requestHeaders": [["name": "Content-Type", "value": "application/octet-stream"]],
                ]
                operation["entityTag"] = present[part.number].map { .string($0) }
                return .object(operation)
            })
        return shown
    }
}

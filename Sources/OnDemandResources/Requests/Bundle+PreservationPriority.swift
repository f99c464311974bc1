// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import BackgroundAssets
internal import DeviceProtocol
public import Foundation
internal import Kit

extension Bundle {
    /// Sets how long resources are kept when the disk becomes full.
    /// - Parameters:
    ///   - priority: from 0, which goes first, to 1.
    ///   - tags: of the app. Where Apple's system ends the process over one that the app does not have, nothing is set here, and
    ///     standard error says so.
    public func setPreservationPriority(_ priority: Double, forTags tags: Set<String>) {
        PreservationPriorities.shared.set(priority, tags)
    }

    /// How long resources are kept when the disk becomes full: from 0, which goes first and is what nobody set, to 1.
    public func preservationPriority(forTag tag: String) -> Double { PreservationPriorities.shared.get(tag) }
}

/// Sets and gets preservation priorities for callers that block.
final class PreservationPriorities: Sendable {
    static let shared = PreservationPriorities(.shared)

    private let access: ResourceAccess
    private let connection = Locked<DeviceConnection?>(nil)

    init(_ access: ResourceAccess) { self.access = access }

    func set(_ priority: Double, _ tags: Set<String>) {
        guard !tags.isEmpty else { return }
        do {
            _ = try access.packs(of: tags)
            _ = try ask(SetPreservationPriorityRequest(app: access.app, tags: tags.sorted(), priority: priority))
        } catch {
            let names = tags.sorted().joined(separator: ", ")
            FileHandle.standardError.write(
                Data("The preservation priority of \(names) could not be set: \(error)\n".utf8))
        }
    }

    func get(_ tag: String) -> Double {
        guard let app = try? access.app, let reply = try? ask(ResourceTagsRequest(app: app)) else { return 0 }
        return reply.tags.first { $0.tag == tag }?.preservationPriority ?? 0
    }

    private func ask<Request: DeviceRequest>(_ request: Request) throws -> Request.Reply {
        try connected().sendAndWait(request)
    }

    private func connected() throws -> DeviceConnection {
        if let connection = connection.withLock({ $0 }), connection.isConnected { return connection }
        let made = try DeviceConnection.connectAndWait(for: try access.own())
        connection.withLock { $0 = made }
        return made
    }
}

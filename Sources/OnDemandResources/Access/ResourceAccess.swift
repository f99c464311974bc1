// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import BackgroundAssets
package import DeviceProtocol
internal import Foundation
internal import Kit
internal import PackNamespace

/// This process's way to its resources: which packs its tags need, which of them are local, what it uses, and the service.
package final class ResourceAccess: Sendable {
    static let shared = ResourceAccess(
        identity: Result { try AppIdentity.current() },
        connect: { try await DeviceConnection.connect(for: $0) })

    private struct State {
        var list: ResourceTagList?
        var held: HeldPacks?
        /// How many requests use resources.
        var users = 0
    }

    private let identity: Result<AppIdentity, any Error>
    let service: ServiceClient
    private let reader: AppRootReader?
    private let notices: LowSpaceNotices
    private let state = Locked(State())

    package init(
        identity: Result<AppIdentity, any Error>,
        connect: @escaping @Sendable (AppIdentity) async throws -> DeviceConnection
    ) {
        self.identity = identity
        service = ServiceClient { try await connect(identity.get()) }
        reader = (try? identity.get()).map { AppRootReader(root: $0.root) }
        notices = LowSpaceNotices(app: (try? identity.get().bundleID) ?? "", service: service)
    }

    /// - Throws: what keeps the app from being known.
    var app: String { get throws { try identity.get().bundleID } }

    func own() throws -> AppIdentity { try identity.get() }

    /// The packs that tags need.
    /// - Throws: `NSBundleResourceRequestError`, or why the app is not known.
    func packs(of tags: Set<String>) throws -> Set<String> {
        let identity = try identity.get()
        return try state.withLock { state in
            let list = try state.list ?? ResourceTagList(appRoot: identity.root, app: identity.bundleID)
            state.list = list
            return try list.packs(of: tags)
        }
    }

    /// Whether packs are all local. That holds while they are held.
    func areLocal(_ packs: Set<String>) -> Bool {
        if packs.isEmpty { return true }
        guard let table = try? reader?.current().table else { return false }
        return packs.allSatisfy { table.packIndex(id: $0) != nil }
    }

    /// Whether no more is in use than the person allows, of what is local. What is asked for counts already: it is held.
    /// - Throws: `NSBundleResourceRequestError`
    func checkLimit(for tags: Set<String>) throws {
        guard let held = state.withLock(\.held), let limit = try? held.limit, let table = try? reader?.current().table
        else { return }
        let all = Set(state.withLock { $0.list?.packs.values.joined().map { $0 } ?? [] })
        let used = (try? held.used(among: all)) ?? []
        let size = used.reduce(Int64(0)) { sum, pack in
            let size = table.packIndex(id: pack).map { Int64(clamping: table.pack(at: $0).installedSize) } ?? 0
            return sum.addingReportingOverflow(size).partialValue
        }
        guard size > limit else { return }
        throw NSBundleResourceRequestError.tooMuch(tags, app: try app, size: size, limit: limit)
    }

    /// What local packs there are has a number; nil when that is not known.
    var generation: UInt64? { try? reader?.current().table.generation }

    private func held() throws -> HeldPacks {
        let identity = try identity.get()
        return try state.withLock { state in
            if let held = state.held { return held }
            let held = HeldPacks(try PackUses(of: AppRootLayout(root: identity.root)))
            state.held = held
            return held
        }
    }

    /// Uses packs, unless one is being taken away.
    /// - Throws: `Errno`, or why the app is not known.
    func tryToHold(_ packs: Set<String>) throws -> Bool {
        guard try held().tryToHold(packs) else { return false }
        began()
        return true
    }

    /// Uses packs, once none of them is being taken away.
    func hold(_ packs: Set<String>) async throws {
        let held = try held()
        if try !held.tryToHold(packs) { try await offload { try held.hold(packs) } }
        began()
    }

    func letGo(_ packs: Set<String>) {
        state.withLock(\.held)?.letGo(packs)
        let isLast = state.withLock { state in
            state.users -= 1
            return state.users == 0
        }
        if isLast { notices.end() }
    }

    private func began() {
        let isFirst = state.withLock { state in
            state.users += 1
            return state.users == 1
        }
        if isFirst { notices.begin() }
    }

    /// Tells the service of a use that begins or has ended now, when it can; nobody waits for it.
    func noteUse(of tags: Set<String>) {
        guard let app = try? app else { return }
        let request = ResourcesUsedRequest(app: app, tags: tags.sorted(), time: .now)
        Task { [service] in _ = try? await service.send(request) }
    }
}

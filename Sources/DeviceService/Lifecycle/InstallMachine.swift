// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
package import AssetPacks
package import DeviceProtocol

/// Drives one install or update (C3, C4): facts in, actions out. It knows no file, socket or clock.
package struct InstallMachine: Codable, Hashable, Sendable {
    package enum State: String, Codable, Hashable, Sendable {
        /// Of a hosted build only: its archive comes. → unpackingApp, rollingBack
        case downloadingApp
        /// Of an archive only: the base app is written out, for its extension must run. → fetchingManifest, rollingBack
        case unpackingApp
        /// → askingExtension, planning (no packs), rollingBack
        case fetchingManifest
        /// → planning, rollingBack
        case askingExtension
        /// Space is computed before the first byte. → copyingApp, downloading (simulated), rollingBack
        case planning
        /// An update's essential items come meanwhile; a first install has no place for them yet. → downloading, rollingBack
        case copyingApp
        /// Essential items. → finishing, or prefetching (simulated), once each is resolved; rollingBack when cancelled
        case downloading
        /// The new base takes the old one's place. → prefetching, rollingBack
        case finishing
        /// The app may start; the rest follows. → complete
        case prefetching
        /// What was made is taken away again. → failed, cancelled
        case rollingBack
        case complete
        case failed
        case cancelled

        package var isFinal: Bool { [.complete, .failed, .cancelled].contains(self) }
        /// The base is in place and nothing more holds a launch.
        package var isLaunchable: Bool { self == .prefetching || self == .complete }
    }

    /// What happened.
    package enum Fact: Sendable {
        /// Bytes of the archive that are here.
        case fetched(bytes: Int64)
        case fetchedAll
        case unpacked
        /// What the manifest's policies or the extension of an unmanaged app chose; `trouble` is what went wrong with the
        /// extension.
        case chosen([PlannedItem], trouble: String? = nil)
        /// The extension declined these; `trouble` is what went wrong with it.
        case answered(declined: Set<String>, trouble: String?)
        case planned(SpacePlan)
        case copied(bytes: Int64)
        case copiedAll
        case item(PlannedItem.Key, ItemFact)
        case committed
        /// The extension that was told of ends came to a bad end itself.
        case troubled(String)
        /// The action under way failed for good.
        case failed(DeviceError)
        case pause, resume, cancel
        /// Another install of the app begins, which takes over what still comes.
        case superseded
        case rolledBack
    }

    package enum ItemFact: Sendable {
        case progress(downloaded: Int64, expected: Int64? = nil)
        case held(HoldReason)
        case finished
        case failed(DeviceError)
    }

    /// What to do. Each is answered by a fact, except `endStep`, `pauseItems`, `resumeItems` and `cancelItems`.
    package enum Action: Hashable, Sendable {
        /// → fetched…, fetchedAll, failed
        case downloadApp
        /// Breaks off what runs; what it had brought stays.
        case endStep
        /// → copied…, unpacked, failed
        case unpackApp
        /// → chosen, failed
        case choosePacks
        /// → answered
        case askExtension([DownloadManifestPack])
        /// → planned, failed
        case planSpace([PlannedItem])
        /// → copied…, copiedAll, failed
        case copyApp
        /// → item…
        case request([PlannedItem])
        /// → committed, failed
        case commit
        case pauseItems, resumeItems
        case cancelItems([PlannedItem.Key])
        /// → rolledBack
        case rollBack
    }

    package private(set) var state: State
    package private(set) var isPaused = false
    package private(set) var plan: InstallPlan
    /// Why the install is being undone, or was; nil with cancelled ones.
    package private(set) var error: DeviceError?

    package init(_ plan: InstallPlan) {
        self.plan = plan
        state = plan.hosted != nil ? .downloadingApp : plan.archive == nil ? .fetchingManifest : .unpackingApp
    }

    /// The actions that a state begins with: at the start, after a restart and after a pause.
    package var entry: [Action] {
        if isPaused, state != .rollingBack { return [] }
        switch state {
        case .downloadingApp: return [.downloadApp]
        case .unpackingApp: return [.unpackApp]
        case .fetchingManifest, .askingExtension, .planning: return [.choosePacks]
        case .copyingApp: return [.copyApp] + (isAskingEarly ? request([.essential]) : [])
        case .downloading: return request([.essential])
        case .finishing: return [.commit]
        case .prefetching: return request(Set(PlannedItem.Role.allCases))
        case .rollingBack: return [.rollBack]
        case .complete, .failed, .cancelled: return []
        }
    }

    /// To be called once when the journal is read after a restart: what was begun and not finished is begun again.
    package mutating func restart() {
        if [.askingExtension, .planning].contains(state) { state = .fetchingManifest }
        if state == .unpackingApp || state == .copyingApp && plan.archive == nil { plan.copied = 0 }
    }

    /// What the journal must not miss; progress is not part of it.
    var checkpoint: Checkpoint {
        Checkpoint(
            state: state, isPaused: isPaused, items: plan.items?.map { ItemCheckpoint(role: $0.role, state: $0.state) })
    }

    struct Checkpoint: Hashable {
        var state: State
        var isPaused: Bool
        var items: [ItemCheckpoint]?
    }

    struct ItemCheckpoint: Hashable {
        var role: PlannedItem.Role
        var state: PlannedItem.State
    }

    package mutating func handle(_ fact: Fact) -> [Action] {
        switch fact {
        case .pause: return pause()
        case .resume: return resume()
        case .cancel: return cancel()
        case .superseded: return superseded()
        case .failed(let error): return fail(error)
        case .item(let key, let fact): return itemChanged(key, fact)
        case .chosen(let items, let trouble): return state == .fetchingManifest ? chosen(items, trouble) : []
        case .troubled(let trouble):
            warn(trouble)
            return []
        case .answered(let declined, let trouble):
            return state == .askingExtension ? answered(declined, trouble) : []
        case .planned(let figures): return state == .planning ? planned(figures) : []
        case .fetched(let bytes):
            if state == .downloadingApp { plan.hosted?.fetched = bytes }
            return []
        case .fetchedAll:
            guard state == .downloadingApp else { return [] }
            if let hosted = plan.hosted { plan.hosted?.fetched = hosted.build.archive.size }
            state = .unpackingApp
            return held([.unpackApp])
        case .copied(let bytes):
            if [.unpackingApp, .copyingApp].contains(state) { plan.copied = bytes }
            return []
        case .unpacked:
            guard state == .unpackingApp else { return [] }
            plan.copied = plan.baseSize
            state = .fetchingManifest
            return held([.choosePacks])
        case .copiedAll:
            guard state == .copyingApp else { return [] }
            plan.copied = plan.baseSize
            guard isAskingEarly else { return enter(.downloading) }
            state = .downloading
            return settle()
        case .committed: return state == .finishing ? enter(.prefetching) : []
        case .rolledBack:
            if state == .rollingBack { state = error == nil ? .cancelled : .failed }
            return []
        }
    }

    // MARK: - Planning

    private mutating func chosen(_ items: [PlannedItem], _ trouble: String?) -> [Action] {
        plan.items = items
        warn(trouble)
        for item in items { if let error = item.error { note(error.message) } }
        // The extension that chose downloads was asked already: they are its answer.
        let asked = items.filter { $0.state == .pending && $0.role != .update }.compactMap(\.pack)
        guard !asked.isEmpty else {
            state = .planning
            return held([.planSpace(plan.pending([.essential, .prefetch]))])
        }
        state = .askingExtension
        return held([.askExtension(asked)])
    }

    private mutating func answered(_ declined: Set<String>, _ trouble: String?) -> [Action] {
        for id in declined { plan.change(.pack(id)) { $0.state = .declined } }
        warn(trouble)
        state = .planning
        return held([.planSpace(plan.pending([.essential, .prefetch]))])
    }

    private mutating func planned(_ figures: SpacePlan) -> [Action] {
        if let done = figures.note { note(done) }
        guard figures.fits else { return fail(figures.refusal(of: plan.displayName)) }
        return enter(plan.isSimulated ? .downloading : .copyingApp)
    }

    // MARK: - Items

    private var isAskingEarly: Bool { plan.kind == .update }

    /// Items were requested and may be on their way.
    private var hasAsked: Bool {
        [.downloading, .prefetching].contains(state) || state == .copyingApp && isAskingEarly
    }

    private func request(_ roles: Set<PlannedItem.Role>) -> [Action] {
        let items = plan.pending(roles)
        return items.isEmpty ? [] : [.request(items)]
    }

    private mutating func itemChanged(_ key: PlannedItem.Key, _ fact: ItemFact) -> [Action] {
        switch fact {
        case .progress(let downloaded, let expected):
            plan.change(key) { item in
                item.downloaded = downloaded
                item.expected = expected
                if item.state == .held { item.state = .pending }
            }
        case .held(let reason):
            var name: String?
            plan.change(key) { item in
                guard item.state == .pending else { return }
                item.state = .held
                name = item.name
            }
            if let name { note("\(name) waits for \(reason.waitsFor).") }
        case .finished:
            plan.change(key) {
                $0.state = .finished
                $0.error = nil
            }
        case .failed(let error):
            var isFresh = false
            plan.change(key) { item in
                isFresh = item.state == .pending || item.state == .held
                // A host that is not allowed yet is another matter than one that fails: the first launch allows it.
                if isFresh { item.state = error.code == .domainNotAllowed ? .deferred : .failed }
                item.error = error
            }
            if isFresh, state != .rollingBack { note(error.message) }
        }
        return settle()
    }

    /// Goes on when nothing is left to wait for.
    private mutating func settle() -> [Action] {
        if isPaused { return [] }
        if state == .downloading, plan.pending([.essential]).isEmpty {
            return enter(plan.isSimulated ? .prefetching : .finishing)
        }
        if state == .prefetching, plan.pending().isEmpty { state = .complete }
        return []
    }

    // MARK: - Steering

    private mutating func pause() -> [Action] {
        guard !isPaused, !state.isFinal, state != .rollingBack else { return [] }
        isPaused = true
        if state == .downloadingApp { return [.endStep] }
        return hasAsked ? [.pauseItems] : []
    }

    private mutating func resume() -> [Action] {
        guard isPaused else { return [] }
        isPaused = false
        // A step that was under way when the pause came has ended or will; those before the copy are begun anew.
        let resumed: [Action] = hasAsked ? [.resumeItems] : []
        restart()
        let settled = settle()
        return resumed + (settled.isEmpty ? entry : settled)
    }

    private mutating func cancel() -> [Action] {
        guard !state.isFinal, state != .rollingBack else { return [] }
        if state == .prefetching {
            // The app is installed; what is cancelled is the rest.
            let keys = plan.pending().compactMap(\.key)
            for key in keys {
                plan.change(key) {
                    $0.state = .failed
                    $0.error = DeviceError(.cancelled, "The download of \($0.name) was cancelled.")
                }
            }
            state = .complete
            isPaused = false
            return [.cancelItems(keys)]
        }
        return rollBack(nil)
    }

    /// The downloads that are under way go on by themselves, those that were paused too: the new install joins them.
    private mutating func superseded() -> [Action] {
        guard state == .prefetching else { return [] }
        let wasPaused = isPaused
        isPaused = false
        state = .complete
        return wasPaused ? [.resumeItems] : []
    }

    private mutating func fail(_ error: DeviceError) -> [Action] {
        // Late news of an action that a cancel overtook.
        if state.isFinal || state == .rollingBack { return [] }
        if state == .prefetching {
            note(error.message)
            state = .complete
            return []
        }
        return rollBack(error)
    }

    private mutating func rollBack(_ error: DeviceError?) -> [Action] {
        self.error = error
        isPaused = false
        state = .rollingBack
        return [.rollBack]
    }

    private mutating func enter(_ next: State) -> [Action] {
        state = next
        if next == .prefetching { offerFailedAgain() }
        let settled = settle()
        return settled.isEmpty ? entry : settled
    }

    /// A failed essential pack is offered again as a non-essential one (C3, BA 1.15). Of a download its extension is told,
    /// which decides itself.
    private mutating func offerFailedAgain() {
        for item in plan.items ?? [] where item.pack != nil && item.role == .essential && item.state == .failed {
            plan.change(item.key) {
                $0.essentialError = $0.error
                $0.role = .prefetch
                $0.state = .pending
            }
        }
    }

    private func held(_ actions: [Action]) -> [Action] { isPaused ? [] : actions }

    private mutating func note(_ text: String) {
        if !plan.notes.contains(text) { plan.notes.append(text) }
    }

    private mutating func warn(_ text: String?) {
        if let text, !plan.warnings.contains(text) { plan.warnings.append(text) }
    }
}

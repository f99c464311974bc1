// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Which packs requests wait for, and how they are to be fetched for all of them together: a value that takes facts and returns
/// what is to be done. It touches nothing.
///
/// Several requests may wait for one pack. It is fetched as the most eager of them wants, is paused while all of them are, and
/// is given up when the last of them is cancelled.
struct ResourceDemand: Sendable {
    /// One request of one app.
    struct Key: Hashable, Sendable, Comparable {
        var app: String
        var request: String

        static func < (left: Key, right: Key) -> Bool { (left.app, left.request) < (right.app, right.request) }
    }

    /// How a request is to be treated.
    struct Steering: Hashable, Sendable {
        var importance = FetchImportance.standard
        var isPaused = false
    }

    /// How a request ended.
    enum Ending: Hashable, Sendable {
        /// Everything is there, or something failed: its owner knows.
        case settled
        /// Who waited is gone: the rest comes behind.
        case left
        /// Nobody wants it any more.
        case cancelled
    }

    enum Action: Hashable, Sendable {
        /// Fetch it, or go on with it, with this importance.
        case fetch(TransferKey, FetchImportance)
        case rank(TransferKey, FetchImportance)
        case pause(TransferKey)
        case resume(TransferKey)
        /// Nobody waits for it now; let it come in the background.
        case release(TransferKey)
        case cancel(TransferKey)
    }

    private struct Want: Sendable {
        var packs: Set<String>
        var steering: Steering
    }

    private var wants: [Key: Want] = [:]
    /// How packs that are waited for are being fetched.
    private var fetched: [TransferKey: Steering] = [:]

    /// Packs that are waited for.
    var waited: Set<TransferKey> { Set(fetched.keys) }

    /// A request waits for packs.
    mutating func begin(_ key: Key, packs: Set<String>, _ steering: Steering) -> [Action] {
        wants[key] = Want(packs: packs, steering: steering)
        return settle(key.app, packs)
    }

    /// A request is to be treated otherwise. Nothing follows for one that is not known.
    mutating func steer(_ key: Key, _ steering: Steering) -> [Action] {
        guard let packs = wants[key]?.packs else { return [] }
        wants[key]?.steering = steering
        return settle(key.app, packs)
    }

    /// A pack is there, or will not be: nobody waits for it any more.
    mutating func ended(_ pack: TransferKey) {
        fetched[pack] = nil
        for key in wants.keys where key.app == pack.app { wants[key]?.packs.remove(pack.pack) }
    }

    mutating func end(_ key: Key, _ ending: Ending) -> [Action] {
        guard let packs = wants.removeValue(forKey: key)?.packs else { return [] }
        return settle(key.app, packs, ending)
    }

    /// Has packs fetched as those that want them say together.
    private mutating func settle(_ app: String, _ packs: Set<String>, _ ending: Ending = .left) -> [Action] {
        var actions: [Action] = []
        for pack in packs.sorted() {
            let transfer = TransferKey(app: app, pack: pack)
            let before = fetched[transfer]
            guard let now = together(transfer) else {
                fetched[transfer] = nil
                guard let before else { continue }
                if ending == .cancelled {
                    actions.append(.cancel(transfer))
                } else {
                    if before.isPaused { actions.append(.resume(transfer)) }
                    actions.append(.release(transfer))
                }
                continue
            }
            fetched[transfer] = now
            if before == now { continue }
            if before == nil {
                actions.append(.fetch(transfer, now.importance))
            } else if before?.importance != now.importance {
                actions.append(.rank(transfer, now.importance))
            }
            if before?.isPaused ?? false != now.isPaused {
                actions.append(now.isPaused ? .pause(transfer) : .resume(transfer))
            }
        }
        return actions
    }

    /// What the requests that wait for a pack want; nil when there are none. Paused ones count only where all are.
    private func together(_ transfer: TransferKey) -> Steering? {
        let all = wants.filter { $0.key.app == transfer.app && $0.value.packs.contains(transfer.pack) }
            .map(\.value.steering)
        let active = all.filter { !$0.isPaused }
        guard let importance = (active.isEmpty ? all : active).map(\.importance).max() else { return nil }
        return Steering(importance: importance, isPaused: active.isEmpty)
    }
}

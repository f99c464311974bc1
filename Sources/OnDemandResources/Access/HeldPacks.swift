// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Kit
internal import PackNamespace

/// The packs that this process uses: counted here, and said to all others by a lock for each.
final class HeldPacks: Sendable {
    private struct Use {
        var count = 0
        /// False while it cannot be had yet: the service is taking the pack away.
        var isLocked = false
    }

    private let locks: PackUses
    private let uses = Locked<[String: Use]>([:])

    init(_ locks: PackUses) { self.locks = locks }

    /// Holds packs once more each.
    /// - Returns: false, and nothing is held more than before, when one of them is being taken away.
    /// - Throws: `Errno`
    func tryToHold(_ packs: Set<String>) throws -> Bool {
        var isHeld = false
        defer { if !isHeld { letGo(packs) } }
        isHeld = try uses.withLock { uses -> Bool in
            for pack in packs { uses[pack, default: Use()].count += 1 }
            for pack in packs where uses[pack]?.isLocked == false {
                guard try locks.hold(pack) else { return false }
                uses[pack]?.isLocked = true
            }
            return true
        }
        return isHeld
    }

    /// Holds packs once more each, and waits for those that are being taken away. Blocks.
    /// - Throws: `Errno`
    func hold(_ packs: Set<String>) throws {
        let missing = uses.withLock { uses -> [String] in
            for pack in packs { uses[pack, default: Use()].count += 1 }
            return packs.filter { uses[$0]?.isLocked == false }
        }
        do {
            for pack in missing {
                // Counted already, so that nobody else gives it back meanwhile.
                _ = try locks.hold(pack, waiting: true)
                uses.withLock { $0[pack]?.isLocked = true }
            }
        } catch {
            letGo(packs)
            throw error
        }
    }

    /// Which of some packs this process or another uses.
    /// - Throws: `Errno`
    func used(among packs: some Sequence<String>) throws -> Set<String> {
        let own = uses.withLock { Set($0.keys) }
        return Set(try packs.filter { try own.contains($0) || locks.isUsed($0) })
    }

    /// How many bytes may be used at once; nil when any number may.
    /// - Throws: `Errno`
    var limit: Int64? { get throws { try locks.limit } }

    func letGo(_ packs: Set<String>) {
        uses.withLock { uses in
            for pack in packs {
                guard var use = uses[pack] else { continue }
                use.count -= 1
                uses[pack] = use.count > 0 ? use : nil
                if use.count <= 0, use.isLocked { locks.letGo(pack) }
            }
        }
    }
}

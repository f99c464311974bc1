// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// How far one object's single cycle is: a value that says what may follow.
enum RequestPhase: Hashable, Sendable {
    /// Nothing was begun. → beginning
    case fresh
    /// → accessing, or ended when it failed or was ended meanwhile
    case beginning
    /// → ended
    case accessing(packs: Set<String>)
    case ended

    /// False when the cycle was begun before.
    mutating func begin() -> Bool {
        guard self == .fresh else { return false }
        self = .beginning
        return true
    }

    /// The resources are there. False when nobody wants them any more.
    mutating func succeed(_ packs: Set<String>) -> Bool {
        guard self == .beginning else { return false }
        self = .accessing(packs: packs)
        return true
    }

    mutating func fail() { if self == .beginning { self = .ended } }

    /// They were only asked for in case they are there, and are not: the object may still be begun.
    mutating func decline() { if self == .beginning { self = .fresh } }

    /// What is to follow an end.
    enum Ending: Hashable, Sendable {
        case nothing
        /// What is being fetched for it is not wanted any more.
        case cancel
        case letGo(packs: Set<String>)
    }

    mutating func end() -> Ending {
        switch self {
        case .fresh, .ended: return .nothing
        case .beginning:
            self = .ended
            return .cancel
        case .accessing(let packs):
            self = .ended
            return .letGo(packs: packs)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Why a pack is fetched. It decides how soon, and how long trouble is borne with.
package enum FetchKind: String, Codable, Hashable, Sendable, CaseIterable {
    /// The app may not open without it (A2).
    case essential
    /// Wanted soon after the app was installed.
    case prefetch
    /// The app asked for it.
    case onDemand
    /// A newer version of a pack that is already local.
    case update
}

/// The place of a transfer in the queue: essential first, then what somebody waits for, then by priority, then by age.
package struct TransferRank: Comparable, Hashable, Sendable {
    /// Transfers of a higher class take the place of running ones of a lower class.
    package enum Class: Int, Comparable, Hashable, Sendable {
        case background, foreground, essential
        /// A person stands before it (BA 6.1 `NSBundleResourceRequestLoadingPriorityUrgent`).
        case urgent

        package static func < (left: Class, right: Class) -> Bool { left.rawValue < right.rawValue }
    }

    package var rankClass: Class
    /// Higher goes first within a class.
    package var priority: Int
    /// Lower is older and goes first.
    package var sequence: Int64

    /// "Less" is served later.
    package static func < (left: TransferRank, right: TransferRank) -> Bool {
        (left.rankClass.rawValue, left.priority, -left.sequence)
            < (right.rankClass.rawValue, right.priority, -right.sequence)
    }
}

extension FetchKind {
    /// What the app asked for goes before what it may want, and an update of what works already goes last. What is fetched for
    /// the same reason goes by its importance.
    func priority(_ importance: FetchImportance = .standard) -> Int {
        let reason =
            switch self {
            case .essential: 3
            case .onDemand: 2
            case .prefetch: 1
            case .update: 0
            }
        return reason * 1000 + importance.thousandths
    }

    func rankClass(foreground: Bool, importance: FetchImportance = .standard) -> TransferRank.Class {
        if importance == .urgent { return .urgent }
        return self == .essential ? .essential : foreground ? .foreground : .background
    }
}

/// How much what is fetched matters among what is fetched for the same reason.
package struct FetchImportance: Hashable, Sendable, Comparable {
    /// From 0 to 999; more only for what is urgent.
    fileprivate let thousandths: Int

    private init(thousandths: Int) { self.thousandths = thousandths }

    /// - Parameter value: from 0 to 1, as `loadingPriority` and `downloadPriority` have it (BA 6); what is beyond counts as the end.
    package init(_ value: Double) {
        thousandths = value.isNaN ? 500 : Int((min(max(value, 0), 1) * 999).rounded())
    }

    package static let standard = FetchImportance(0.5)
    /// Before everything else, whatever that is fetched for.
    package static let urgent = FetchImportance(thousandths: 1000)

    package static func < (left: FetchImportance, right: FetchImportance) -> Bool {
        left.thousandths < right.thousandths
    }
}

extension TransferQueue {
    /// A pack is wanted; see `submit(_:host:rankClass:priority:paused:replacing:now:)`.
    package mutating func submit(
        _ key: TransferKey, host: String, kind: FetchKind, foreground: Bool, importance: FetchImportance = .standard,
        paused: Bool = false, replacing: Bool = false, now: Instant
    ) -> [Action] {
        submit(
            key, host: host, rankClass: kind.rankClass(foreground: foreground, importance: importance),
            priority: kind.priority(importance), paused: paused, replacing: replacing, now: now)
    }
}

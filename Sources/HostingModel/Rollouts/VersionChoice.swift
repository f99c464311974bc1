// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Chooses the version of a pack that a device gets: the newest that suits its app and has gone out as far as to it.
package struct VersionChoice: Sendable {
    /// A version that is or was live in the channel.
    package struct Candidate: Hashable, Sendable {
        package var id: String
        /// The version's number.
        package var number: Int64
        /// The app versions that it suits, both ends included; nil: any.
        package var minimumAppVersion: AppVersion?
        package var maximumAppVersion: AppVersion?
        package var rollout: Rollout?

        package init(
            id: String, number: Int64, minimumAppVersion: AppVersion? = nil, maximumAppVersion: AppVersion? = nil,
            rollout: Rollout? = nil
        ) {
            self.id = id
            self.number = number
            self.minimumAppVersion = minimumAppVersion
            self.maximumAppVersion = maximumAppVersion
            self.rollout = rollout
        }

        /// An app that does not say which version it is is suited by what suits all.
        func suits(_ appVersion: AppVersion?) -> Bool {
            guard minimumAppVersion != nil || maximumAppVersion != nil else { return true }
            guard let appVersion else { return false }
            return minimumAppVersion.map { $0 <= appVersion } ?? true
                && maximumAppVersion.map { appVersion <= $0 } ?? true
        }
    }

    private let device: AskingDevice

    package init(for device: AskingDevice) { self.device = device }

    /// - Parameters:
    ///   - live: the channel's live version.
    ///   - earlier: those that were live before; newer ones than the live one do not count: it took their place.
    /// - Returns: nil when none is for this device.
    package func choose(live: Candidate, earlier: [Candidate]) -> Candidate? {
        let rest = earlier.filter { $0.number < live.number }.sorted { $0.number > $1.number }
        return ([live] + rest).first { candidate in
            candidate.suits(device.appVersion)
                && candidate.rollout.map { $0.admits(device.id, wasGiven: device.taken.contains($0.id)) } ?? true
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import HostingModel

/// Which versions of a pack patches lead from and to: from the last ones that devices of each channel had. Pure.
package struct PatchSelection: Hashable, Sendable {
    /// A version that was processed.
    package struct Version: Hashable, Sendable {
        package let id: String
        package let number: Int64
        /// The tree digest of its archive in hexadecimal digits; nil when that was removed.
        package let digest: String?
        /// The channels in which it is live, and in which it was.
        package let live: Set<Channel>
        package let former: Set<Channel>
        /// The channels in which its rollout was rolled back: there nobody gets it any more.
        package let withdrawn: Set<Channel>

        package init(
            id: String, number: Int64, digest: String?, live: Set<Channel>, former: Set<Channel>,
            withdrawn: Set<Channel> = []
        ) {
            self.id = id
            self.number = number
            self.digest = digest
            self.live = live
            self.former = former
            self.withdrawn = withdrawn
        }
    }

    private let versions: [String: Version]
    /// Of each channel the versions that are or were live, the one that is before all others, then the latest first, and
    /// those that were taken back at the end.
    private let lines: [[Version]]
    /// What devices of some channel get.
    private let targets: Set<String>
    private let count: Int

    /// - Parameter count: from how many of a channel's versions patches are made.
    package init(_ versions: [Version], count: Int) {
        self.versions = Dictionary(versions.map { ($0.id, $0) }) { $1 }
        self.count = max(0, count)
        lines = Channel.allCases.map { channel in
            func rank(_ version: Version) -> (Int, Int64) {
                let place = version.live.contains(channel) ? 0 : version.withdrawn.contains(channel) ? 2 : 1
                return (place, -version.number)
            }
            return versions.filter { $0.live.contains(channel) || $0.former.contains(channel) }
                .sorted { rank($0) < rank($1) }
        }
        var targets: Set<String> = []
        for (channel, line) in zip(Channel.allCases, lines) {
            guard let live = line.first, live.live.contains(channel) else { continue }
            targets.insert(live.id)
            guard live.withdrawn.contains(channel) else { continue }
            // Who has it goes back to the latest before it.
            let earlier = line.filter { $0.number < live.number && $0.digest != nil && !$0.withdrawn.contains(channel) }
            if let latest = earlier.max(by: { $0.number < $1.number }) { targets.insert(latest.id) }
        }
        self.targets = targets
    }

    /// Whether devices of some channel get the version now, so that patches to it are worth making.
    package func isTarget(_ id: String) -> Bool { targets.contains(id) && versions[id]?.digest != nil }

    /// The versions from which patches to a version are of use, the latest first; of several with the same archive the
    /// latest.
    package func bases(of id: String) -> [Version] {
        guard let target = versions[id] else { return [] }
        var found: [String: Version] = [:]
        for line in lines {
            let others = line.filter { $0.id != id && ($0.digest == nil || $0.digest != target.digest) }
            for version in others.prefix(count) { found[version.id] = version }
        }
        var digests: Set<String> = []
        return found.values.sorted { $0.number > $1.number }.filter { version in
            version.digest.map { digests.insert($0).inserted } ?? true
        }
    }

    /// The versions from which the next one gets patches: their archives are kept for that.
    package var kept: Set<String> { Set(lines.flatMap { $0.prefix(count) }.map(\.id)) }
}

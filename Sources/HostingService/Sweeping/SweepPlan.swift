// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// What is to be swept out of a host's storage: uploads that nobody ends, and archives that nobody needs any more. Pure; times are
/// seconds since 1970.
package struct SweepPlan: Hashable, Sendable {
    /// What a store holds of an upload, and what the database says of it.
    package struct Upload: Hashable, Sendable {
        package enum Record: Hashable, Sendable {
            /// Nobody knows of it: its reservation failed, or what it was for is done.
            case none
            /// It waits for parts.
            case awaiting
            /// All parts came, and they are checked soon.
            case committed
        }

        package let id: String
        package let record: Record
        /// When something last came.
        package let changed: Int64
        /// In bytes.
        package let size: Int64

        package init(id: String, record: Record, changed: Int64, size: Int64) {
            self.id = id
            self.record = record
            self.changed = changed
            self.size = size
        }
    }

    /// An archive in the store.
    package struct Archive: Hashable, Sendable {
        /// In hexadecimal digits.
        package let digest: String
        /// In bytes.
        package let size: Int64

        package init(digest: String, size: Int64) {
            self.digest = digest
            self.size = size
        }
    }

    /// The note that an archive was found unneeded.
    package struct Mark: Hashable, Sendable {
        package let since: Int64
        /// Its removal was begun.
        package var isGoing = false

        package init(since: Int64, isGoing: Bool = false) {
            self.since = since
            self.isGoing = isGoing
        }
    }

    package enum Action: Hashable, Sendable {
        /// The upload fails for want of parts, and those that came go.
        case abandon(Upload)
        /// The remains of an upload go.
        case discard(Upload)
        /// The archive is unneeded from now on.
        case mark(Archive)
        /// The note about an archive goes: it is needed again, or not there.
        case unmark(String)
        /// The archive was unneeded for long enough.
        case remove(Archive)
    }

    package let actions: [Action]

    /// How long remains of an upload stay that nobody knows of: its reservation may be on its way, in seconds.
    package static let remainsLife: Int64 = 3600

    /// - Parameters:
    ///   - needed: the digests of archives that a device gets now or may get later.
    ///   - marks: the notes of earlier sweeps, by digests.
    ///   - grace: how long an upload must have stood still, and an archive unneeded, in seconds. What a device was given an
    ///     address of is there for that long at least, since an archive is noted no earlier than it was given up.
    package init(
        uploads: [Upload], archives: [Archive], needed: Set<String>, marks: [String: Mark], now: Int64, grace: Int64
    ) {
        var actions: [Action] = []
        for upload in uploads.sorted(by: { $0.id < $1.id }) {
            let age = now - upload.changed
            switch upload.record {
            case .committed: break
            case .awaiting where age >= grace: actions.append(.abandon(upload))
            case .none where age >= min(Self.remainsLife, grace): actions.append(.discard(upload))
            case .awaiting, .none: break
            }
        }
        for archive in archives.sorted(by: { $0.digest < $1.digest }) {
            let mark = marks[archive.digest]
            if needed.contains(archive.digest) {
                if mark != nil { actions.append(.unmark(archive.digest)) }
            } else if let mark {
                if mark.isGoing || now - mark.since >= grace { actions.append(.remove(archive)) }
            } else {
                actions.append(.mark(archive))
            }
        }
        let present = Set(archives.map(\.digest))
        actions += marks.keys.filter { !present.contains($0) }.sorted().map { .unmark($0) }
        self.actions = actions
    }

    /// Bytes that the actions free.
    package var freedBytes: Int64 {
        actions.reduce(0) { total, action in
            switch action {
            case .abandon(let upload), .discard(let upload): total + upload.size
            case .remove(let archive): total + archive.size
            case .mark, .unmark: total
            }
        }
    }
}

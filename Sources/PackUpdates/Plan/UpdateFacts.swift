// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// What a planner is told besides what is local.
package struct UpdateFacts: Sendable {
    /// How the server answers requests for parts of a file.
    package enum Ranges: Sendable, Hashable {
        /// It sends whole files only.
        case none
        /// One part for each request.
        case single
        /// So many parts in one answer.
        case several(Int)

        /// What a server is taken to give until it shows otherwise. More ranges in one request are taken for an attack.
        package static let expected = several(16)

        /// What a server may still give that did not give as many parts at once as it was asked for.
        package static func fewer(than asked: Int) -> Self { asked > 1 ? .single : .none }
    }

    package struct Costs: Sendable, Hashable {
        /// Bytes that could come in the time that a request takes.
        package var request: Int64
        /// Bytes that each part of an answer of several adds.
        package var part: Int64

        package init(request: Int64 = 64 << 10, part: Int64 = 256) {
            self.request = max(0, request)
            self.part = max(0, part)
        }
    }

    /// A patch that a server lists.
    package struct Patch: Sendable, Hashable {
        /// Of the whole file, in bytes.
        package let size: Int64
        /// What it consists of; nil as long as that is not known, when it is taken to give all that is missing.
        package let groups: [Group]?

        package init(size: Int64, groups: [Group]?) {
            self.size = size
            self.groups = groups
        }

        package struct Group: Sendable, Hashable {
            /// The contents that it gives, by their numbers.
            package let targets: [Int]
            /// Whether the contents of the old version that it starts from are there.
            package let isUsable: Bool
            /// The contents of the new version that it starts from, by their numbers: what is not there yet, earlier groups
            /// have to give.
            package let needs: [Int]
            /// Where its bytes are in the patch's file: those that were not used yet.
            package let range: Range<Int64>

            package init(targets: [Int], isUsable: Bool, needs: [Int] = [], range: Range<Int64>) {
                self.targets = targets
                self.isUsable = isUsable
                self.needs = needs
                self.range = range
            }
        }
    }

    /// What an earlier attempt made of the contents, by their numbers.
    package struct Progress: Sendable, Hashable {
        /// Those that need nothing more.
        package var complete: Set<Int>
        /// How many of the first bytes of others are there.
        package var begun: [Int: Int64]

        package init(complete: Set<Int> = [], begun: [Int: Int64] = [:]) {
            self.complete = complete
            self.begun = begun
        }
    }

    package var ranges: Ranges
    package var costs: Costs
    package var patches: [Patch]
    package var progress: Progress

    package init(ranges: Ranges, costs: Costs = Costs(), patches: [Patch] = [], progress: Progress = Progress()) {
        self.ranges = ranges
        self.costs = costs
        self.patches = patches
        self.progress = progress
    }
}

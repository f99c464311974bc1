// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// How a version of a pack is made from what is there and what is fetched.
package struct UpdatePlan: Hashable, Sendable {
    /// Where a content comes from.
    package enum Action: Hashable, Sendable {
        /// It is there, to be linked.
        case link(LocalContents.Source)
        /// It is put together from pieces, which come one behind the other.
        case rebuild([Piece])
        /// A patch gives it: a group of the patch, by its number; nil as long as the patch's groups are not known.
        case patch(group: Int?)
    }

    /// A part of a content.
    package enum Piece: Hashable, Sendable {
        /// To be copied from a local content.
        case local(LocalContents.Source, offset: Int64, size: Int64)
        /// To be taken from the fetched blocks: the part of the uncompressed stream.
        case stream(offset: Int64, size: Int64)
    }

    /// What is done for each of the target's contents, by its number; nil when the archive is fetched whole.
    package let actions: [Action]?
    /// The blocks to fetch; in order, with gaps between.
    package let blocks: [Range<Int>]
    /// The bytes of the archive that are these blocks.
    package let archiveRanges: [Range<Int64>]
    /// The patch to use, by its number in the facts, and the parts of its file to fetch, in order, with gaps between.
    package let patch: PatchUse?

    package struct PatchUse: Hashable, Sendable {
        package let number: Int
        package let groups: [Int]
        package let ranges: [Range<Int64>]
    }

    /// Bytes that come over the network.
    package let bytesToFetch: Int64
    package let requests: Int
    /// Bytes of files that are written; linked ones are not.
    package let bytesToWrite: Int64

    /// How the plan came to be, for a person.
    package var method: Method {
        guard actions != nil else { return .whole }
        if patch != nil { return blocks.isEmpty ? .patch : .patchAndBlocks }
        return blocks.isEmpty ? .nothing : .blocks
    }

    package enum Method: String, Sendable, CaseIterable {
        /// All is there.
        case nothing
        case patch
        case patchAndBlocks = "patch-and-blocks"
        case blocks
        case whole
    }
}

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
            /// Whether all that it starts from is there.
            package let isUsable: Bool
            /// Where its bytes are in the patch's file.
            package let range: Range<Int64>

            package init(targets: [Int], isUsable: Bool, range: Range<Int64>) {
                self.targets = targets
                self.isUsable = isUsable
                self.range = range
            }
        }
    }

    package var ranges: Ranges
    package var costs: Costs
    package var patches: [Patch]

    package init(ranges: Ranges, costs: Costs = Costs(), patches: [Patch] = []) {
        self.ranges = ranges
        self.costs = costs
        self.patches = patches
    }
}

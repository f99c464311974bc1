// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// How a version of a pack is made from what is there and what is fetched.
package struct UpdatePlan: Hashable, Sendable {
    /// Where a content comes from.
    package enum Action: Hashable, Sendable {
        /// It was made already.
        case done
        /// It is there, to be linked.
        case link(LocalContents.Source)
        /// It is put together from pieces, which come one behind the other; of one that was begun, those that are missing.
        case rebuild([Piece])
        /// A patch gives it: a group of the patch, by its number; nil as long as the patch's groups are not known.
        case patch(group: Int?)
    }

    /// A part of a content.
    package enum Piece: Hashable, Sendable {
        /// To be copied from a local content.
        case local(LocalContents.Source, offset: Int64, size: Int64)
        /// To be copied from a content of the new version, by its number: one that is made before, or what comes before in the
        /// same.
        case made(content: Int, offset: Int64, size: Int64)
        /// To be taken from the fetched blocks: the part of the uncompressed stream.
        case stream(offset: Int64, size: Int64)

        /// In bytes.
        package var size: Int64 {
            switch self {
            case .local(_, _, let size), .made(_, _, let size), .stream(_, let size): size
            }
        }
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

    /// How many contents are written; nil when the archive is fetched whole.
    package var changedContents: Int? {
        actions?.count { action in
            switch action {
            case .done, .link: false
            case .rebuild, .patch: true
            }
        }
    }

    /// The contents that are put together of blocks, by their numbers; all when the archive is fetched whole.
    /// - Parameter index: of the wanted version.
    package func rebuilt(of index: PackIndex) -> Set<Int> {
        guard let actions else { return Set(index.contents.indices) }
        return Set(
            actions.indices.filter {
                if case .rebuild = actions[$0] { true } else { false }
            })
    }

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

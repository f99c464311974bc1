// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto

/// What a patch is applied to: takes contents of the new version, and gives those and ones of the old version. All calls
/// come on the thread that feeds; what a call throws ends the applying and comes out of `take`.
package protocol PatchSink: AnyObject {
    /// A content of the old version, or one that came to its `end`, open; nil when there is none, or it is damaged: the group
    /// fails, and the rest goes on.
    func base(_ base: PatchTable.Base) throws -> PatchBase.Part?

    /// The bytes of a content follow, from an offset on: other than 0 only when the applying goes on from a position, and
    /// the bytes before were taken then.
    func begin(content: Int, at offset: Int64) throws

    /// The next bytes of the content; never empty.
    func data(_ bytes: UnsafeRawBufferPointer) throws

    /// The content is complete, and whoever has all of its bytes says whether its digest is that of the index. One that is
    /// not fails. A sink that finds out later returns true, and takes it for failed itself then.
    func end(content: Int) throws -> Bool

    /// The patch cannot give this content; what was given of it is void. It has to be had in another way.
    func fail(content: Int, because reason: any Error) throws

    /// The applying can go on from here: everything before was handed over.
    func reached(_ position: PatchPosition) throws
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Crypto
internal import HTTP
internal import HostingModel
internal import System

/// Where the bytes are: parts of uploads first, then archives by their digest.
///
/// A folder is one (`FolderBlobStore`); a store that many hosts share joins here. Calls without `async` are quick enough
/// for a server's own thread; those with it block elsewhere.
protocol BlobStore: Sendable {
    /// Makes a place for an upload's parts.
    /// - Throws: `Errno`
    func open(_ upload: String) async throws

    /// Begins to take a part of an upload.
    /// - Throws: `Errno`; `noSuchFileOrDirectory` for an upload that is not open.
    func beginPart(of upload: String, _ part: UploadPlan.Part) throws -> any PartReceiver

    /// The parts of an upload that are there, with their MD5 in hexadecimal digits.
    /// - Throws: `Errno`
    func parts(of upload: String) async throws -> [Int: String]

    /// Puts the parts together to one file, for its check. Repeated after a failure it begins anew.
    /// - Throws: `Errno`, `HostingError` when a part is missing.
    func assemble(_ upload: String, _ plan: UploadPlan, file: WantedDigests) async throws -> AssembledUpload

    /// Keeps an assembled file under its digest for good.
    /// - Throws: `Errno`
    func keep(_ assembled: AssembledUpload, as digest: Digest) async throws

    /// Forgets an upload's parts, and what was put together from them.
    func discard(_ upload: String) async

    /// The archive of that digest, open; nil when there is none.
    /// - Throws: `Errno`
    func archive(_ digest: Digest) async throws -> ServedFile?
}

/// Takes the body of one part.
protocol PartReceiver: HTTPBodyReceiver {
    /// Makes the part one of its upload's, in place of an earlier one of that number; its MD5 in hexadecimal digits.
    /// - Throws: `Errno`; `PartLengthError`
    func finish() async throws -> String
}

/// A part has another length than was agreed.
struct PartLengthError: Error {
    let expected: Int64
    let actual: Int64
}

/// Which digests of a whole file are to be taken while it is put together.
struct WantedDigests: Sendable {
    var md5 = false
    var sha256 = false
}

/// A whole uploaded file that nobody has looked into yet.
struct AssembledUpload: Sendable {
    let path: FilePath
    let size: Int64
    let md5: [UInt8]?
    let sha256: [UInt8]?
    /// The MD5 of all parts' MD5s, in their order.
    let compositeMD5: [UInt8]
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Crypto
internal import HTTP
internal import HostingModel
internal import System

/// Where the bytes are: parts of uploads first, then archives by their digest.
///
/// A folder is one (`FolderBlobStore`), and so is a bucket that many hosts share (`S3BlobStore`). Calls without `async` are
/// quick enough for a server's own thread; those with it block elsewhere. All throw `Errno` or `ObjectStorageError` when the
/// store cannot do its work.
protocol BlobStore: Sendable {
    /// Makes a place for an upload's parts.
    func open(_ upload: String) async throws

    /// Where the parts of an upload are sent to, by their numbers; nil when the host takes them itself.
    /// - Parameter seconds: how long the addresses are to be good for.
    func addresses(of upload: String, _ plan: UploadPlan, seconds: Int64) async throws -> [Int: String]?

    /// Begins to take a part of an upload.
    /// - Throws: `Errno`; `noSuchFileOrDirectory` for an upload that is not open here.
    func beginPart(of upload: String, _ part: UploadPlan.Part) throws -> any PartReceiver

    /// The parts of an upload that are there whole, with their MD5 in hexadecimal digits.
    func parts(of upload: String, _ plan: UploadPlan) async throws -> [Int: String]

    /// Puts the parts together to one file on this machine, for its check. Repeated after a failure it begins anew.
    /// - Throws: `HostingError` with code `uploadLost` when a part is missing.
    func assemble(_ upload: String, _ plan: UploadPlan, file: WantedDigests) async throws -> AssembledUpload

    /// Keeps an assembled file under its digest for good.
    func keep(_ assembled: AssembledUpload, as digest: Digest) async throws

    /// Keeps a file that was made on this machine for good, beside the archives; it may be gone from where it was.
    func keep(_ made: MadeFile) async throws

    /// The kept file of that digest on this machine, to be read; nil when there is none.
    /// - Parameter folder: where it is brought to when it is elsewhere.
    func file(of digest: Digest, in folder: FilePath) async throws -> FilePath?

    /// Forgets an upload's parts, and what was put together from them.
    func discard(_ upload: String) async

    /// The archive of that digest, for a GET or HEAD request; nil when there is none.
    func archive(_ digest: Digest, for method: String) async throws -> KeptArchive?

    /// Looks whether the store is there and can be used.
    func probe() async throws

    // MARK: Sweeping

    /// What there is of uploads.
    func uploads() async throws -> [KeptUpload]

    /// All archives, with their sizes in bytes.
    func archives() async throws -> [(digest: Digest, size: Int64)]

    /// Removes an archive; one that is not there is no error.
    func remove(_ digest: Digest) async throws
}

/// What a store holds of an upload.
struct KeptUpload: Sendable {
    let id: String
    /// When something last came, in seconds since 1970.
    let changed: Int64
    /// In bytes.
    let size: Int64
}

/// How a device gets an archive.
enum KeptArchive: Sendable {
    /// From the host.
    case file(ServedFile)
    /// From an address that is good for a while.
    case address(String)
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
    let upload: String
    let path: FilePath
    let size: Int64
    let md5: [UInt8]?
    let sha256: [UInt8]?
    /// The MD5 of all parts' MD5s, in their order.
    let compositeMD5: [UInt8]
    /// What the store calls exactly these bytes; nil where the path says it all.
    var entityTag: String?
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Crypto
internal import HostingModel
internal import Kit

/// The checksums that an uploader sends along: of the whole file, and of its parts' checksums.
struct UploadChecksums: Sendable {
    private static let names = ["sourceFileChecksum", "sourceFileChecksums"]
    private var values: [String: JSONValue] = [:]

    /// Reads those of a stored file.
    init(_ file: ResourceRecord) {
        for name in Self.names { values[name] = file[name] }
    }

    /// - Throws: `APIError` for what is no checksum.
    init(_ body: RequestDocument) throws(APIError) {
        for name in Self.names { values[name] = body.value(name) }
        if let value = values["sourceFileChecksum"], bytes(value, count: MD5.byteCount) == nil {
            throw .attribute(
                "INVALID", "sourceFileChecksum", "'sourceFileChecksum' must be an MD5 in hexadecimal digits.")
        }
        guard let both = values["sourceFileChecksums"] else { return }
        if let file = both["file"], file != .null {
            guard let count = Self.sizes[file["algorithm"]?.stringValue ?? ""],
                bytes(file["hash"], count: count) != nil
            else {
                throw .attribute(
                    "INVALID", "sourceFileChecksums/file",
                    "'file' needs an 'algorithm', MD5 or SHA_256, and a 'hash' in hexadecimal digits.")
            }
        }
        if let composite = both["composite"], composite != .null {
            guard composite["algorithm"]?.stringValue == "MD5", compositeBytes(composite["hash"]) != nil else {
                throw .attribute(
                    "INVALID", "sourceFileChecksums/composite",
                    "'composite' needs the 'algorithm' MD5 and a 'hash' in hexadecimal digits.")
            }
        }
    }

    private static let sizes = ["MD5": MD5.byteCount, "SHA_256": Digest.byteCount]

    private func bytes(_ value: JSONValue?, count: Int) -> [UInt8]? {
        guard let bytes = value?.stringValue.flatMap({ Hexadecimal.decode($0) }), bytes.count == count else {
            return nil
        }
        return bytes
    }

    /// As the stores of the cloud write them, a composite may end in a dash and the number of parts.
    private func compositeBytes(_ value: JSONValue?) -> [UInt8]? {
        bytes((value?.stringValue?.prefix { $0 != "-" }).map { .string(String($0)) }, count: MD5.byteCount)
    }

    func store(in file: inout ResourceRecord) {
        for (name, value) in values { file[name] = value }
    }

    private var file: (algorithm: String, hash: JSONValue?)? {
        guard let file = values["sourceFileChecksums"]?["file"], let name = file["algorithm"]?.stringValue else {
            return nil
        }
        return (name, file["hash"])
    }

    /// What has to be computed to compare them.
    var wanted: WantedDigests {
        WantedDigests(
            md5: values["sourceFileChecksum"] != nil || file?.algorithm == "MD5", sha256: file?.algorithm == "SHA_256")
    }

    /// What does not agree, as a sentence; nil when all does.
    func difference(from assembled: AssembledUpload) -> String? {
        func differs(_ promised: JSONValue?, _ actual: [UInt8]?) -> Bool {
            bytes(promised, count: actual?.count ?? 0) != actual
        }
        if let old = values["sourceFileChecksum"], differs(old, assembled.md5) {
            return "The file's MD5 is not the one in 'sourceFileChecksum'."
        }
        if let file, differs(file.hash, file.algorithm == "MD5" ? assembled.md5 : assembled.sha256) {
            return "The file's \(file.algorithm) checksum is not the one in 'sourceFileChecksums'."
        }
        if let composite = values["sourceFileChecksums"]?["composite"]?["hash"],
            compositeBytes(composite) != assembled.compositeMD5
        {
            return "The composite checksum of the parts is not the one in 'sourceFileChecksums'."
        }
        return nil
    }
}

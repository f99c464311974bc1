// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit
import System

/// Certificate authorities that downloads trust besides the system's: PEM files in `<state>/trust`.
struct TrustStore: Sendable {
    /// The largest file taken, in bytes.
    static let sizeLimit = 256 << 10

    let folder: FilePath

    init(_ paths: LarderPaths) { folder = paths.trust }

    /// - Throws: `DeviceError` with code `badSetting` when the name or the PEM text will not do.
    func add(name: String, pem: String) async throws {
        let file = try path(of: name)
        guard pem.utf8.count <= Self.sizeLimit else {
            throw DeviceError(.badSetting, "The certificate file has more than \(Self.sizeLimit) bytes.")
        }
        let certificates = Self.certificates(in: pem)
        guard !certificates.isEmpty else {
            throw DeviceError(
                .badSetting,
                "There is no certificate in the text. It must hold -----BEGIN CERTIFICATE----- … in PEM form.")
        }
        let folder = folder
        try await offload {
            try FileDescriptor.currentDirectory.makeDirectories(at: folder, permissions: .directoryPrivate)
            // Only the certificates are kept: a private key pasted along does not belong here.
            try AtomicFile.write(Array(certificates.joined().utf8), to: file, durable: true)
        }
    }

    /// The names, in order.
    func names() async throws -> [String] {
        let folder = folder
        return try await offload {
            do {
                return try FileDescriptor.currentDirectory.entries(at: folder).map(\.name)
                    .filter { $0.hasSuffix(".pem") && !$0.hasPrefix(".") }.map { String($0.dropLast(4)) }
            } catch Errno.noSuchFileOrDirectory {
                return []
            }
        }
    }

    /// - Throws: `DeviceError` when there is none of that name.
    func remove(name: String) async throws {
        let file = try path(of: name)
        try await offload {
            do {
                try FileDescriptor.currentDirectory.remove(at: file)
            } catch Errno.noSuchFileOrDirectory {
                throw DeviceError(
                    .authorityNotFound, "No authority is called \"\(name)\". `larder trust list` shows what there is.")
            }
        }
    }

    private func path(of name: String) throws -> FilePath {
        let isPlain = name.utf8.allSatisfy {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || [0x2D, 0x2E, 0x5F].contains($0)
        }
        guard isPlain, !name.isEmpty, name.utf8.count <= 100, !name.hasPrefix(".") else {
            throw DeviceError(
                .badSetting,
                "\"\(name)\" is no name for an authority. Use letters, digits, hyphens, dots and underscores.")
        }
        return folder.appending("\(name).pem")
    }

    private static func certificates(in pem: String) -> [String] {
        let begin = "-----BEGIN CERTIFICATE-----"
        let end = "-----END CERTIFICATE-----"
        var result: [String] = []
        var rest = pem[...]
        while let start = rest.utf8.firstOccurrence(of: begin.utf8),
            let stop = rest[start.upperBound...].utf8.firstOccurrence(of: end.utf8)
        {
            result.append(rest[start.lowerBound..<stop.upperBound] + "\n")
            rest = rest[stop.upperBound...]
        }
        return result
    }
}

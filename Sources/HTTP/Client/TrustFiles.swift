// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import CCurlShim
internal import Kit
internal import System

/// Where the system keeps the authorities it trusts, as libcurl was built to find them.
enum SystemTrust {
    /// A folder with one file per authority, named by hash; nil when the system keeps none.
    static let hashedFolder: String? = {
        guard let path = larder_curl_authority_folder().map({ String(cString: $0) }),
            let names = try? TrustFiles.names(in: FilePath(path)), names.contains(where: { $0.hasSuffix(".0") })
        else { return nil }
        return path
    }()

    /// One file with all of them.
    static var bundle: FilePath? {
        larder_curl_authority_bundle().map { FilePath(String(cString: $0)) }
    }
}

/// Files of additional certificates to trust.
enum TrustFiles {
    /// The PEM text of all of them; empty when there are none.
    static func load(_ paths: [FilePath]) throws(HTTPClientError) -> [UInt8] {
        var text: [UInt8] = []
        for path in paths {
            for file in try files(at: path) {
                guard let bytes = try contents(file) else { continue }
                guard bytes.firstOccurrence(of: "-----BEGIN CERTIFICATE-----".utf8) != nil else {
                    throw HTTPClientError(
                        .badTrust,
                        "\(file) holds no certificate in PEM form. Remove it from the trusted certificates, or replace it."
                    )
                }
                text += bytes + [UInt8(ascii: "\n")]
            }
        }
        return text
    }

    private static func files(at path: FilePath) throws(HTTPClientError) -> [FilePath] {
        do {
            return try names(in: path).filter { $0.hasSuffix(".pem") || $0.hasSuffix(".crt") }
                .map { path.appending($0) }
        } catch Errno.notDirectory {
            return [path]
        } catch Errno.noSuchFileOrDirectory {
            return []
        } catch {
            throw unreadable(path, error)
        }
    }

    private static func contents(_ file: FilePath) throws(HTTPClientError) -> [UInt8]? {
        do {
            return try read(file)
        } catch Errno.noSuchFileOrDirectory {
            return nil
        } catch {
            throw unreadable(file, error)
        }
    }

    private static func unreadable(_ path: FilePath, _ error: any Error) -> HTTPClientError {
        HTTPClientError(.badTrust, "The trusted certificates in \(path) cannot be read.", cause: error)
    }

    /// A file of certificates; none has 4 MiB.
    static func read(_ path: FilePath) throws -> [UInt8] { try File.read(path, limit: 4 << 20) }

    /// The names in a folder.
    static func names(in folder: FilePath) throws -> [String] {
        let directory = try OwnedDescriptor(folder, .readOnly, options: .directory)
        return try directory.borrowed.entries().map(\.name)
    }
}

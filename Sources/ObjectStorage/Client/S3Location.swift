// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import HTTP
internal import Kit
package import System

/// Where objects are kept: a bucket, or a part of one, of a service that speaks S3.
package struct S3Location: Hashable, Sendable, CustomStringConvertible {
    package let bucket: String
    /// Begins every key; empty, or with a slash at its end.
    package let prefix: String
    package let region: String
    /// The service's address, `https://s3.example.com`; plain http on this machine alone.
    let endpoint: String
    /// The same as others reach it, who are given signed addresses.
    let publicEndpoint: String
    /// Whether the bucket stands in the path rather than in the host's name.
    let usesPathStyle: Bool
    /// A file of certificates to trust besides the system's.
    package let authority: FilePath?

    /// `s3://bucket/prefix`
    package var description: String { "s3://\(bucket)\(prefix.isEmpty ? "" : "/" + prefix.dropLast())" }

    /// The arguments of a setting.
    private static let names = ["endpoint", "region", "public", "style", "authority"]

    /// Reads `s3://bucket/prefix?endpoint=https://s3.example.com&region=eu-central-1`. Further arguments: `public`, the service's
    /// address for others; `style`, `path` or `host`; `authority`, a file of certificates to trust.
    /// - Throws: `ObjectStorageError`, which says what is wrong with it.
    package init(setting: String) throws(ObjectStorageError) {
        func bad(_ what: String) -> ObjectStorageError {
            ObjectStorageError(
                .badSetting,
                "The storage \"\(setting.prefix(200))\" \(what). An example: "
                    + "s3://bucket/prefix?endpoint=https://s3.example.com&region=eu-central-1")
        }
        guard setting.hasPrefix("s3://") else { throw bad("does not begin with s3://") }
        let halves = setting.dropFirst(5).split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let segments = halves[0].split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        bucket = segments[0]
        guard (1...63).contains(bucket.utf8.count), Self.isName(bucket) else { throw bad("names no bucket") }
        var path = segments.dropFirst()
        if path.last == "" { path = path.dropLast() }
        guard path.allSatisfy({ !$0.isEmpty && Self.isName($0) }), halves[0].utf8.count <= 512 else {
            throw bad("has a prefix with other characters than letters, digits, dots, dashes and underscores")
        }
        prefix = path.map { $0 + "/" }.joined()
        var arguments: [String: String] = [:]
        for argument in halves.count > 1 ? halves[1].split(separator: "&") : [] {
            let words = argument.split(separator: "=", maxSplits: 1).map(String.init)
            guard words.count == 2, Self.names.contains(words[0]), arguments[words[0]] == nil else {
                throw bad("has \"\(argument.prefix(40))\", where only \(Self.names.joined(separator: ", ")) may stand")
            }
            arguments[words[0]] = words[1]
        }
        region = arguments["region"] ?? "us-east-1"
        guard Self.isName(region) else { throw bad("names no region") }
        switch arguments["style"] {
        case "path": usesPathStyle = true
        case "host": usesPathStyle = false
        // A name with dots does not fit the certificates of Amazon's hosts; other services seldom have a name for each bucket.
        case nil: usesPathStyle = arguments["endpoint"] != nil || bucket.contains(".")
        default: throw bad("has a style that is neither path nor host")
        }
        guard let endpoint = Self.address(arguments["endpoint"] ?? "https://s3.\(region).amazonaws.com") else {
            throw bad(
                "needs an endpoint as https://s3.example.com, without a path; plain http is for this machine alone")
        }
        self.endpoint = endpoint
        guard let publicEndpoint = arguments["public"].map({ Self.address($0) }) ?? endpoint else {
            throw bad(
                "needs a public address as https://s3.example.com, without a path; plain http is for this machine alone"
            )
        }
        self.publicEndpoint = publicEndpoint
        if let authority = arguments["authority"] {
            guard authority.hasPrefix("/") else { throw bad("names an authority without its whole path") }
            self.authority = FilePath(authority)
        } else {
            authority = nil
        }
    }

    private static func isName(_ text: String) -> Bool {
        text != "." && text != ".." && !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    private static let schemes = ["https", "http"]

    /// An https address without a path, or a plain one of this machine, without a slash at its end; nil for any other.
    private static func address(_ url: String) -> String? {
        guard let scheme = schemes.first(where: { url.hasPrefix("\($0)://") }) else { return nil }
        var host = url.dropFirst(scheme.utf8.count + 3)
        if host.last == "/" { host.removeLast() }
        guard scheme == "https" || isLoopback(host) else { return nil }
        let isHost = host.utf8.allSatisfy { byte in
            byte > 0x20 && byte < 0x7F && !"/?#@\\\"<>".utf8.contains(byte)
        }
        return host.isEmpty || !isHost ? nil : "\(scheme)://\(host)"
    }

    private static func isLoopback(_ host: Substring) -> Bool {
        let name = host.hasPrefix("[") ? host.dropFirst().prefix { $0 != "]" } : host.prefix { $0 != ":" }
        return name == "localhost" || NetworkAddress(String(name))?.isLoopback == true
    }

    // MARK: Addresses

    /// Scheme, host and encoded path of an object; of the bucket itself without a key.
    func place(_ key: String?, isPublic: Bool = false) -> (scheme: String, host: String, path: String) {
        let words = (isPublic ? publicEndpoint : endpoint).split(separator: "/", maxSplits: 1)
        let (scheme, endpoint) = (String(words[0].dropLast()), words[1].dropFirst())
        let name = (key ?? "").split(separator: "/", omittingEmptySubsequences: false)
            .map { PercentEncoding.encode($0) }.joined(separator: "/")
        guard usesPathStyle else { return (scheme, "\(bucket).\(endpoint)", "/\(name)") }
        return (scheme, String(endpoint), "/\(PercentEncoding.encode(bucket))\(key == nil ? "" : "/\(name)")")
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import AppBundles
internal import HostingModel
internal import Kit

/// What a processed build holds, as devices are told of it.
enum BuildContent {
    /// As it is stored: everything but the address.
    static func json(_ build: HostedBuild) throws -> JSONValue { try JSONCoder.value(of: build) }

    /// The digest of a stored build's archive in hexadecimal digits; nil when it has no content.
    static func digest(of record: ResourceRecord) -> String? { record["content"]?["archive"]?["digest"]?.stringValue }

    /// The description of a stored build; nil when it has no content.
    static func build(of record: ResourceRecord, _ archives: ArchiveSigner) -> HostedBuild? {
        guard let content = record["content"],
            var build = try? JSONCoder.decode(HostedBuild.self, from: content)
        else { return nil }
        build.id = record.id
        build.archive.url = archives.url(of: build.archive.digest)
        return build
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import AppBundles
package import Kit
package import System

/// `AssetPackManifest.plist`: where an app's tagged packs are, and which are fetched first (BA 6.2). Without an address that
/// holds outside of the build's machine it is a template, to be filled in by who hosts the packs.
package struct AssetPackManifestPlist: Hashable, Sendable {
    package static let fileName = "AssetPackManifest.plist"
    package static let templateFileName = "AssetPackManifestTemplate.plist"

    /// In order of their identifiers.
    package let resources: [Resource]

    package init(resources: [Resource]) { self.resources = resources.sorted { $0.packID < $1.packID } }

    /// One pack.
    package struct Resource: Hashable, Sendable {
        /// `bundleKey`
        package let packID: String
        /// Absolute, or relative to the app's resources.
        package let url: String
        /// Whether the pack comes over the network.
        package let isStreamable: Bool
        package let contentHash: ContentHash?
        /// The sum of the files' sizes, in bytes.
        package let uncompressedSize: Int64?
        /// 1.0 for the initial installation, less for prefetching, nil on demand. The greater comes first.
        package let downloadPriority: Double?

        package init(
            packID: String, url: String, contentHash: ContentHash?, uncompressedSize: Int64?, downloadPriority: Double?
        ) {
            self.packID = packID
            self.url = url
            isStreamable = Self.isStreamable(url)
            self.contentHash = contentHash
            self.uncompressedSize = uncompressedSize
            self.downloadPriority = downloadPriority
        }
    }

    /// What tells one state of a pack from another.
    package struct ContentHash: Hashable, Sendable {
        package let strategy: String
        package let hash: String

        package init(strategy: String, hash: String) {
            self.strategy = strategy
            self.hash = hash
        }

        /// The time of the newest change to any of the pack's files, as Xcode writes it.
        package static func modificationTime(_ time: Timestamp) -> ContentHash {
            ContentHash(strategy: "modtime", hash: time.formatted)
        }
    }
}

extension AssetPackManifestPlist.Resource {
    fileprivate static func isStreamable(_ url: String) -> Bool { url.hasPrefix("http:") || url.hasPrefix("https:") }

    fileprivate init(_ value: PropertyListValue, _ place: String, _ reader: TagPropertyListReader) throws {
        let members = try reader.dictionary(value, place)
        packID = try reader.packID(try reader.string(members["bundleKey"], "\(place).bundleKey"), "\(place).bundleKey")
        url = try reader.string(members["URL"], "\(place).URL")
        switch members["isStreamable"] {
        case nil: isStreamable = Self.isStreamable(url)
        case .boolean(let flag): isStreamable = flag
        case .some(let other): throw reader.error("\(place).isStreamable", "must be a boolean and is \(other.kind)")
        }
        contentHash = try members["primaryContentHash"].map { value in
            let place = "\(place).primaryContentHash"
            let hash = try reader.dictionary(value, place)
            return AssetPackManifestPlist.ContentHash(
                strategy: try reader.string(hash["strategy"], "\(place).strategy"),
                hash: try reader.string(hash["hash"], "\(place).hash"))
        }
        uncompressedSize = try members["uncompressedSize"].map { value in
            guard case .integer(let size) = value, size >= 0 else {
                throw reader.error("\(place).uncompressedSize", "must be a whole number of bytes from 0 on")
            }
            return size
        }
        downloadPriority = try members["downloadPriority"].map { value in
            switch value {
            case .real(let number) where number.isFinite: return number
            case .integer(let number): return Double(number)
            default: throw reader.error("\(place).downloadPriority", "must be a number such as 0.5")
            }
        }
    }

    fileprivate var propertyList: PropertyListValue {
        var members: [String: PropertyListValue] = [
            "bundleKey": .string(packID), "URL": .string(url), "isStreamable": .boolean(isStreamable),
        ]
        if let contentHash {
            members["primaryContentHash"] = .dictionary([
                "strategy": .string(contentHash.strategy), "hash": .string(contentHash.hash),
            ])
        }
        if let uncompressedSize { members["uncompressedSize"] = .integer(uncompressedSize) }
        if let downloadPriority { members["downloadPriority"] = .real(downloadPriority) }
        return .dictionary(members)
    }
}

extension AssetPackManifestPlist: TagPropertyList {
    /// Reads the list of an app, or the template for it: only the addresses in that hold nowhere. Blocks.
    /// - Parameter folder: the root of the app's resources.
    /// - Returns: nil when there is neither.
    /// - Throws: `BundleError` or `ResourceTagsError`, which name the file.
    package init?(ofApp folder: FilePath) throws {
        let lists = [Self.fileName, Self.templateFileName].map { folder.appending($0) }
        guard let list = lists.first(where: { FileDescriptor.currentDirectory.exists(at: $0) }) else { return nil }
        try self.init(contentsOf: list)
    }

    package init(_ file: PropertyListFile) throws {
        let reader = TagPropertyListReader(source: file.path.string)
        var seen: Set<String> = []
        let resources = try reader.array(file.values["resources"], "resources").enumerated().map { index, value in
            let resource = try Resource(value, "resources[\(index)]", reader)
            guard seen.insert(resource.packID).inserted else {
                throw reader.error("resources[\(index)]", "is a second entry for the pack \"\(resource.packID)\"")
            }
            return resource
        }
        self.init(resources: resources)
    }

    package var propertyList: PropertyListValue {
        .dictionary(["resources": .array(resources.map(\.propertyList))])
    }
}

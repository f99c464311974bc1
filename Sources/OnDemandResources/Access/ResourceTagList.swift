// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Foundation
internal import Kit
internal import System

/// Which packs each tag of the app needs: `OnDemandResources.plist` (BA 6.2).
struct ResourceTagList: Sendable {
    static let fileName = "OnDemandResources.plist"

    let packs: [String: [String]]

    /// Reads the list of the installed app or, where that has none, of the bundle that this process lies in.
    /// - Throws: `NSBundleResourceRequestError`
    init(appRoot: FilePath, app: String) throws {
        let bundle = appRoot.appending("bundle").appending("current")
        let names = ((try? FileDescriptor.currentDirectory.entries(at: bundle)) ?? []).map(\.name)
        let installed = names.filter { $0.hasSuffix(".app") }.map { bundle.appending($0) }
        let places = installed + [Bundle.main.resourcePath].compactMap { $0.map { FilePath($0) } }
        let files = places.map { $0.appending(Self.fileName) }
        guard let file = files.first(where: { FileDescriptor.currentDirectory.exists(at: $0) }) else {
            throw NSBundleResourceRequestError(
                .noManifest,
                "No manifest found for bundle ID \(app): its bundle has no \(Self.fileName). “larder odr build” makes one."
            )
        }
        do {
            let data = try Data(contentsOf: URL(filePath: file.string))
            let list = try PropertyListDecoder().decode(Coded.self, from: data)
            packs = list.tags.mapValues(\.packs)
        } catch {
            throw NSBundleResourceRequestError(
                .noManifest,
                "\(file) cannot be read as a list of on-demand resources: \(error.clause). Build the resources again.")
        }
    }

    private struct Coded: Decodable {
        struct Tag: Decodable {
            var packs: [String]
            enum CodingKeys: String, CodingKey { case packs = "NSAssetPacks" }
        }
        var tags: [String: Tag]
        enum CodingKeys: String, CodingKey { case tags = "NSBundleResourceRequestTags" }
    }

    /// The packs of some tags.
    /// - Throws: `NSBundleResourceRequestError`
    func packs(of tags: Set<String>) throws -> Set<String> {
        let unknown = tags.filter { packs[$0] == nil }.sorted()
        guard unknown.isEmpty else {
            throw NSBundleResourceRequestError(
                .unknownTag,
                "The app has no resources with \(unknown.count == 1 ? "the tag" : "the tags") "
                    + "\(unknown.joined(separator: ", ")).")
        }
        return Set(tags.flatMap { packs[$0] ?? [] })
    }
}

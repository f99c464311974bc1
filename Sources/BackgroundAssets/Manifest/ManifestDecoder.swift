// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Foundation
internal import Kit

/// Reads the download manifest of self-hosted packs (BA 3.4). Keys it does not know are passed over.
struct ManifestDecoder {
    /// What errors call the manifest: its path, when it has one.
    let name: String
    let appGroupID: String

    /// The packs, and the language that Larder's own member names as the one to fall back to.
    /// - Throws: `BackgroundAssetsError`
    func read(_ data: Data) throws -> (packs: Set<AssetPack>, primaryLanguage: String?) {
        let root: JSONNode
        do {
            root = try JSONParser.parse(data)
        } catch {
            throw invalid("\(error)")
        }
        guard case .object = root.content else { throw unexpected(root, "the manifest", "an object") }
        guard let list = root["assetPacks"] else { throw missing("assetPacks", in: root) }
        guard case .array(let nodes) = list.content else { throw unexpected(list, "“assetPacks”", "an array") }
        var packs: [String: AssetPack] = [:]
        for node in nodes {
            let pack = try pack(node)
            guard packs.updateValue(pack, forKey: pack.id) == nil else {
                throw invalid("\(node.position): a second asset pack has the id “\(pack.id)”")
            }
        }
        var primary: String?
        if case .string(let tag)? = root["larder"]?["primaryLanguage"]?.content { primary = tag }
        return (Set(packs.values), primary)
    }

    private func pack(_ node: JSONNode) throws -> AssetPack {
        guard case .object = node.content else { throw unexpected(node, "an asset pack", "an object") }
        let id = try string("id", in: node)
        guard !id.isEmpty else { throw invalid("\(node.position): an asset pack has an empty id") }
        let url = try string("url", in: node)
        guard url.lowercased().hasPrefix("https://"), URL(string: url)?.host() != nil else {
            throw invalid("\(node["url"]?.position ?? node.position): “\(url)” is not an https URL")
        }
        var language: Locale.Language?
        if let node = node["language"], !node.isNull {
            guard case .string(let tag) = node.content else { throw unexpected(node, "“language”", "a string") }
            language = Locale.Language(identifier: tag)
        }
        var userInfo: Data?
        if let node = node["userInfo"], !node.isNull {
            guard case .object = node.content else { throw unexpected(node, "“userInfo”", "an object") }
            userInfo = Data(node.value.serialized().utf8)
        }
        return AssetPack(
            id: id, version: try count("version", in: node), downloadSize: try count("downloadSize", in: node),
            userInfo: userInfo, language: language, policy: try policy(in: node), source: url, appGroupID: appGroupID)
    }

    private func policy(in pack: JSONNode) throws -> DownloadPolicy {
        guard let node = pack["downloadPolicy"] else { throw missing("downloadPolicy", in: pack) }
        guard case .object(let members) = node.content, members.count == 1, let member = members.first else {
            throw unexpected(node, "“downloadPolicy”", "an object with one of “essential”, “prefetch” and “onDemand”")
        }
        switch member.key {
        case "onDemand": return .onDemand
        case "essential": return .essential(try events(in: member.value))
        case "prefetch": return .prefetch(try events(in: member.value))
        default:
            throw invalid(
                "\(member.keyPosition): “\(member.key)” is no download policy; use essential, prefetch or onDemand")
        }
    }

    private func events(in policy: JSONNode) throws -> Set<DownloadPolicy.InstallationEvent> {
        guard let list = policy["installationEventTypes"] else { throw missing("installationEventTypes", in: policy) }
        guard case .array(let nodes) = list.content else {
            throw unexpected(list, "“installationEventTypes”", "an array")
        }
        return Set(
            try nodes.map { node in
                guard case .string(let name) = node.content,
                    let event = DownloadPolicy.InstallationEvent(rawValue: name)
                else { throw unexpected(node, "an event", "“firstInstallation” or “subsequentUpdate”") }
                return event
            })
    }

    private func string(_ key: String, in object: JSONNode) throws -> String {
        guard let node = object[key] else { throw missing(key, in: object) }
        guard case .string(let value) = node.content else { throw unexpected(node, "“\(key)”", "a string") }
        return value
    }

    private func count(_ key: String, in object: JSONNode) throws -> Int {
        guard let node = object[key] else { throw missing(key, in: object) }
        guard case .integer(let value) = node.content, value >= 0, let count = Int(exactly: value) else {
            throw unexpected(node, "“\(key)”", "a whole number from 0")
        }
        return count
    }

    private func missing(_ key: String, in object: JSONNode) -> BackgroundAssetsError {
        invalid("\(object.position): the key “\(key)” is missing")
    }

    private func unexpected(_ node: JSONNode, _ what: String, _ expected: String) -> BackgroundAssetsError {
        invalid("\(node.position): \(what) should be \(expected), not \(node.kindName)")
    }

    private func invalid(_ reason: String) -> BackgroundAssetsError {
        BackgroundAssetsError(.invalidManifest, "\(name) is not a download manifest: \(reason).")
    }
}

extension JSONNode {
    fileprivate var isNull: Bool { if case .null = content { true } else { false } }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import Languages

extension PackManifest {
    package static let keys = [
        "assetPackID", "downloadPolicy", "fileSelectors", "language", "platforms", "sourceRoot", "userInfo",
    ]

    /// Reads and checks a manifest that a person wrote.
    /// - Parameter source: names the file in messages.
    /// - Throws: `AssetPackError` that names file, line and key.
    package static func decode(_ bytes: some Sequence<UInt8>, source: String) throws -> PackManifest {
        try PackManifest(bytes, ManifestReader(source: source, code: .invalidManifest, isStrict: true))
    }

    /// Reads a manifest out of an archive, whoever made it: unknown keys are passed over, selectors are not read.
    /// - Throws: `AssetPackError` that names file, line and key.
    package static func decodeArchived(_ bytes: some Sequence<UInt8>, source: String) throws -> PackManifest {
        try PackManifest(bytes, ManifestReader(source: source, code: .invalidManifest, isStrict: false))
    }

    private init(_ bytes: some Sequence<UInt8>, _ reader: ManifestReader) throws {
        let root = try reader.parse(bytes, allowsComments: true)
        let object = try reader.object(
            root, "", keys: Self.keys, example: "{\"assetPackID\": \"Tutorial\", ...}")
        assetPackID = try reader.assetPackID(try object.required("assetPackID", example: "\"Tutorial\""), "assetPackID")
        downloadPolicy = try reader.downloadPolicy(
            try object.required("downloadPolicy", example: "{\"onDemand\": {}}"), "downloadPolicy")
        fileSelectors =
            reader.isStrict
            ? try reader.fileSelectors(
                try object.required("fileSelectors", example: "[{\"directory\": \"Levels\"}]"), "fileSelectors") : []
        platforms = try object.optional("platforms").map { try reader.platforms($0, "platforms") } ?? []
        language = try object.optional("language").map { try reader.language($0, "language") }
        sourceRoot = try object.optional("sourceRoot").map { try reader.sourceRoot($0, "sourceRoot") }
        sourceRootPlace = object.optional("sourceRoot").map { "\(reader.place($0.position)): sourceRoot" }
        if let node = object.optional("userInfo") {
            guard case .object = node.content else {
                throw reader.error(
                    node.position, "userInfo must be an object such as {\"theme\": \"dark\"}, not \(node.kindName)")
            }
            userInfo = node.value
        } else {
            userInfo = nil
        }
        json = root.value
    }
}

extension ManifestReader {
    func assetPackID(_ node: JSONNode, _ what: String) throws -> String {
        let text = try string(node, what, example: "Tutorial")
        if let problem = AssetPackIdentifier.problem(with: text) {
            throw error(node.position, "\(what): \"\(text.prefix(160))\" \(problem)")
        }
        return text
    }

    func language(_ node: JSONNode, _ what: String) throws -> LanguageTag {
        let text = try string(node, what, example: "en-GB")
        do {
            return try LanguageTag(text)
        } catch let problem {
            let hint =
                problem.suggestion.map { "did you mean \"\($0)\"?" } ?? "write for example \"en\" or \"zh-Hant-TW\""
            throw error(node.position, "\(what): \"\(text)\" \(problem.reason); \(hint)")
        }
    }

    func downloadPolicy(_ node: JSONNode, _ what: String) throws -> DownloadPolicy {
        let example = "{\"prefetch\": {\"installationEventTypes\": [\"firstInstallation\", \"subsequentUpdate\"]}}"
        if case .string(let text) = node.content, DownloadPolicy.names.contains(text) {
            let right = text == "onDemand" ? "{\"onDemand\": {}}" : example.replacingEach("prefetch", with: text)
            throw error(node.position, "\(what) must be an object; write \(right)")
        }
        let object = try object(node, what, keys: DownloadPolicy.names, example: example)
        let known = object.members.filter { DownloadPolicy.names.contains($0.key) }
        guard let member = known.first, known.count == 1 else {
            let found = known.isEmpty ? "none" : Self.list(known.map(\.key))
            throw error(
                node.position,
                "\(what) must have exactly one of the keys \(Self.list(DownloadPolicy.names)), not \(found)")
        }
        let path = object.path(member.key)
        if member.key == "onDemand" {
            // Apple's tool for adapter packs writes null here (BA 3.1).
            if case .null = member.value.content, !isStrict { return .onDemand }
            _ = try self.object(member.value, path, keys: [], example: "{}")
            return .onDemand
        }
        let inner = try self.object(
            member.value, path, keys: ["installationEventTypes"],
            example: "{\"installationEventTypes\": [\"firstInstallation\"]}")
        let events = try eventTypes(
            try inner.required("installationEventTypes", example: "[\"firstInstallation\", \"subsequentUpdate\"]"),
            inner.path("installationEventTypes"))
        return member.key == "essential" ? .essential(events) : .prefetch(events)
    }

    private func eventTypes(_ node: JSONNode, _ what: String) throws -> Set<InstallationEventType> {
        var result: Set<InstallationEventType> = []
        for (index, element) in try array(node, what, example: "[\"firstInstallation\"]").enumerated() {
            let text = try string(element, "\(what)[\(index)]", example: "firstInstallation")
            if let event = InstallationEventType(rawValue: text) {
                result.insert(event)
            } else if isStrict {
                throw error(
                    element.position,
                    unknown(text, "\(what)[\(index)]", InstallationEventType.allCases.map(\.rawValue)))
            }
        }
        if isStrict, result.isEmpty {
            throw error(
                node.position,
                "\(what) is empty; name \"firstInstallation\", \"subsequentUpdate\" or both, or use the policy \"onDemand\""
            )
        }
        return result
    }

    func platforms(_ node: JSONNode, _ what: String) throws -> Set<AssetPackPlatform> {
        var result: Set<AssetPackPlatform> = []
        let known = AssetPackPlatform.allCases.map(\.rawValue)
        let elements = try array(node, what, example: "[\"iOS\", \"Linux\"]")
        for (index, element) in elements.enumerated() {
            let text = try string(element, "\(what)[\(index)]", example: "iOS")
            if let platform = AssetPackPlatform(rawValue: text) {
                result.insert(platform)
            } else if isStrict {
                let message =
                    text.lowercased() == "ipados"
                    ? "\(what)[\(index)]: \"\(text)\" is no platform; iPads take packs for \"iOS\""
                    : unknown(text, "\(what)[\(index)]", known)
                throw error(element.position, message)
            }
        }
        // An empty set means every platform, so one that only names systems of the future must not become empty.
        if result.isEmpty, !elements.isEmpty {
            throw error(node.position, "\(what) names no platform that is known here")
        }
        return result
    }

    func sourceRoot(_ node: JSONNode, _ what: String) throws -> String {
        let text = try string(node, what, example: "../Assets")
        if text.utf8.isEmpty {
            throw error(node.position, "\(what) is empty; write \".\" for the manifest's own folder")
        }
        if text.utf8.contains(0) { throw error(node.position, "\(what) holds a NUL character") }
        return text
    }

    private func unknown(_ text: String, _ what: String, _ known: [String]) -> String {
        let hint = Spelling.closest(to: text, among: known).map { "did you mean \"\($0)\"?" }
        return "\(what): there is no \"\(text)\"; \(hint ?? "known are \(Self.list(known))")"
    }
}

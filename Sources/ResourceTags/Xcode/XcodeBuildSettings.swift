// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// A target's build settings in one configuration, over those of the project.
struct XcodeBuildSettings {
    private struct Layer {
        let object: XcodeObject
        let values: [String: OldStylePropertyList.Node]
    }

    private var layers: [Layer] = []
    private let targetName: String
    /// Configuration files that settings come from, too, by their objects.
    private(set) var files: [XcodeObjects.Text] = []

    /// - Parameter configuration: its name; nil is what Xcode builds on the command line.
    /// - Throws: `ResourceTagsError`
    init(_ objects: XcodeObjects, target: XcodeObject, configuration: String?) throws {
        targetName = try target.text("name")?.value ?? ""
        for owner in [target, try objects.root] {
            guard let id = try owner.text("buildConfigurationList") else { continue }
            let list = try objects.object(id)
            let wanted = try configuration ?? list.text("defaultConfigurationName")?.value ?? "Release"
            var names: [String] = []
            var found: XcodeObject?
            for id in try list.texts("buildConfigurations") {
                let candidate = try objects.object(id)
                let name = try candidate.text("name")?.value ?? ""
                names.append(name)
                if name == wanted { found = candidate }
            }
            guard let found else {
                if configuration == nil { continue }
                let known = names.map { "\"\($0)\"" }.joined(separator: ", ")
                throw list.error(list.line, "has no configuration \"\(wanted)\" here, but \(known)")
            }
            layers.append(Layer(object: found, values: try found.dictionary("buildSettings")))
            if let file = try found.text("baseConfigurationReference") { files.append(file) }
        }
    }

    /// A setting's words and where they stand; nil when it is not set.
    func words(_ name: String) throws -> [XcodeObjects.Text]? {
        for layer in layers {
            guard let node = layer.values[name] else { continue }
            switch node.content {
            case .array: return try layer.object.texts(node, name)
            default:
                let text = try layer.object.text(node, name)
                return try Self.split(expand(text.value, 0)).map { .init(value: $0, line: text.line) }
            }
        }
        return nil
    }

    func text(_ name: String) throws -> String? {
        for layer in layers {
            if let node = layer.values[name] { return try expand(layer.object.text(node, name).value, 0) }
        }
        return nil
    }

    /// Settings of that name for some systems or architectures only.
    func conditional(_ name: String) -> [XcodeObjects.Text] {
        layers.flatMap { layer in
            layer.values.filter { $0.key.hasPrefix("\(name)[") }.map { .init(value: $0.key, line: $0.value.line) }
        }.sorted { $0.line < $1.line }
    }

    /// Puts settings in the place of `$(NAME)`; what is not known stays as it is.
    private func expand(_ text: String, _ depth: Int) throws -> String {
        guard depth < 16, text.utf8.count < 1 << 16 else { return text }
        var result = ""
        var rest = text[...]
        while let start = rest.utf8.firstIndex(of: UInt8(ascii: "$")) {
            result += rest[..<start]
            rest = rest[rest.utf8.index(after: start)...]
            let close: UInt8? =
                switch rest.utf8.first {
                case UInt8(ascii: "("): UInt8(ascii: ")")
                case UInt8(ascii: "{"): UInt8(ascii: "}")
                default: nil
                }
            guard let close, let end = rest.utf8.firstIndex(of: close) else {
                result += "$"
                continue
            }
            let name = String(rest[rest.utf8.index(after: rest.startIndex)..<end])
            result += try value(name, depth) ?? "$(\(name))"
            rest = rest[rest.utf8.index(after: end)...]
        }
        return result + rest
    }

    private func value(_ reference: String, _ depth: Int) throws -> String? {
        let parts = reference.split(separator: ":", maxSplits: 1)
        guard let name = parts.first.map(String.init) else { return nil }
        var value: String? = name == "TARGET_NAME" ? targetName : nil
        for layer in layers where value == nil {
            if let node = layer.values[name] {
                value = try expand(layer.object.text(node, name).value, depth + 1)
            }
        }
        // `PRODUCT_NAME:rfc1034identifier`
        guard parts.count == 2, let known = value else { return value }
        return String(known.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == ".") ? $0 : "-" })
    }

    /// Words between blanks, with quotes and backslashes as in a shell.
    static func split(_ text: String) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        var isEscaped = false
        for character in text {
            if isEscaped {
                word = (word ?? "") + String(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if let open = quote {
                if character == open { quote = nil } else { word = (word ?? "") + String(character) }
            } else if character == "\"" || character == "'" {
                quote = character
                word = word ?? ""
            } else if character.isWhitespace {
                if let word { words.append(word) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        if let word { words.append(word) }
        return words
    }
}

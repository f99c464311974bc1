// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// The objects of a `project.pbxproj`, which name each other by identifiers.
struct XcodeObjects {
    /// A text and where it stands.
    struct Text: Hashable {
        let value: String
        let line: Int
    }

    /// How messages name the file.
    let source: String
    private let objects: [String: OldStylePropertyList.Node]
    private let rootID: Text

    /// - Throws: `ResourceTagsError` that names file and line.
    init(_ bytes: [UInt8], source: String) throws {
        self.source = source
        if bytes.starts(with: "<?xml".utf8) || bytes.starts(with: "bplist".utf8) {
            throw Self.error(
                source, 1,
                "is no property list in the old style. Open the project in Xcode, change something and save it")
        }
        let root: OldStylePropertyList.Node
        do {
            root = try OldStylePropertyList.parse(bytes)
        } catch let problem as OldStylePropertyList.Problem {
            throw Self.error(source, problem.line, problem.reason)
        }
        guard case .dictionary(let members) = root.content,
            case .dictionary(let objects)? = members["objects"]?.content,
            let rootObject = members["rootObject"], case .string(let rootID) = rootObject.content
        else {
            throw Self.error(source, root.line, "has no \"objects\" with a \"rootObject\": this is no Xcode project")
        }
        self.objects = objects
        self.rootID = Text(value: rootID, line: rootObject.line)
    }

    /// The project.
    var root: XcodeObject { get throws { try object(rootID) } }

    /// nil when nothing has the identifier, or what has it is no object.
    func known(_ id: String) -> XcodeObject? {
        guard let node = objects[id], case .dictionary(let members) = node.content,
            case .string(let kind)? = members["isa"]?.content
        else { return nil }
        return XcodeObject(source: source, id: id, kind: kind, line: node.line, members: members)
    }

    func object(_ id: Text) throws -> XcodeObject {
        if let object = known(id.value) { return object }
        throw Self.error(
            source, id.line, "names the object \"\(id.value.prefix(80))\", which the project does not have")
    }

    static func error(_ source: String, _ line: Int, _ reason: String) -> ResourceTagsError {
        ResourceTagsError(.badProject, "\(source):\(line): the file \(reason).")
    }
}

/// One object of a project.
struct XcodeObject {
    typealias Node = OldStylePropertyList.Node
    typealias Text = XcodeObjects.Text

    let source: String
    let id: String
    /// `isa`
    let kind: String
    let line: Int
    let members: [String: Node]

    func error(_ line: Int, _ reason: String) -> ResourceTagsError { XcodeObjects.error(source, line, reason) }

    func text(_ key: String) throws -> Text? {
        guard let node = members[key] else { return nil }
        return try text(node, key)
    }

    /// A list's texts; none when the key is absent.
    func texts(_ key: String) throws -> [Text] { try members[key].map { try texts($0, key) } ?? [] }

    func dictionary(_ key: String) throws -> [String: Node] {
        guard let node = members[key] else { return [:] }
        guard case .dictionary(let members) = node.content else { throw wrong(node, key, "a dictionary") }
        return members
    }

    func text(_ node: Node, _ key: String) throws -> Text {
        guard case .string(let value) = node.content else { throw wrong(node, key, "a string") }
        return Text(value: value, line: node.line)
    }

    func texts(_ node: Node, _ key: String) throws -> [Text] {
        guard case .array(let elements) = node.content else { throw wrong(node, key, "an array") }
        return try elements.map { try text($0, key) }
    }

    private func wrong(_ node: Node, _ key: String, _ wanted: String) -> ResourceTagsError {
        error(node.line, "has \(node.kind) as \"\(key)\", where \(wanted) must stand")
    }

    /// Tags among these texts, checked.
    func tags(_ texts: [Text], _ key: String) throws -> [String] {
        try texts.map { text in
            if let problem = ResourceTag.problem(with: text.value) {
                throw error(text.line, "has a tag \"\(text.value.prefix(80))\" in \"\(key)\", which \(problem)")
            }
            return text.value
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import AssetPacks
import Kit
import System

extension PackCommands {
    static let list = Command(
        "list", summary: "Show what is in an archive",
        discussion: """
            Reads any Apple Archive, pack or not. With -v each entry is shown with all its fields, as Apple's aa list -v does; \
            control characters in names are shown as escapes.
            """,
        examples: [
            .init("ba-package list Tutorial.aar", "prints the paths"),
            .init("ba-package list -v Tutorial.aar", "prints types, modes and sizes too"),
        ],
        options: [.flag("verbose", short: "v", "Show all fields."), .json],
        arguments: [CommandArgument("archive", "The archive, usually an .aar file.", completion: .file)]
    ) { arguments, context in
        let path = context.resolve(try arguments.requiredArgument("archive"))
        let isVerbose = arguments.flag("verbose")
        let isEmpty = try await offloadCancellable { isCancelled in
            var isEmpty = true
            try PackInspector.forEachEntry(of: path) { entry in
                if isCancelled() { throw CancellationError() }
                isEmpty = false
                if context.json {
                    context.print(json: EntryLine.json(entry))
                } else if isVerbose {
                    context.print(EntryLine.verbose(entry))
                } else {
                    context.print(PackSupport.printable(entry.path.isEmpty ? "." : entry.path))
                }
            }
            return isEmpty
        }
        if isEmpty { context.note(PackSupport.emptyArchive(path)) }
        return .success
    }
}

/// One entry of an archive as a line of output.
enum EntryLine {
    /// As Apple's `aa list -v` writes it: type, then `KEY=value` in the usual order, blobs as `KEY[size]`.
    static func verbose(_ entry: EntryHeader) -> String {
        var words = [PackSupport.printable(entry.type.description), "PAT=\(PackSupport.printable(entry.path))"]
        if let target = entry.linkTarget { words.append("LNK=\(PackSupport.printable(target))") }
        if let user = entry.userID { words.append("UID=\(user)") }
        if let group = entry.groupID { words.append("GID=\(group)") }
        if let mode = entry.mode { words.append("MOD=" + padded(String(mode, radix: 8), 5)) }
        if let flags = entry.flags { words.append("FLG=0x" + padded(String(flags, radix: 16), 8)) }
        if let time = entry.creationTime { words.append("CTM=\(text(time))") }
        if let time = entry.modificationTime { words.append("MTM=\(text(time))") }
        words += entry.blobs.map { "\($0.key)[\($0.size)]" }
        if let cluster = entry.hardLinkCluster { words.append("HLC=\(cluster)") }
        words += entry.otherFields.map { field in
            switch field.value {
            case .flag: "\(field.key)"
            case .unsigned(let number): "\(field.key)=\(number)"
            case .string(let bytes): "\(field.key)=\(PackSupport.printable(String(decoding: bytes, as: UTF8.self)))"
            case .hash(let bytes): "\(field.key)=" + bytes.map { padded(String($0, radix: 16), 2) }.joined()
            case .time(let time): "\(field.key)=\(text(time))"
            case .blob(let size): "\(field.key)[\(size)]"
            }
        }
        return words.joined(separator: " ")
    }

    static func json(_ entry: EntryHeader) -> JSONValue {
        var members: [String: JSONValue] = ["path": .string(entry.path), "type": .string(entry.type.name)]
        if entry.hasData { members["size"] = .integer(Int64(clamping: entry.dataSize)) }
        members["link"] = entry.linkTarget.map { .string($0) }
        members["mode"] = entry.mode.map { .string(padded(String($0, radix: 8), 4)) }
        members["userID"] = entry.userID.map { .integer(Int64(clamping: $0)) }
        members["groupID"] = entry.groupID.map { .integer(Int64(clamping: $0)) }
        members["modificationTime"] = entry.modificationTime.map { .string(text($0)) }
        members["creationTime"] = entry.creationTime.map { .string(text($0)) }
        members["hardLinkCluster"] = entry.hardLinkCluster.map { .integer(Int64(clamping: $0)) }
        return .object(members)
    }

    private static func text(_ time: Timestamp) -> String { "\(time.seconds).\(padded(String(time.nanoseconds), 9))" }

    private static func padded(_ digits: String, _ width: Int) -> String {
        String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

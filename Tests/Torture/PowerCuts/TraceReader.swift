// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Reads what `strace -f -y -xx` wrote of one program into operations: each counts from the moment its call returned. What
/// programs that it started did is left out.
struct TraceReader {
    /// An operation, and where in the trace it ends.
    struct Entry: Sendable {
        var operation: DiskOperation
        var end: Int
    }

    struct Damaged: Error, CustomStringConvertible {
        let description: String
    }

    static let calls = [
        "openat", "write", "pwrite64", "writev", "pwritev", "pwritev2", "lseek", "ftruncate", "fallocate",
        "copy_file_range", "fsync", "fdatasync", "syncfs", "rename", "renameat", "renameat2", "link", "linkat",
        "symlink",
        "symlinkat", "unlink", "unlinkat", "rmdir", "mkdir", "mkdirat", "clone", "clone3", "fork", "vfork",
    ]

    private(set) var entries: [Entry] = []
    /// Beginnings of calls that have not returned, by thread.
    private var unfinished: [Substring: Substring] = [:]
    /// Threads of the program itself.
    private var threads: Set<Substring> = []
    private var offsets: [Int: Int] = [:]
    private var appending: Set<Int> = []

    init(_ trace: String) throws {
        let lines = trace.split(separator: "\n", omittingEmptySubsequences: false)
        // A thread may say something before the call that made it returns.
        var made: [(by: Substring, thread: Substring)] = []
        for line in lines {
            guard let (thread, text) = finished(line), text.hasPrefix("clone"), text.contains("CLONE_THREAD"),
                let call = TraceCall(text)
            else { continue }
            made.append((thread, Substring("\(call.result)")))
        }
        threads = lines.first.map { [$0.prefix { $0 != " " }] } ?? []
        while true {
            let more = Set(made.filter { threads.contains($0.by) }.map(\.thread)).subtracting(threads)
            if more.isEmpty { break }
            threads.formUnion(more)
        }
        unfinished = [:]
        var position = 0
        for line in lines {
            position += line.utf8.count + 1
            guard let (thread, text) = finished(line), threads.contains(thread), let call = TraceCall(text),
                call.result >= 0
            else { continue }
            for operation in try operations(call) { entries.append(Entry(operation: operation, end: position)) }
        }
    }

    /// A thread, and its call once that has returned.
    private mutating func finished(_ line: Substring) -> (thread: Substring, call: Substring)? {
        guard let space = line.firstIndex(of: " ") else { return nil }
        let thread = line[..<space]
        let text = line[space...].drop { $0 == " " }
        if let cut = text.firstRange(of: " <unfinished ...>") {
            unfinished[thread] = text[..<cut.lowerBound]
            return nil
        }
        guard text.hasPrefix("<... "), let rest = text.firstRange(of: " resumed>") else { return (thread, text) }
        return (thread, (unfinished.removeValue(forKey: thread) ?? "") + text[rest.upperBound...])
    }

    private mutating func operations(_ call: TraceCall) throws -> [DiskOperation] {
        switch call.name {
        case "openat":
            let path = call.path(folder: 0, name: 1)
            offsets[call.result] = 0
            if call.text(2).contains("O_APPEND") {
                appending.insert(call.result)
            } else {
                appending.remove(call.result)
            }
            var found: [DiskOperation] = []
            if call.text(2).contains("O_CREAT") { found.append(.makeFile(path)) }
            if call.text(2).contains("O_TRUNC") { found.append(.resize(path, to: 0)) }
            return found
        case "write", "writev":
            guard let (path, number) = call.file(0) else { return [] }
            let bytes = Array(call.bytes.prefix(call.result))
            if appending.contains(number) { return [.append(path, bytes: bytes)] }
            defer { offsets[number, default: 0] += call.result }
            return [.write(path, offset: offsets[number, default: 0], bytes: bytes)]
        case "pwrite64", "pwritev", "pwritev2":
            guard let (path, _) = call.file(0), let offset = Int(call.text(3)) else { return [] }
            return [.write(path, offset: offset, bytes: Array(call.bytes.prefix(call.result)))]
        case "lseek":
            if let (_, number) = call.file(0) { offsets[number] = call.result }
            return []
        case "ftruncate":
            guard let (path, _) = call.file(0), let size = Int(call.text(1)) else { return [] }
            return [.resize(path, to: size)]
        case "copy_file_range":
            guard let (from, source) = call.file(0), let (to, target) = call.file(2) else { return [] }
            let (start, place) = (offsets[source, default: 0], offsets[target, default: 0])
            offsets[source] = start + call.result
            offsets[target] = place + call.result
            return call.result == 0
                ? [] : [.copy(from: from, offset: start, to: to, toOffset: place, count: call.result)]
        case "fsync", "fdatasync": return call.file(0).map { [.flush($0.path)] } ?? []
        case "syncfs": return [.flushAll]
        case "rename": return [.rename(call.path(0), to: call.path(1))]
        case "renameat", "renameat2":
            let (from, to) = (call.path(folder: 0, name: 1), call.path(folder: 2, name: 3))
            return [call.text(4).contains("EXCHANGE") ? .exchange(from, with: to) : .rename(from, to: to)]
        case "link": return [.link(call.path(0), to: call.path(1))]
        case "linkat": return [.link(call.path(folder: 0, name: 1), to: call.path(folder: 2, name: 3))]
        case "symlink": return [.makeLink(call.path(1), target: call.string(0))]
        case "symlinkat": return [.makeLink(call.path(folder: 1, name: 2), target: call.string(0))]
        case "unlink", "rmdir": return [.remove(call.path(0))]
        case "unlinkat": return [.remove(call.path(folder: 0, name: 1))]
        case "mkdir": return [.makeFolder(call.path(0))]
        case "mkdirat": return [.makeFolder(call.path(folder: 0, name: 1))]
        // Space that is reserved reads as zeros when the size grows; nobody relies on it.
        case "fallocate": return []
        default: return []
        }
    }
}

/// One line: `name(arguments) = result`.
struct TraceCall {
    let name: Substring
    let result: Int
    private let arguments: [Substring]

    init?(_ line: Substring) {
        // Short calls are padded before the result.
        guard let open = line.firstIndex(of: "("), let equals = line.ranges(of: " = ").last,
            let close = line[..<equals.lowerBound].lastIndex(of: ")"), open < close
        else { return nil }
        name = line[..<open]
        guard let result = Int(line[equals.upperBound...].prefix { $0.isNumber || $0 == "-" }) else { return nil }
        self.result = result
        // Strings are all hexadecimal, so a comma or bracket is never part of one.
        var depth = 0
        var parts: [Substring] = []
        let inside = line[line.index(after: open)..<close]
        var start = inside.startIndex
        for index in inside.utf8.indices {
            switch inside.utf8[index] {
            case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            case UInt8(ascii: ",") where depth == 0:
                parts.append(inside[start..<index].drop { $0 == " " })
                start = inside.utf8.index(after: index)
            default: break
            }
        }
        parts.append(inside[start...].drop { $0 == " " })
        arguments = parts
    }

    func text(_ number: Int) -> Substring { number < arguments.count ? arguments[number] : "" }

    /// A descriptor and the path that it stood for; nil for what is no file, or is deleted.
    func file(_ number: Int) -> (path: String, number: Int)? {
        let text = text(number)
        guard let open = text.firstIndex(of: "<"), text.hasSuffix(">"), let descriptor = Int(text[..<open]) else {
            return nil
        }
        let path = String(decoding: Self.unescaped(text[open...]), as: UTF8.self)
        return path.hasPrefix("/") ? (path, descriptor) : nil
    }

    func string(_ number: Int) -> String { String(decoding: Self.unescaped(text(number)), as: UTF8.self) }
    func path(_ number: Int) -> String { string(number) }

    /// A path that may be relative to an open folder.
    func path(folder: Int, name: Int) -> String {
        let path = string(name)
        if path.hasPrefix("/") { return path }
        return String(decoding: Self.unescaped(text(folder)), as: UTF8.self) + "/" + path
    }

    /// What was written.
    var bytes: [UInt8] { arguments.count > 1 ? Self.unescaped(arguments[1]) : [] }

    /// The bytes of every `\xNN`, one after the other.
    private static func unescaped(_ text: Substring) -> [UInt8] {
        var bytes: [UInt8] = []
        let raw = Array(text.utf8)
        bytes.reserveCapacity(raw.count / 4)
        var index = 0
        while index + 3 < raw.count {
            if raw[index] == UInt8(ascii: "\\"), raw[index + 1] == UInt8(ascii: "x") {
                bytes.append(digit(raw[index + 2]) << 4 | digit(raw[index + 3]))
                index += 4
            } else {
                index += 1
            }
        }
        return bytes
    }

    private static func digit(_ byte: UInt8) -> UInt8 { byte >= 0x61 ? byte &- 0x57 : byte &- 0x30 }
}

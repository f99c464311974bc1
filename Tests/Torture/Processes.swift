// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Glibc
import Kit
import System

/// What `/proc` says of the programs that a campaign set going.
enum Processes {
    private static let here = FileDescriptor.currentDirectory

    /// All below a process, children's children included.
    static func descendants(of root: Int32) -> [Int32] {
        var children: [Int32: [Int32]] = [:]
        for process in all() { if let parent = parent(of: process) { children[parent, default: []].append(process) } }
        var found: [Int32] = []
        var left = [root]
        while let next = left.popLast() {
            let below = children[next] ?? []
            found += below
            left += below
        }
        return found
    }

    /// Those whose command or environment names `text`, but for those known.
    static func mentioning(_ text: String, except known: Set<Int32>) -> [String] {
        all().filter { !known.contains($0) && $0 != getpid() }.compactMap { process in
            let said = ["cmdline", "environ"].map { read(process, $0) }
            guard said.contains(where: { $0.contains(text) }), !isZombie(process) else { return nil }
            return "\(process) \(said[0].split(separator: "\0").joined(separator: " "))"
        }
    }

    /// Files below `folder` that a process has open though they are deleted, by name.
    static func deletedFiles(of process: Int32, below folder: String) -> [String] {
        let links = FilePath("/proc/\(process)/fd")
        return ((try? here.entries(at: links)) ?? []).compactMap { entry in
            guard let target = try? here.readLink(at: links.appending(entry.name)) else { return nil }
            return target.hasPrefix(folder) && target.hasSuffix(" (deleted)") ? target : nil
        }
    }

    static func kill(_ process: Int32) { _ = Glibc.kill(process, SIGKILL) }

    static func descriptorCount(of process: Int32) -> Int {
        ((try? here.entries(at: FilePath("/proc/\(process)/fd"))) ?? []).count
    }

    private static func all() -> [Int32] { ((try? here.entries(at: "/proc")) ?? []).compactMap { Int32($0.name) } }

    private static func fields(_ process: Int32) -> [Substring] {
        // The name, in brackets, may hold anything.
        let text = read(process, "stat")
        guard let end = text.lastIndex(of: ")") else { return [] }
        return text[end...].split(separator: " ")
    }

    private static func parent(of process: Int32) -> Int32? {
        let fields = fields(process)
        return fields.count > 2 ? Int32(fields[2]) : nil
    }

    private static func isZombie(_ process: Int32) -> Bool { fields(process).dropFirst().first == "Z" }

    private static func read(_ process: Int32, _ name: String) -> String {
        guard let file = try? OwnedDescriptor(FilePath("/proc/\(process)/\(name)"), .readOnly),
            let bytes = try? file.borrowed.readAll(limit: 1 << 20)
        else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }
}

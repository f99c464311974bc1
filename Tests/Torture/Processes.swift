// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import CLinux
import Glibc
import Kit
import System

/// What `/proc` says of the programs that a campaign set going.
enum Processes {
    private static let here = FileDescriptor.currentDirectory

    /// All below a process, children's children included.
    static func descendants(of root: Int32) -> [Int32] {
        var found: [Int32] = []
        var left = [root]
        while let next = left.popLast() {
            let below = children(of: next)
            found += below
            left += below
        }
        return found
    }

    static func hasChildren(_ process: Int32) -> Bool { !children(of: process).isEmpty }

    private static func children(of process: Int32) -> [Int32] {
        let tasks = FilePath("/proc/\(process)/task")
        return ((try? here.entries(at: tasks)) ?? []).flatMap { task in
            read(process, "task/\(task.name)/children").split(separator: " ").compactMap { Int32($0) }
        }
    }

    static func sleep(milliseconds: Int) { usleep(UInt32(milliseconds) * 1000) }

    /// Those whose command or environment names `text` and that have not ended after `limit`, but for those known.
    static func outliving(
        _ limit: Duration, mentioning text: String, except known: Set<Int32> = []
    ) throws -> [String] {
        let end = ContinuousClock.now + limit
        while let next = mentioning(text, known).first, ContinuousClock.now < end {
            guard let process = Int32(next.prefix { $0.isNumber }) else { break }
            // Readable when the process has ended.
            let pidfd = clinux_pidfd_open(process)
            guard pidfd >= 0 else { continue }
            defer { close(pidfd) }
            var entry = pollfd(fd: pidfd, events: Int16(POLLIN), revents: 0)
            _ = poll(&entry, 1, Int32(clamping: Int(ContinuousClock.now.duration(to: end) / .milliseconds(1)) + 1))
        }
        return mentioning(text, known)
    }

    private static func mentioning(_ text: String, _ known: Set<Int32>) -> [String] {
        all().filter { !known.contains($0) && $0 != getpid() }.compactMap { process in
            let said = ["cmdline", "environ"].map { read(process, $0) }
            guard said.contains(where: { $0.contains(text) }), !isZombie(process) else { return nil }
            return "\(process) \(said[0].split(separator: "\0").joined(separator: " "))"
        }
    }

    /// Files below `folder` that a process has open though they are deleted: their names, and where they can be reached.
    static func deletedFiles(of process: Int32, below folder: String) -> [(name: String, link: FilePath)] {
        let links = FilePath("/proc/\(process)/fd")
        return ((try? here.entries(at: links)) ?? []).compactMap { entry in
            let link = links.appending(entry.name)
            guard let target = try? here.readLink(at: link) else { return nil }
            return target.hasPrefix(folder) && target.hasSuffix(" (deleted)") ? (target, link) : nil
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

    private static func isZombie(_ process: Int32) -> Bool { fields(process).dropFirst().first == "Z" }

    private static func read(_ process: Int32, _ name: String) -> String {
        guard let file = try? OwnedDescriptor(FilePath("/proc/\(process)/\(name)"), .readOnly),
            let bytes = try? file.borrowed.readAll(limit: 1 << 20)
        else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }
}

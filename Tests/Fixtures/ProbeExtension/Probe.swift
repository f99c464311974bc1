// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import BackgroundAssets

/// Things an extension must not be able to do, and some that it must. Each says `done …` or `failed <errno>`.
enum Probe {
    static func run(_ words: [String]) -> String {
        let argument = words.dropFirst().first ?? ""
        switch words.first {
        case "list":
            do {
                return "done "
                    + (try FileManager.default.contentsOfDirectory(atPath: argument)).sorted().joined(separator: " ")
            } catch {
                return "failed \(error)"
            }
        case "read":
            return (try? String(contentsOfFile: argument, encoding: .utf8)).map { "done \($0)" } ?? "failed \(errno)"
        case "write":
            let file = open(argument, O_WRONLY | O_CREAT | O_EXCL, 0o600)
            defer { close(file) }
            return file < 0 ? "failed \(errno)" : "done"
        case "move":
            return rename(argument, words.last ?? "") == 0 ? "done" : "failed \(errno)"
        case "connect": return connect(port: UInt16(argument) ?? 0)
        case "socket": return connect(path: argument)
        case "processes": return "done \(processes().count)"
        case "signal": return kill(pid_t(argument) ?? 0, 0) == 0 ? "done" : "failed \(errno)"
        case "start": return start(Int(argument) ?? 1)
        case "memory": return memory(Int(argument) ?? 0, MAP_PRIVATE)
        case "sharedMemory": return memory(Int(argument) ?? 0, MAP_SHARED)
        case "grow":
            // The way a program runs out of memory in earnest.
            var blocks: [[UInt8]] = []
            for _ in 0..<(Int(argument) ?? 0) { blocks.append([UInt8](repeating: 1, count: 1 << 20)) }
            return "done \(blocks.count)"
        case "map": return map(argument)
        case "fill": return fill(argument, words.dropFirst(2).compactMap { Int($0) })
        case "environment": return "done " + ProcessInfo.processInfo.environment.keys.sorted().joined(separator: " ")
        default: return "unknown"
        }
    }

    private static func processes() -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).filter { Int($0) != nil }
    }

    private static func connect(port: UInt16) -> String {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        return result == 0 ? "done" : "failed \(errno)"
    }

    private static func connect(path: String) -> String {
        let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        return result == 0 ? "done" : "failed \(errno)"
    }

    /// Starts as many processes as it can, up to `count`.
    private static func start(_ count: Int) -> String {
        var children: [pid_t] = []
        var error: Int32 = 0
        for _ in 0..<count {
            var child: pid_t = 0
            var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("sleep"), strdup("60"), nil]
            error = posix_spawn(&child, "/bin/sleep", nil, nil, &arguments, nil)
            for argument in arguments { free(argument) }
            if error != 0 { break }
            children.append(child)
        }
        for child in children {
            kill(child, SIGKILL)
            waitpid(child, nil, 0)
        }
        return error == 0 ? "done \(children.count)" : "failed \(error) after \(children.count)"
    }

    /// Touches so many MiB of memory without a file behind it.
    private static func memory(_ mebibytes: Int, _ kind: Int32) -> String {
        let length = mebibytes << 20
        guard let base = mmap(nil, length, PROT_READ | PROT_WRITE, kind | MAP_ANONYMOUS, -1, 0), base != MAP_FAILED
        else { return "failed \(errno)" }
        memset(base, 1, length)
        return "done"
    }

    /// Writes so many files of so many KiB each, and stays.
    private static func fill(_ folder: String, _ numbers: [Int]) -> String {
        let bytes = [UInt8](repeating: 1, count: (numbers.last ?? 0) << 10)
        for number in 0..<(numbers.first ?? 0) {
            let file = open("\(folder)/\(number)", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
            guard file >= 0 else { return "failed \(errno)" }
            var written = 0
            while written < bytes.count {
                let count = bytes.withUnsafeBytes {
                    write(file, $0.baseAddress?.advanced(by: written), $0.count - written)
                }
                guard count > 0 else { return "failed \(errno)" }
                written += count
            }
            close(file)
        }
        if numbers.count > 2 { return "done" }
        while true { pause() }
    }

    /// Maps a whole file and reads a byte of every page.
    private static func map(_ path: String) -> String {
        let file = open(path, O_RDONLY)
        guard file >= 0 else { return "failed \(errno)" }
        let length = Int(lseek(file, 0, SEEK_END))
        guard let base = mmap(nil, length, PROT_READ, MAP_PRIVATE, file, 0), base != MAP_FAILED else {
            return "failed \(errno)"
        }
        var sum = 0
        for offset in stride(from: 0, to: length, by: 4096) {
            sum += Int(base.load(fromByteOffset: offset, as: UInt8.self))
        }
        return "done \(length)"
    }
}

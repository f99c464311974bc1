// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System

/// What a running process takes, as the kernel counts it.
enum ProcessUsage {
    static func residentBytes(of processID: Int32) throws -> Int {
        let fields = try words(FilePath("/proc/\(processID)/statm"))
        guard fields.count > 1, let pages = Int(fields[1]) else { throw BenchmarkError("statm cannot be read") }
        return pages * 4096
    }

    /// Seconds of processor time of all its threads, in its own code and in the kernel.
    static func processorSeconds(of processID: Int32) throws -> Double {
        // The name, in brackets, may hold anything; the fields after it are counted from 3.
        let text = String(decoding: try File.read(FilePath("/proc/\(processID)/stat"), limit: 4096), as: UTF8.self)
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
            throw BenchmarkError("stat cannot be read")
        }
        return (user + system) / 100
    }

    /// Has the kernel forget the most memory that the process had in use so far.
    static func forgetPeak(of processID: Int32) throws {
        let file = try OwnedDescriptor(FilePath("/proc/\(processID)/clear_refs"), .writeOnly)
        _ = try file.borrowed.writeAll("5".utf8)
    }

    /// The most memory that the process had in use at once, in bytes, since that was forgotten.
    static func peakResidentBytes(of processID: Int32) throws -> Int64 {
        let status = try File.read(FilePath("/proc/\(processID)/status"), limit: 1 << 16)
        for line in String(decoding: status, as: UTF8.self).split(separator: "\n") where line.hasPrefix("VmHWM:") {
            if let kilobytes = line.split(separator: " ").dropFirst().first.flatMap({ Int64($0) }) {
                return kilobytes * 1024
            }
        }
        throw BenchmarkError("the memory of process \(processID) is not known")
    }

    private static func words(_ path: FilePath) throws -> [Substring] {
        String(decoding: try File.read(path, limit: 4096), as: UTF8.self).split { $0 == " " || $0 == "\n" }
    }
}

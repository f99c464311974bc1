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

    private static func words(_ path: FilePath) throws -> [Substring] {
        String(decoding: try File.read(path, limit: 4096), as: UTF8.self).split { $0 == " " || $0 == "\n" }
    }
}

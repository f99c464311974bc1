// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Glibc
import Kit
import System

/// What an ELF file of 64 bits says about the shared objects it needs. The file is the extension's and taken for hostile.
struct SharedObject: Hashable, Sendable {
    /// Names of `DT_NEEDED`.
    var needed: [String] = []
    /// Folders of `DT_RUNPATH`, or else of `DT_RPATH`, as written.
    var searchPath: [String] = []

    private static let magic: [UInt8] = [0x7F, 0x45, 0x4C, 0x46, 2, 1]
    /// Entries of a dynamic section that are looked at; real ones have a few dozen.
    private static let entryLimit = 4096

    /// nil when the file is no such ELF file, or a broken one.
    init?(at path: FilePath) {
        guard let file = try? OwnedDescriptor(path, .readOnly, options: .nonBlocking),
            (try? file.borrowed.status())?.kind == .regular
        else { return nil }
        self.init(Bytes(file: file.borrowed))
    }

    /// A file read by number, never beyond its end.
    private struct Bytes {
        let file: FileDescriptor

        func read(_ offset: UInt64, _ count: Int) -> [UInt8]? {
            guard let offset = Int64(exactly: offset) else { return nil }
            return withUnsafeTemporaryAllocation(byteCount: count, alignment: 8) { buffer in
                guard let got = try? file.read(fromAbsoluteOffset: offset, into: buffer) else { return nil }
                return Array(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<got]))
            }
        }

        /// Names of libraries are short; search paths may be long.
        func string(_ offset: UInt64) -> String? {
            guard let offset = Int64(exactly: offset) else { return nil }
            return withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
                for count in [128, 4096] {
                    let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
                    guard let got = try? file.read(fromAbsoluteOffset: offset, into: part), let base = part.baseAddress
                    else { return nil }
                    let length = strnlen(base.assumingMemoryBound(to: CChar.self), got)
                    if length > 0, length < got { return String(decoding: part[..<length], as: UTF8.self) }
                }
                return nil
            }
        }
    }

    private struct Segment {
        var type: UInt64
        var offset: UInt64
        var address: UInt64
        var size: UInt64
    }

    private init?(_ bytes: Bytes) {
        guard let head = bytes.read(0, 64), head.count == 64, Array(head[..<6]) == Self.magic else { return nil }
        let tableOffset = head.number(32, 8)
        let entrySize = Int(head.number(54, 2))
        let count = Int(head.number(56, 2))
        guard entrySize >= 56, count > 0, count <= 256,
            let table = bytes.read(tableOffset, entrySize * count), table.count == entrySize * count
        else { return nil }
        let segments = (0..<count).map { index in
            let start = index * entrySize
            return Segment(
                type: table.number(start, 4), offset: table.number(start + 8, 8),
                address: table.number(start + 16, 8), size: table.number(start + 32, 8))
        }
        // Without a dynamic section it is linked whole and needs nothing.
        guard let dynamic = segments.first(where: { $0.type == 2 }) else { return }
        guard let section = bytes.read(dynamic.offset, min(Int(clamping: dynamic.size), Self.entryLimit * 16)) else {
            return nil
        }
        var values: [(tag: UInt64, value: UInt64)] = []
        for start in stride(from: 0, through: section.count - 16, by: 16) {
            let tag = section.number(start, 8)
            if tag == 0 { break }
            values.append((tag, section.number(start + 8, 8)))
        }
        guard let strings = values.first(where: { $0.tag == 5 })?.value,
            let segment = segments.first(where: {
                $0.type == 1 && $0.address <= strings && strings - $0.address < $0.size
            })
        else { return nil }
        let (base, overflow) = (strings - segment.address).addingReportingOverflow(segment.offset)
        guard !overflow else { return nil }
        func text(_ value: UInt64) -> String? {
            let (place, overflow) = base.addingReportingOverflow(value)
            return overflow ? nil : bytes.string(place)
        }
        needed = values.filter { $0.tag == 1 }.compactMap { text($0.value) }
        let path = values.first { $0.tag == 29 } ?? values.first { $0.tag == 15 }
        searchPath = path.flatMap { text($0.value) }?.split(separator: ":").map(String.init) ?? []
    }
}

extension [UInt8] {
    /// Little-endian; the caller knows that the bytes are there.
    fileprivate func number(_ start: Int, _ count: Int) -> UInt64 {
        self[start..<(start + count)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}

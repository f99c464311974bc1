// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Recognises macOS executables, which Apple lets no pack hold (BA 3.2).
///
/// Only what is needed to tell them from other files: the thin and the universal header, and the load commands that name
/// the platform. Where these say nothing, a file that starts as Mach-O counts as one for macOS.
package enum MachO {
    /// Enough of a file's start to decide.
    package static let prefixLength = 64 << 10

    /// Whether a file that starts with these four bytes is worth a closer look.
    package static func mayBegin(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 4 else { return false }
        let magic = bytes.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return [0xCAFE_BABE, 0xCAFE_BABF, 0xFEED_FACE, 0xFEED_FACF, 0xCEFA_EDFE, 0xCFFA_EDFE].contains(magic)
    }

    /// What the start of a file is, for a message such as "a macOS executable"; nil when a pack may hold it.
    ///
    /// - Parameter slice: gives the bytes at an offset of the file, for the parts of a universal file.
    package static func refusal(
        prefix: [UInt8], slice: (_ offset: Int64, _ length: Int) throws -> [UInt8]
    ) rethrows -> String? {
        var reader = ByteReader(prefix, bigEndian: true)
        guard let magic = reader.u32() else { return nil }
        guard magic == 0xCAFE_BABE || magic == 0xCAFE_BABF else { return thinRefusal(prefix) }
        // Java classes share the first magic; their next four bytes are a version of at least 45.
        guard let count = reader.u32(), count > 0, count < 40 else { return nil }
        let is64 = magic == 0xCAFE_BABF
        for _ in 0..<count {
            guard reader.u32() != nil, reader.u32() != nil else { return nil }
            guard let offset = is64 ? reader.u64() : reader.u32().map(UInt64.init), offset <= UInt64(Int64.max) else {
                return nil
            }
            reader.skip(is64 ? 16 : 8)
            if let found = thinRefusal(try slice(Int64(offset), prefixLength)) {
                return "a universal file with \(found)"
            }
        }
        return nil
    }

    private static func thinRefusal(_ bytes: [UInt8]) -> String? {
        var reader = ByteReader(bytes, bigEndian: true)
        let is64: Bool
        switch reader.u32() {
        case 0xFEED_FACE: is64 = false
        case 0xFEED_FACF: is64 = true
        case 0xCEFA_EDFE:
            is64 = false
            reader.isBigEndian = false
        case 0xCFFA_EDFE:
            is64 = true
            reader.isBigEndian = false
        default: return nil
        }
        reader.skip(8)
        let name: String
        switch reader.u32() {
        case 1, 4, 10: return nil  // Object, core and debug-symbol files do not run.
        case 6: name = "a macOS dynamic library"
        case 8: name = "a macOS loadable bundle"
        default: name = "a macOS executable"
        }
        let commands = reader.u32() ?? 0
        reader.skip(is64 ? 12 : 8)
        return isForMac(&reader, commands: commands) ?? true ? name : nil
    }

    /// nil when no load command names a platform.
    private static func isForMac(_ reader: inout ByteReader, commands: UInt32) -> Bool? {
        for _ in 0..<min(commands, 4096) {
            guard let command = reader.u32(), let size = reader.u32(), size >= 8 else { return nil }
            var body = reader
            switch command & 0x7FFF_FFFF {
            case 0x32: return body.u32() == 1  // LC_BUILD_VERSION, PLATFORM_MACOS
            case 0x24: return true  // LC_VERSION_MIN_MACOSX
            case 0x25, 0x2F, 0x30: return false  // ... _IPHONEOS, _TVOS, _WATCHOS
            default: reader.skip(Int(size) - 8)
            }
        }
        return nil
    }
}

/// Integers from bytes, in either order; nil at the end.
private struct ByteReader {
    var isBigEndian: Bool
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8], bigEndian: Bool) {
        rest = bytes[...]
        isBigEndian = bigEndian
    }

    mutating func skip(_ count: Int) { rest = rest.dropFirst(count) }
    mutating func u32() -> UInt32? { take(4).map { UInt32(truncatingIfNeeded: $0) } }
    mutating func u64() -> UInt64? { take(8) }

    private mutating func take(_ count: Int) -> UInt64? {
        guard rest.count >= count else { return nil }
        let bytes = rest.prefix(count)
        rest = rest.dropFirst(count)
        return isBigEndian
            ? bytes.reduce(0) { $0 << 8 | UInt64($1) } : bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}

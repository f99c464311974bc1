// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Glibc

/// A numeric address of the internet protocol, version 4 or 6.
package struct NetworkAddress: Hashable, Sendable, CustomStringConvertible {
    /// 4 or 16 bytes. An address of version 4 in the clothes of version 6 is one of version 4.
    package let bytes: [UInt8]

    /// nil for another number of bytes.
    package init?(bytes: [UInt8]) {
        switch bytes.count {
        case 4: self.bytes = bytes
        case 16:
            let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
            self.bytes = isMapped ? Array(bytes[12...]) : bytes
        default: return nil
        }
    }

    /// nil when the text is no numeric address.
    package init?(_ text: String) {
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            self.init(bytes: withUnsafeBytes(of: &four) { Array($0) })
        } else if inet_pton(AF_INET6, text, &six) == 1 {
            self.init(bytes: withUnsafeBytes(of: &six) { Array($0) })
        } else {
            return nil
        }
    }

    /// nil for another family of addresses.
    init?(_ address: UnsafePointer<sockaddr>) {
        let raw = UnsafeRawPointer(address)
        // The family comes first. Which C module the member belongs to depends on what was compiled before.
        switch CInt(raw.loadUnaligned(as: sa_family_t.self)) {
        case AF_INET:
            let four = raw.loadUnaligned(as: sockaddr_in.self).sin_addr
            self.init(bytes: withUnsafeBytes(of: four) { Array($0) })
        case AF_INET6:
            let six = raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr
            self.init(bytes: withUnsafeBytes(of: six) { Array($0) })
        default: return nil
        }
    }

    package var description: String {
        if bytes.count == 4 { return bytes.map { "\($0)" }.joined(separator: ".") }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let written = bytes.withUnsafeBytes {
            inet_ntop(AF_INET6, $0.baseAddress, &text, socklen_t(INET6_ADDRSTRLEN)) != nil
        }
        return written ? String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) : ""
    }

    /// Whether it is this machine as it calls itself.
    package var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
    }

    /// Whether it stands for one machine that anybody in the world may talk to: not this machine, not a network of one's
    /// own, not the addresses in which clouds tell secrets, and nothing that is reserved (RFC 6890 and its successors).
    package var isPublic: Bool {
        if bytes.count == 4 { return !Self.reserved4.contains { Self.matches(bytes, $0.prefix, $0.length) } }
        // Addresses of version 4 in a translator's prefix (RFC 6052) and of 6to4 (RFC 3056) lead to those.
        let translated: [UInt8] = [0x00, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]
        if bytes.starts(with: translated) { return NetworkAddress(bytes: Array(bytes[12...]))?.isPublic ?? false }
        if Self.matches(bytes, [0x20, 0x02], 16) {
            return NetworkAddress(bytes: Array(bytes[2..<6]))?.isPublic ?? false
        }
        // Of all others only 2000::/3 is for the world.
        guard Self.matches(bytes, [0x20], 3) else { return false }
        return !Self.reserved6.contains { Self.matches(bytes, $0.prefix, $0.length) }
    }

    private static let reserved4: [(prefix: [UInt8], length: Int)] = [
        ([0], 8), ([10], 8), ([100, 64], 10), ([127], 8), ([169, 254], 16), ([172, 16], 12), ([192, 0, 0], 24),
        ([192, 0, 2], 24), ([192, 88, 99], 24), ([192, 168], 16), ([198, 18], 15), ([198, 51, 100], 24),
        ([203, 0, 113], 24), ([224], 4), ([240], 4),
    ]

    // Teredo and the rest of 2001::/23, and documentation.
    private static let reserved6: [(prefix: [UInt8], length: Int)] = [
        ([0x20, 0x01, 0x00], 23), ([0x20, 0x01, 0x0D, 0xB8], 32), ([0x3F, 0xFF, 0x00], 20),
    ]

    private static func matches(_ bytes: [UInt8], _ prefix: [UInt8], _ length: Int) -> Bool {
        for (index, expected) in prefix.enumerated() {
            let bits = min(8, length - index * 8)
            guard bits > 0 else { break }
            let mask = UInt8(truncatingIfNeeded: 0xFF00 >> bits)
            guard bytes[index] & mask == expected & mask else { return false }
        }
        return true
    }
}

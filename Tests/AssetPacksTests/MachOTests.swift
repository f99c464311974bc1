// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Testing

@testable import AssetPacks

struct MachOTests {
    /// A thin 64-bit little-endian header with load commands.
    private func thin(fileType: UInt32, commands: [[UInt32]] = []) -> [UInt8] {
        let body = commands.flatMap { $0 }
        let words: [UInt32] =
            [0xFEED_FACF, 0x0100_000C, 0, fileType, UInt32(commands.count), UInt32(body.count * 4), 0, 0] + body
        return words.flatMap { word in withUnsafeBytes(of: word.littleEndian) { Array($0) } }
    }

    private func refusal(_ bytes: [UInt8]) -> String? {
        MachO.refusal(prefix: bytes) { offset, length in Array(bytes.dropFirst(Int(offset)).prefix(length)) }
    }

    @Test func executablesForMac() {
        #expect(refusal(thin(fileType: 2)) == "a macOS executable")
        #expect(refusal(thin(fileType: 2, commands: [[0x19, 8], [0x32, 24, 1, 0, 0, 0]])) == "a macOS executable")
        #expect(refusal(thin(fileType: 6, commands: [[0x24, 16, 0, 0]])) == "a macOS dynamic library")
        #expect(refusal(thin(fileType: 8)) == "a macOS loadable bundle")
        #expect(refusal([0xCF, 0xFA, 0xED, 0xFE]) == "a macOS executable")
        #expect(refusal([0xFE, 0xED, 0xFA, 0xCE, 0, 0, 0, 18]) == "a macOS executable")
    }

    @Test func codeForOtherSystemsAndObjects() {
        #expect(refusal(thin(fileType: 2, commands: [[0x32, 24, 2, 0, 0, 0]])) == nil)
        #expect(refusal(thin(fileType: 6, commands: [[0x25, 16, 0, 0]])) == nil)
        #expect(refusal(thin(fileType: 1)) == nil)
        #expect(refusal([0x7F, 0x45, 0x4C, 0x46, 2, 1, 1, 0]) == nil)
        #expect(refusal([]) == nil)
        #expect(refusal([0xCF, 0xFA]) == nil)
    }

    @Test func universalFiles() {
        let header: [UInt32] = [0xCAFE_BABE, 1, 0x0100_000C, 0, 64, 100, 14]
        var bytes = header.flatMap { word in withUnsafeBytes(of: word.bigEndian) { Array($0) } }
        bytes += [UInt8](repeating: 0, count: 64 - bytes.count)
        #expect(refusal(bytes + thin(fileType: 2)) == "a universal file with a macOS executable")
        #expect(refusal(bytes + [1, 2, 3]) == nil)
        #expect(refusal([0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 52, 0, 1]) == nil, "a Java class")
    }

    @Test func hostileLoadCommands() {
        #expect(refusal(thin(fileType: 2, commands: [[0x19, 0]])) == "a macOS executable")
        #expect(refusal(thin(fileType: 2, commands: [[0x19, 0xFFFF_FFFF]])) == "a macOS executable")
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import Testing

@testable import ResourceTags

struct ExecutableCodeTests {
    private func kind(_ path: String, _ prefix: [UInt8] = [], isExecutable: Bool = false) throws -> String? {
        ExecutableCode.kind(of: try PackPath(path), prefix: prefix, isExecutable: isExecutable)
    }

    private static let windows: [UInt8] =
        Array("MZ".utf8) + Array(repeating: 0, count: 0x3A) + [0x80, 0, 0, 0] + Array(repeating: 0, count: 0x40)
        + Array("PE\0\0".utf8)

    @Test(arguments: [
        [0x7F, 0x45, 0x4C, 0x46, 2], [0xCF, 0xFA, 0xED, 0xFE, 7, 0, 0, 1], [0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 2],
        windows,
    ])
    func codeIsKnownByItsStart(_ prefix: [UInt8]) throws { #expect(try kind("data/x", prefix) != nil) }

    @Test(arguments: [
        "lib/libx.dylib", "libx.so", "libx.so.1.2", "X.DLL", "X.framework/Headers/x.h", "a/Y.appex/Info.plist",
    ])
    func codeIsKnownByItsName(_ path: String) throws { #expect(try kind(path) != nil) }

    @Test func scriptsAreCodeWhenTheyMayBeExecuted() throws {
        #expect(try kind("run", Array("#!/bin/sh".utf8), isExecutable: true) != nil)
        #expect(try kind("run", Array("#!/bin/sh".utf8)) == nil)
    }

    /// A Java class, an old document that begins as Windows programs do, levels, bundles of resources.
    @Test(arguments: [
        ("A.class", [0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 61]), ("old.doc", Array("MZ and more".utf8)),
        ("Levels/1.lvl", [1, 2, 3, 4]), ("Settings.bundle/Root.plist", []), ("empty", []), ("so", []), ("x.sound", []),
    ])
    func theRestIsNone(_ path: String, _ prefix: [UInt8]) throws {
        #expect(try kind(path, prefix, isExecutable: true) == nil)
    }
}

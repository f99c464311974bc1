// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System

/// The projects in `Tests/Fixtures/XcodeProjects`.
enum XcodeFixture {
    static func folder(_ name: String) -> FilePath {
        FilePath(#filePath).removingLastComponent().pushing(FilePath("../Fixtures/XcodeProjects/\(name)"))
            .lexicallyNormalized()
    }

    static func bytes(_ name: String) throws -> [UInt8] {
        try File.read(folder(name).appending("\(name).xcodeproj").appending("project.pbxproj"), limit: 1 << 20)
    }
}

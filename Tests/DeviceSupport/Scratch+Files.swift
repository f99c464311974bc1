// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
package import TestSupport

extension Scratch {
    package func bytes(_ name: String) throws -> [UInt8] { try File.read(self(name)) }

    package func read(_ name: String) throws -> String { String(decoding: try bytes(name), as: UTF8.self) }
}

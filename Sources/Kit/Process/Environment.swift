// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import CLinux

/// The process's environment and name.
package enum Environment {
    /// A copy of the environment as it is now.
    package static var current: [String: String] {
        var result: [String: String] = [:]
        guard var entry = clinux_environment() else { return result }
        while let line = entry.pointee {
            let text = String(cString: line)
            if let equals = text.firstIndex(of: "=") {
                result[String(text[..<equals])] = String(text[text.index(after: equals)...])
            }
            entry += 1
        }
        return result
    }
}

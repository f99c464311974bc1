// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// The version of everything in this package; `CHANGELOG.md` tells what is in it.
package enum LarderVersion {
    package static let current = "0.1.0"
}

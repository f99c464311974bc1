// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Glibc

/// The machine's processors.
package enum Processors {
    /// How many there are that run something; at least 1.
    package static var count: Int { max(1, sysconf(CInt(_SC_NPROCESSORS_ONLN))) }
}

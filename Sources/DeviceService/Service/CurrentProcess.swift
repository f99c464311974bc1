// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Glibc

/// This process, as the kernel knows it.
enum CurrentProcess {
    static var identifier: Int32 { getpid() }
    static var userID: UInt32 { geteuid() }
}

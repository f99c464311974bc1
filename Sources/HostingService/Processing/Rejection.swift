// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import HostingModel

/// What is wrong with an upload. Everything else that processing throws is the host's own trouble.
struct Rejection: Error {
    let detail: StateDetail

    init(_ code: String, _ description: String) { detail = StateDetail(code, description) }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import HTTP

/// Where transfers get their HTTP client, anew for each: what it trusts may have changed.
package protocol HTTPClientSource: Sendable {
    func client() throws -> HTTPClient
}

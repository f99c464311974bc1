// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit

/// The commands of publishers, who talk to a host.
package enum HostingCommands {
    package static let all: [Command] = [upload, app, submit, review, rollout]
}

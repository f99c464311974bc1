// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import AppBundles
package import DeviceProtocol

/// The part of an install that a hosting service has to do with: journaled with the rest of its plan.
package struct HostedInstall: Codable, Hashable, Sendable {
    package var origin: AppOrigin
    package var build: HostedBuild
    /// Bytes of the archive that are here.
    package var fetched: Int64 = 0

    package init(origin: AppOrigin, build: HostedBuild) {
        self.origin = origin
        self.build = build
    }
}

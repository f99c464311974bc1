// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import HostingModel

/// Shows apps.
struct AppRoutes: Sendable {
    let reader: ResourceReader

    func addRoutes(to router: inout Router) {
        reader.addList(.apps, to: &router)
        reader.addGet(.apps, to: &router)
    }
}

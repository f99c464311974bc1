// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import System

/// Where things are below an app root, `<state>/apps/<bundle id>`. `docs/formats/namespace.md` tells who writes what.
package struct AppRootLayout: Hashable, Sendable {
    package let root: FilePath

    package init(root: FilePath) { self.root = root }

    /// Names below the root.
    package static let currentName = "current"
    package static let counterName = "generation"
    package static let leaseName = "lease"
    package static let namespaceName = "namespace"

    /// A link to the generation that is in force, relative to the root.
    package var current: FilePath { root.appending(Self.currentName) }
    /// Eight bytes, little-endian: the number of the last switch. Readers map it; it is written in place.
    package var counter: FilePath { root.appending(Self.counterName) }
    package var generations: FilePath { root.appending("generations") }
    package var packs: FilePath { root.appending("packs") }
    package var staging: FilePath { root.appending("staging") }

    /// A file without content whose bytes are locked: what is in use (`PackUses`).
    package var uses: FilePath { root.appending("uses") }
    /// A file without content that is locked by the process that has exclusive control over the app's downloads.
    package var control: FilePath { root.appending("control") }
    /// Where the base apps are; `current` in it is a link to the folder of the one in force.
    package var bundle: FilePath { root.appending("bundle") }

    package func generation(_ number: UInt64) -> FilePath { generations.appending(String(number)) }
    package func lease(_ number: UInt64) -> FilePath { generation(number).appending(Self.leaseName) }
    package func namespace(_ number: UInt64) -> FilePath { generation(number).appending(Self.namespaceName) }
    package func staging(ofPack id: String) -> FilePath { staging.appending(id) }
    package func pack(_ id: String) -> FilePath { packs.appending(id) }

    /// What an app root's counter says once the app is gone: readers that still map it look again and find nothing.
    package static let retiredCounter = UInt64.max
}

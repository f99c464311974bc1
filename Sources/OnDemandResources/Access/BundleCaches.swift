// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import CBundleShim
internal import Foundation
internal import Kit

/// What Foundation remembers of bundles' folders. It looks at a folder once, and would not see what has come since.
enum BundleCaches {
    /// By bundle's folder: the generation of packs that was in force when it was last read anew.
    private static let seen = Locked<[String: UInt64]>([:])

    /// Has what came be seen, in the app's own bundle and in `bundle`, if anything came or went since the last time.
    static func flush(_ bundle: Bundle, generation: UInt64?) {
        seen.withLock { seen in
            for bundle in bundle === Bundle.main ? [bundle] : [.main, bundle] {
                guard generation == nil || seen[bundle.bundlePath] != generation else { continue }
                seen[bundle.bundlePath] = generation
                if bundle === Bundle.main {
                    _ = cbundle_flush_main()
                } else {
                    let url = NSURL(fileURLWithPath: bundle.bundlePath, isDirectory: true)
                    withExtendedLifetime(url) { _ = cbundle_flush(Unmanaged.passUnretained(url).toOpaque()) }
                }
            }
        }
    }
}

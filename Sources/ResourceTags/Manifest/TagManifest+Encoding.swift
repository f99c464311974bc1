// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
package import Kit

extension TagManifest {
    /// The manifest as a person would write it.
    /// - Parameter sourceRoot: the folder that selectors look in, relative to where the manifest will be.
    package func json(sourceRoot: String) -> JSONValue {
        var members: [String: JSONValue] = [
            "sourceRoot": .string(sourceRoot),
            "tags": .object(
                Dictionary(tags.map { ($0.name, .array($0.selectors.map(\.json))) }) { first, _ in first }),
        ]
        if let bundleID { members["bundleID"] = .string(bundleID) }
        if !categories.initialInstall.isEmpty {
            members["initialInstall"] = .array(categories.initialInstall.sorted().map { .string($0) })
        }
        if !categories.prefetchOrder.isEmpty {
            members["prefetch"] = .array(categories.prefetchOrder.map { .string($0) })
        }
        let patterns = exclusions.compactMap { selector -> JSONValue? in
            guard case .fileExclusion(let glob) = selector.kind else { return nil }
            return .string(glob.text)
        }
        if !patterns.isEmpty { members["exclude"] = .array(patterns) }
        return .object(members)
    }
}

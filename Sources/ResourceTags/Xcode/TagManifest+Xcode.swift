// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
package import System

extension TagManifest {
    /// What an Xcode project tags, as selectors below the project's folder. Blocks.
    ///
    /// Files go where Xcode puts them: to the root of the app's resources, those for a language into its folder. Xcode
    /// compiles catalogues; what they tag keeps its path in the catalogue.
    /// - Parameters:
    ///   - folder: the one that the project lies in.
    ///   - notes: gets what a person should know, with file and line.
    /// - Throws: `AssetPackError`, `ResourceTagsError`
    package init(_ project: XcodeProject, in folder: FilePath, notes: inout [String]) throws {
        var selectors = try XcodeSelectors(project, in: folder)
        guard !selectors.byTag.isEmpty else {
            throw ResourceTagsError(
                .badProject, "\(project.source): the target \"\(project.targetName)\" has no tagged resources.")
        }
        let categories = selectors.categories(project)
        notes += selectors.notes
        for file in project.settingsFiles {
            notes.append(
                "\(project.source):\(file.line): the configuration file is not read; if it sets "
                    + "\(XcodeProject.initialInstallSetting) or \(XcodeProject.prefetchSetting), set them in the project"
            )
        }
        self.init(
            bundleID: project.bundleID.flatMap { Self.problem(withBundleID: $0) == nil ? $0 : nil },
            categories: categories,
            tags: selectors.byTag.sorted { $0.key < $1.key }.map { Tag(name: $0.key, selectors: $0.value) })
    }
}

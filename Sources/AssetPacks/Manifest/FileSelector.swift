// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit

/// One rule that puts files into a pack, or keeps them out of it (BA 3.2).
package struct FileSelector: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// A file, to the same path in the pack.
        case file(PackPath)
        /// A folder and all it holds, to the same path in the pack.
        case directory(PackPath)
        /// Every file whose path fits, to the same path in the pack.
        case filePattern(Glob)
        /// A file, to another path in the pack.
        case fileTo(source: PackPath, destination: PackPath)
        /// What a folder holds, into another folder of the pack; either may be the root.
        case directoryTo(source: PackPath, destination: PackPath)
        /// Files that no other selector takes, wherever this one stands. A folder that fits is left out whole.
        case fileExclusion(Glob)
    }

    package let kind: Kind
    /// Where the selector stands in its manifest, such as `fileSelectors[2]`, with file and line when they are known.
    package let place: String

    package init(_ kind: Kind, place: String) {
        self.kind = kind
        self.place = place
    }

    /// All keys that selectors may have.
    package static let keys = [
        "file", "directory", "filePattern", "fileSource", "fileDestination", "directorySource", "directoryDestination",
        "fileExclusion",
    ]
}

extension FileSelector {
    /// As it stands in a manifest.
    package var json: JSONValue {
        switch kind {
        case .file(let path): ["file": .string(path.string)]
        case .directory(let path): ["directory": .string(path.string)]
        case .filePattern(let glob): ["filePattern": .string(glob.text)]
        case .fileTo(let source, let destination):
            ["fileSource": .string(source.string), "fileDestination": .string(destination.string)]
        case .directoryTo(let source, let destination):
            ["directorySource": .string(source.description), "directoryDestination": .string(destination.description)]
        case .fileExclusion(let glob): ["fileExclusion": .string(glob.text)]
        }
    }
}

extension FileSelector: CustomStringConvertible {
    package var description: String {
        switch kind {
        case .file(let path): "{\"file\": \"\(path)\"}"
        case .directory(let path): "{\"directory\": \"\(path)\"}"
        case .filePattern(let glob): "{\"filePattern\": \"\(glob.text)\"}"
        case .fileTo(let source, let destination):
            "{\"fileSource\": \"\(source)\", \"fileDestination\": \"\(destination)\"}"
        case .directoryTo(let source, let destination):
            "{\"directorySource\": \"\(source)\", \"directoryDestination\": \"\(destination)\"}"
        case .fileExclusion(let glob): "{\"fileExclusion\": \"\(glob.text)\"}"
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit
package import PackNamespace

/// A pack whose files an app can read now.
package struct LocalPack: Codable, Hashable, Sendable {
    package var id: String
    package var version: Int
    /// Where its files are, relative to the app root.
    package var directory: String
    package var language: String?
    /// Bytes of the archive it came in.
    package var downloadSize: Int64
    /// Bytes of its files' contents.
    package var installedSize: Int64
    /// Bytes of the blocks its files occupy.
    package var allocatedSize: Int64
    package var fileCount: Int
    package var userInfo: JSONValue?

    /// A pack as a namespace lists it.
    package init(_ pack: NamespacePack) {
        id = pack.id
        version = Int(clamping: pack.version)
        directory = pack.directory
        language = pack.language
        downloadSize = Int64(clamping: pack.downloadSize)
        installedSize = Int64(clamping: pack.installedSize)
        allocatedSize = Int64(clamping: pack.allocatedSize)
        fileCount = Int(clamping: pack.fileCount)
        userInfo = pack.userInfo.flatMap { try? JSONParser.parse($0).value }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import AppleArchive
package import AssetPacks
import Kit
package import System
package import TestSupport

/// A pack made for a test: its files and the archive that the packager makes of them.
package struct SamplePack: Sendable {
    package let id: String
    package let version: Int
    package let policy: String
    package let archive: FilePath
    /// Contents by path.
    package let files: [String: [UInt8]]
    package let contents: PackContents

    /// Bytes.
    package var archiveSize: Int64 { contents.archiveSize }

    /// - Parameters:
    ///   - policy: `essential`, `prefetch` or `onDemand`.
    ///   - blockSize: small blocks give small packs several checkpoints.
    package static func make(
        _ id: String, version: Int = 1, policy: String = "onDemand", language: String? = nil, files: [String: [UInt8]],
        compression: Compression = .lzfse, blockSize: Int = 256 << 10, in scratch: Scratch
    ) throws -> SamplePack {
        let folder = "sources/\(id)-\(version)"
        for (path, bytes) in files { try scratch.write(bytes, to: "\(folder)/\(path)") }
        let events = #"{ "installationEventTypes": ["firstInstallation", "subsequentUpdate"] }"#
        let selectors = files.keys.sorted().map { #"{ "file": "\#($0)" }"# }.joined(separator: ", ")
        let manifest = try scratch.write(
            """
            {
              "assetPackID": "\(id)",
              "downloadPolicy": { "\(policy)": \(policy == "onDemand" ? "{}" : events) },
              "fileSelectors": [ \(selectors) ],
              \(language.map { #""language": "\#($0)","# } ?? "")
              "platforms": ["Linux"]
            }
            """, to: "\(folder).json")
        var packager = Packager(
            try PackEvaluation(try PackManifest(contentsOf: manifest), sourceDirectory: scratch(folder)))
        packager.compression = compression
        packager.blockSize = blockSize
        let archive = scratch("\(id)-\(version).aar")
        _ = try packager.package(to: archive)
        return SamplePack(
            id: id, version: version, policy: policy, archive: archive, files: files,
            contents: try PackInspector.inspect(archive))
    }

    /// `count` files of about `size` bytes each below `<id>/`, as compressible as real ones.
    package static func randomFiles(
        _ id: String, count: Int, size: Int, using generator: inout SeededGenerator
    ) -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for number in 0..<count {
            files["\(id)/\(number % 7)/file-\(number).bin"] = generator.bytes(
                Int.random(in: size / 2...size * 3 / 2, using: &generator), redundancy: true)
        }
        return files
    }

    /// The pack as a manifest names it.
    package func entry(baseURL: String) throws -> DownloadManifestPack {
        let builder = try DownloadManifestBuilder(platform: .linux, baseURL: baseURL)
        return try builder.create([contents], versions: [version]).assetPacks[0]
    }
}

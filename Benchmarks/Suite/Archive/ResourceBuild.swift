// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import AssetPacks
import Kit
import ResourceTags
import System

/// Packing resources under 1,000 tags, against packing the same files as one pack.
struct ResourceBuild: Benchmark {
    let name = "odr-build"
    let summary = "DIR [--rounds N]: time to pack 1,000 tags over that of one pack of the same files"

    private static let tagCount = 1000

    func run(_ arguments: [String], _ report: Report) throws {
        let options = try ArchiveArguments(arguments, defaultCompressions: [.lzfse])
        let scratch = try TemporaryDirectory(prefix: "larder-bench")
        let source = scratch.path.appending("source")
        let bytes = try Self.cut(options.folder, into: source)
        let many = try Self.sources(source, (0..<Self.tagCount).map { "\"t\($0)\": [{\"directory\": \"\($0)\"}]" })
        let one = try Self.sources(source, ["\"all\": [{\"filePattern\": \"**\"}]"])
        report.note("odr-build: \(bytes) bytes, \(many.plan.packs.count) packs against \(one.plan.packs.count)")
        var target = scratch.path.appending("packs")
        var round = 0
        func makeWay() throws {
            if round > 0 { try Emptied.empty(target) }
            round += 1
            target = scratch.path.appending("packs\(round)")
            try FileDescriptor.currentDirectory.makeDirectories(at: target)
        }
        for hasIndexes in [true, false] {
            func pack(_ sources: TaggedSources) throws {
                var builder = ResourceBuilder(sources)
                builder.hasIndexes = hasIndexes
                _ = try builder.packAll(into: target)
            }
            let times = try Timing.compare(
                rounds: options.rounds, preparing: makeWay, { try pack(many) }, { try pack(one) })
            report.ratio(
                "odr-build 1,000 tags / one pack, \(hasIndexes ? "with" : "without") indexes",
                times.ours.ratios(to: times.reference), .atMost(1.2),
                detail: times.ours.text(beside: times.reference))
        }
    }

    private static func sources(_ folder: FilePath, _ tags: [String]) throws -> TaggedSources {
        let text = "{\"tags\": {\(tags.joined(separator: ", "))}}"
        return try TaggedSources(
            TagManifest(text.utf8, source: "Tags.json"), bundleID: "org.example.game", sourceDirectory: folder)
    }

    /// The contents of a tree in equal pieces, four files in each of as many folders as there are tags.
    private static func cut(_ tree: FilePath, into folder: FilePath) throws -> Int {
        let listing = FileSystemListing(root: tree)
        var contents: [UInt8] = []
        var waiting = [PackPath.root]
        while let path = waiting.popLast() {
            for (name, node) in try listing.children(of: path) {
                switch node {
                case .directory: waiting.append(path.appending(name))
                case .file: contents += try File.read(listing.location(of: path.appending(name)))
                case .link, .special: break
                }
            }
        }
        let size = contents.count / (tagCount * 4)
        guard size > 0 else { throw BenchmarkError("\(tree) holds less than \(tagCount * 4) bytes") }
        for piece in 0..<(tagCount * 4) {
            let below = folder.appending("\(piece / 4)")
            try FileDescriptor.currentDirectory.makeDirectories(at: below)
            try AtomicFile.write(
                contents[(piece * size)..<((piece + 1) * size)], to: below.appending("\(piece % 4).bin"), durable: false
            )
        }
        return size * tagCount * 4
    }
}

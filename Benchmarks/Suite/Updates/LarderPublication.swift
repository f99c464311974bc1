// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System

/// Both versions of a pair as packs, with what `ba-package` makes for updates, laid out as a static server wants it.
struct LarderPublication {
    private static let pack = "Tree"

    /// What a device is offered beside the new version's archive.
    enum Offer: String, CaseIterable {
        case whole, parts, patch

        /// As a row is called.
        var name: String { "larder \(rawValue)" }
    }

    /// Where the programs are, as they are installed.
    let programs: FilePath
    let pair: UpdatePair
    /// What is served.
    let served: FilePath
    /// The options with which both versions are packed: what `diff` advises.
    private(set) var advice: [String] = []
    /// Making the new version's archive and its index.
    private(set) var package = RunCost()
    /// Making the patch.
    private(set) var patch = RunCost()

    private var basePackage: FilePath { programs.appending("ba-package") }
    /// The archive of a version, 1 or 2.
    func archive(_ version: Int) -> FilePath { served.pushing(FilePath("\(version)/\(Self.pack)")) }
    private func manifest(_ name: String) -> FilePath { served.appending("\(name).json") }

    /// - Parameter url: where `served` is to be had.
    init(_ pair: UpdatePair, programs: FilePath, served: FilePath, url: String) throws {
        (self.pair, self.programs, self.served) = (pair, programs, served)
        let here = FileDescriptor.currentDirectory
        let source = served.appending("pack.json")
        let text =
            #"{ "assetPackID": "\#(Self.pack)", "downloadPolicy": { "essential": { "installationEventTypes": "#
            + #"["firstInstallation", "subsequentUpdate"] } }, "platforms": ["Linux"], "#
            + #""fileSelectors": [ { "directorySource": ".", "directoryDestination": "." } ] }"#
        try here.makeDirectories(at: served)
        try AtomicFile.write(text.utf8, to: source, durable: false)
        try pack(source, [])
        advice = try advised()
        if !advice.isEmpty { try pack(source, advice) }
        for version in [1, 2] {
            for suffix in ["", ".index"] where here.exists(at: FilePath(made(version).string + suffix)) {
                try here.link(
                    from: FilePath(made(version).string + suffix), to: FilePath(archive(version).string + suffix))
            }
        }
        try list("old", version: 1, url: url)
        try list(Offer.parts.rawValue, version: 2, url: url)
        // What lies beside the archive is listed: out of sight, it is not.
        let index = served.pushing(FilePath("2/\(Self.pack).aar.index"))
        let hidden = FilePath(index.string + ".hidden")
        if here.exists(at: index) { try here.rename(from: index, to: hidden) }
        try list(Offer.whole.rawValue, version: 2, url: url)
        if here.exists(at: hidden) { try here.rename(from: hidden, to: index) }
        guard try knows("patch") else { return }
        let target = patchFile
        patch = try RunCost.of(
            [
                basePackage.string, "patch", "1/\(Self.pack).aar", "2/\(Self.pack).aar", "-o", target.string, "--quiet",
            ], in: served
        ).cost
        try listPatch(at: "\(url)/2/\(target.lastComponent?.string ?? "")")
    }

    /// An archive under the name that it is made with; the server has it under the pack's.
    private func made(_ version: Int) -> FilePath {
        archive(version).removingLastComponent().appending("\(Self.pack).aar")
    }

    /// Packs both versions.
    private mutating func pack(_ source: FilePath, _ options: [String]) throws {
        let here = FileDescriptor.currentDirectory
        for (version, tree) in [(1, pair.old), (2, pair.new)] {
            let made = made(version)
            try here.makeDirectories(at: made.removingLastComponent())
            for suffix in ["", ".index"] where here.exists(at: FilePath(made.string + suffix)) {
                try here.remove(at: FilePath(made.string + suffix))
            }
            package = try RunCost.of(
                [basePackage.string, "package", source.string, "-o", made.string, "--quiet"] + options, in: tree
            ).cost
        }
    }

    /// The options that `diff` advises a publisher to pack with; none when it does not.
    private func advised() throws -> [String] {
        let words = [basePackage.string, "diff", made(1).string, made(2).string, "--json"]
        let advice = try JSONParser.parse(RunCost.of(words, in: served).output).value["advice"]
        guard let compression = advice?["compression"]?.stringValue, let size = advice?["blockSize"]?.integerValue
        else { return [] }
        return ["--compression", compression, "--block-size", "\(size)"]
    }

    private var patchFile: FilePath { FilePath(archive(2).string + ".from-1.patch") }
    /// What `ba-package` makes beside it in place of a large index.
    private var listFile: FilePath { FilePath(archive(2).string + ".from-1.list") }

    private func knows(_ command: String) throws -> Bool {
        let help = try ChildProcess.run(executable: basePackage, arguments: ["--help"]).outputText
        return help.split(separator: "\n").contains { $0.split(separator: " ").first.map { $0 == command } ?? false }
    }

    /// Adds the patch to what is listed for devices that fetch parts.
    private func listPatch(at url: String) throws {
        func read(_ name: String) throws -> ([String: JSONValue], pack: [String: JSONValue], own: [String: JSONValue]) {
            guard let root = try JSONParser.parse(File.read(manifest(name))).value.objectValue,
                let pack = root["assetPacks"]?.arrayValue?.first?.objectValue, let own = pack["larder"]?.objectValue
            else { throw BenchmarkError("\(manifest(name)) lists no pack") }
            return (root, pack, own)
        }
        guard let base = try read("old").own["digest"]?["value"] else {
            throw BenchmarkError("\(manifest("old")) has no digest")
        }
        func listing(_ file: FilePath, at url: String) throws -> [String: JSONValue] {
            let sum = try RunCost.of(["sha256sum", file.string], in: served).output
            let size = try FileDescriptor.currentDirectory.status(at: file).size
            return ["url": .string(url), "size": .integer(size), "sha256": .string(String(sum.prefix(64)))]
        }
        var patch = try listing(patchFile, at: url)
        patch["from"] = .integer(1)
        patch["base"] = base
        if FileDescriptor.currentDirectory.exists(at: listFile) {
            let place = url.dropLast((patchFile.lastComponent?.string ?? "").utf8.count)
            patch["list"] = .object(try listing(listFile, at: place + (listFile.lastComponent?.string ?? "")))
        }
        var (root, pack, own) = try read(Offer.parts.rawValue)
        own["patches"] = .array([.object(patch)])
        pack["larder"] = .object(own)
        root["assetPacks"] = .array([.object(pack)])
        try AtomicFile.write(
            JSONValue.object(root).serialized().utf8, to: manifest(Offer.patch.rawValue), durable: false)
    }

    private func list(_ name: String, version: Int, url: String) throws {
        _ = try RunCost.of(
            [
                basePackage.string, "download-manifest", "create", made(version).string, "--asset-pack-versions",
                "\(version)",
                "--linux", "--download-base-url", "\(url)/\(version)", "-o", manifest(name).string, "--quiet",
            ], in: served)
    }

    /// What the server has for the new version now.
    func offer(_ name: String) throws {
        let bytes = try File.read(manifest(name))
        try AtomicFile.write(bytes, to: served.appending("manifest.json"), durable: false)
    }

    /// The old version, as before the update.
    func offerOld() throws { try offer("old") }

    /// Bytes of what there is for the new version; nil for what could not be made.
    func size(_ offer: Offer) -> Int64? {
        let file =
            switch offer {
            case .whole: archive(2)
            case .parts: FilePath(archive(2).string + ".index")
            case .patch: patchFile
            }
        return (try? FileDescriptor.currentDirectory.status(at: file))?.size
    }
}

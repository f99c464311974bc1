// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import BackgroundAssets
import System

/// An app that does what its standard input says, a command a line, and answers on standard output: one line that begins
/// with `ok` or `error` for each command, and `update` lines while it follows a download.
@main
enum ProbeApp {
    @MainActor
    static func main() async {
        var commands = Commands()
        say("ready")
        while let line = readLine() {
            let words = line.split(separator: " ").map(String.init)
            guard let verb = words.first else { continue }
            do {
                say("ok " + (try await commands.run(verb, Array(words.dropFirst()))))
            } catch {
                let oneLine = String(describing: error).replacingOccurrences(of: "\n", with: " ")
                say("error \(type(of: error)) \(oneLine)")
            }
        }
    }
}

/// One line at once; standard output is a pipe and would be held back.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

struct Commands {
    private let manager = AssetPackManager.shared
    /// What `hold` read, still mapped.
    private var held: [Data] = []
    private var resources = ResourceCommands()

    struct Unknown: Error {}

    mutating func run(_ verb: String, _ arguments: [String]) async throws -> String {
        let name = arguments.first ?? ""
        switch verb {
        case "read":
            return Self.summary(
                try manager.contents(at: FilePath(name), searchingInAssetPackWithID: arguments.dropFirst().first))
        case "descriptor": return try readDescriptor(FilePath(name))
        case "url": return try manager.url(for: FilePath(name)).path
        case "hold":
            held.append(try manager.contents(at: FilePath(name)))
            return Self.summary(held[held.count - 1])
        case "held": return held.map(Self.summary).joined(separator: " ")
        case "local": return String(manager.assetPackIsAvailableLocally(withID: name))
        case "status": return String(try await manager.status(relativeTo: pack(name)).rawValue)
        case "localStatus": return String(await manager.localStatus(ofAssetPackWithID: name).rawValue)
        case "manifest": return try await manager.manifest.assetPacks.map(\.id).sorted().joined(separator: " ")
        case "ensure": return try await ensure(name, latest: false)
        case "ensureLatest": return try await ensure(name, latest: true)
        case "remove":
            try await manager.remove(assetPackWithID: name)
            return name
        case "check":
            let result = try await manager.checkForUpdates()
            return "updating=\(result.updatingIDs.sorted()) removed=\(result.removedIDs.sorted())"
        case "language":
            if let tag = arguments.first { manager.resolvedLanguage = tag == "nil" ? nil : .init(identifier: tag) }
            return manager.resolvedLanguage?.minimalIdentifier ?? "nil"
        case "languages": return await manager.locallyAvailableLanguages.map(\.minimalIdentifier).joined(separator: " ")
        case "reconcile":
            try await manager.reconcilePreferredLanguages()
            return "reconciled"
        case "localized":
            let language = Locale.Language(identifier: arguments.dropFirst().first ?? "")
            return Self.summary(try manager.contents(at: FilePath(name), asLocalizedFor: language))
        case "follow": return await Self.follow(name, of: manager, cancelling: false)
        case "cancelled": return try await cancelOnce(name)
        default: return try await resources.run(verb, arguments)
        }
    }

    private func pack(_ id: String) async throws -> AssetPack {
        guard let pack = try await manager.manifest.assetPack(withID: id) else {
            throw ManagedBackgroundAssetsError.assetPackNotFound(withID: id)
        }
        return pack
    }

    private func ensure(_ id: String, latest: Bool) async throws -> String {
        try await manager.ensureLocalAvailability(of: pack(id), requireLatestVersion: latest)
        return id
    }

    /// Prints a pack's updates until they end; with `cancelling`, cancels at the first sign of progress.
    private static func follow(_ id: String, of manager: AssetPackManager, cancelling: Bool) async -> String {
        var last = "none"
        for await update in manager.statusUpdates(forAssetPackWithID: id) {
            switch update {
            case .began: last = "began"
            case .paused: last = "paused"
            case .downloading(_, let progress):
                last = "downloading"
                if cancelling { progress.cancel() }
            case .finished: last = "finished"
            case .failed(_, let error): last = "failed \(type(of: error))"
            @unknown default: last = "unknown"
            }
            say("update \(id) \(last)")
        }
        return last
    }

    private func cancelOnce(_ id: String) async throws -> String {
        let pack = try await pack(id)
        let follower = Task { [manager] in await Self.follow(id, of: manager, cancelling: true) }
        do {
            try await manager.ensureLocalAvailability(of: pack)
            return "finished " + (await follower.value)
        } catch {
            return "\(await follower.value)"
        }
    }

    private func readDescriptor(_ path: FilePath) throws -> String {
        let descriptor = try manager.descriptor(for: path)
        defer { try? descriptor.close() }
        return Self.summary(
            try FileHandle(fileDescriptor: descriptor.rawValue, closeOnDealloc: false).readToEnd() ?? Data())
    }

    /// Length and a checksum (FNV-1a, 64 bits) that a test computes as well.
    static func summary(_ data: Data) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in data { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return "\(data.count):\(String(hash, radix: 16))"
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit
import PackNamespace
import System
import TestSupport

@testable import BackgroundAssets

/// An app as it lies in the service's state, with packs that tests put there and take away.
final class InstalledApp: Sendable {
    let layout: AppRootLayout
    private let generation = Locked<UInt64>(0)

    init(_ scratch: Scratch) throws {
        layout = AppRootLayout(root: scratch("apps/org.example.Game"))
        try FileDescriptor.currentDirectory.makeDirectories(at: layout.root)
    }

    var identity: AppIdentity {
        let home = layout.root.removingLastComponent()
        return AppIdentity(
            bundleID: "org.example.Game", root: layout.root,
            paths: LarderPaths(state: home, runtime: home, configuration: home), socket: home.appending("no.sock"))
    }

    /// A manager of this app's packs; without a service all that needs one fails.
    func manager(_ service: FakeService? = nil, patience: RetryPolicy = .service) -> AssetPackManager {
        AssetPackManager(identity: .success(identity), patience: patience) { identity in
            guard let service else { throw DeviceError(.unavailable, "There is no service.") }
            return try await service.connect(as: identity.bundleID)
        }
    }

    /// Makes a generation of these packs (id, then path to content) and switches to it, as the service does.
    /// - Parameter languages: tags of the localised packs, by id.
    func publish(
        _ packs: [String: [String: String]], version: UInt64 = 1, languages: [String: String] = ["English": "en-GB"]
    ) throws {
        let here = FileDescriptor.currentDirectory
        let number = generation.withLock { number in
            number += 1
            return number
        }
        var writer = NamespaceWriter(generation: number)
        for (id, files) in packs {
            let directory = "packs/\(id)/\(version)"
            try writer.begin(
                NamespacePack(
                    id: id, version: version, directory: directory, language: languages[id],
                    userInfo: "{\"size\":1}", downloadSize: 1000, installedSize: 2345, allocatedSize: 4096))
            for (path, content) in files {
                let file = layout.root.appending(directory).appending(path)
                try here.makeDirectories(at: file.removingLastComponent())
                try AtomicFile.write(content.utf8, to: file, durable: false)
                try writer.add(path: path, size: UInt64(content.utf8.count))
            }
        }
        let bytes = try writer.finish()
        try here.makeDirectories(at: layout.generation(number))
        try AtomicFile.write(bytes, to: layout.namespace(number), durable: false)
        try AtomicFile.write([], to: layout.lease(number), durable: false)
        let link = layout.root.appending(".next")
        try here.makeSymbolicLink(to: "generations/\(number)", at: link)
        try here.rename(from: link, to: layout.current)
        try GenerationCounter.store(number, in: layout)
    }

    /// Whether no reader holds a generation, so that the service may delete it.
    func mayDelete(_ number: UInt64) throws -> Bool {
        let lease = try OwnedDescriptor(layout.lease(number), .readOnly)
        return try lease.borrowed.tryLock(.exclusive)
    }

    func delete(pack id: String, version: UInt64 = 1) throws {
        try FileDescriptor.currentDirectory.removeTree(at: layout.pack(id).appending("\(version)"))
    }

    func uninstall() throws { try FileDescriptor.currentDirectory.removeTree(at: layout.root) }

    func damageNamespace() throws {
        try AtomicFile.write(Array("not a namespace".utf8), to: layout.namespace(1), durable: false)
    }
}

/// A pack as the service describes it.
func described(_ id: String, version: Int = 1, size: Int64 = 1000, policy: PackPolicy = .onDemand) -> PackDescription {
    PackDescription(id: id, version: version, downloadSize: size, policy: policy, userInfo: "{\"level\":3}")
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import BackgroundAssets
import DeviceProtocol
import Kit
import PackNamespace
import System

/// An app root with one pack of many paths, some of which have files.
struct NamespaceTree {
    let manager: AssetPackManager
    /// Paths that have files, as the app and as the kernel name them.
    let files: [(app: FilePath, kernel: FilePath)]

    /// - Parameters:
    ///   - folder: a folder that is empty.
    ///   - paths: how many paths the namespace has.
    ///   - files: how many of them, evenly spread, have a file.
    ///   - size: bytes of each file.
    init(in folder: FilePath, paths: Int, files: Int, size: Int) throws {
        let here = FileDescriptor.currentDirectory
        let layout = AppRootLayout(root: folder.appending("apps/org.example.Bench"))
        let directory = "packs/Bench/1"
        var writer = NamespaceWriter(generation: 1)
        try writer.begin(NamespacePack(id: "Bench", version: 1, directory: directory))
        let content = [UInt8](repeating: 7, count: size)
        var made: [(app: FilePath, kernel: FilePath)] = []
        var lastFolder = FilePath()
        for number in 0..<paths {
            let path = "Levels/\(number / 1000)/Part \(number / 100 % 10)/level-\(number).sol"
            try writer.add(path: path, size: UInt64(size))
            guard number % (paths / files) == 0, made.count < files else { continue }
            let file = layout.root.appending(directory).appending(path)
            let parent = file.removingLastComponent()
            if parent != lastFolder { try here.makeDirectories(at: parent) }
            lastFolder = parent
            try AtomicFile.write(content, to: file, durable: false)
            made.append((FilePath(path), file))
        }
        try here.makeDirectories(at: layout.generation(1))
        try AtomicFile.write(try writer.finish(), to: layout.namespace(1), durable: false)
        try AtomicFile.write([], to: layout.lease(1), durable: false)
        try here.makeSymbolicLink(to: "generations/1", at: layout.current)
        try GenerationCounter.store(1, in: layout)
        self.files = made
        let paths = LarderPaths(state: folder, runtime: folder, configuration: folder)
        let identity = AppIdentity(
            bundleID: "org.example.Bench", root: layout.root, paths: paths, socket: paths.socket)
        manager = AssetPackManager(identity: .success(identity)) { _ in
            throw DeviceError(.unavailable, "Reading asks nobody.")
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System

@testable import PackNamespace

/// A namespace in memory that keeps its bytes alive.
final class MemoryNamespace {
    let table: NamespaceTable
    private let bytes: UnsafeMutableRawBufferPointer

    init(_ file: [UInt8]) throws {
        bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: max(file.count, 1), alignment: 8)
        bytes.copyBytes(from: file)
        do {
            table = try NamespaceTable(UnsafeRawBufferPointer(rebasing: bytes[..<file.count]), source: "test")
        } catch {
            bytes.deallocate()
            throw error
        }
    }

    deinit { bytes.deallocate() }

    /// The pack and size that a path has.
    func find(_ path: String, inPack pack: String? = nil) -> (pack: String, size: UInt64)? {
        var number: Int?
        if let pack {
            number = table.packIndex(id: pack)
            guard number != nil else { return nil }
        }
        var path = path
        return path.withUTF8 { bytes in
            table.lookup(UnsafeRawBufferPointer(bytes), inPackAt: number).map { (table.pack(at: $0.pack).id, $0.size) }
        }
    }
}

func namespace(_ packs: [String: [String: UInt64]], generation: UInt64 = 1) throws -> [UInt8] {
    var writer = NamespaceWriter(generation: generation)
    for (id, files) in packs {
        try writer.begin(NamespacePack(id: id, version: 1, directory: "packs/\(id)/1"))
        for (path, size) in files { try writer.add(path: path, size: size) }
    }
    return try writer.finish()
}

/// An app root in a scratch folder, written as the service writes it.
struct AppRoot: ~Copyable {
    let scratch: TemporaryDirectory
    var layout: AppRootLayout { AppRootLayout(root: scratch.path) }

    init() throws { scratch = try TemporaryDirectory(prefix: "larder-namespace") }

    /// Writes the files of packs whose contents are given, and switches to a generation that lists them.
    func publish(_ number: UInt64, _ packs: [String: [String: String]], version: String = "1") throws {
        let here = FileDescriptor.currentDirectory
        var writer = NamespaceWriter(generation: number)
        for (id, files) in packs {
            try writer.begin(NamespacePack(id: id, version: number, directory: "packs/\(id)/\(version)"))
            for (path, content) in files {
                let file = layout.root.appending("packs/\(id)/\(version)").appending(path)
                try here.makeDirectories(at: file.removingLastComponent())
                try AtomicFile.write(content.utf8, to: file, durable: false)
                try writer.add(path: path, size: UInt64(content.utf8.count))
            }
        }
        try publish(number, bytes: try writer.finish())
    }

    func publish(_ number: UInt64, bytes: [UInt8]) throws {
        let here = FileDescriptor.currentDirectory
        try here.makeDirectories(at: layout.generation(number))
        try AtomicFile.write(bytes, to: layout.namespace(number), durable: false)
        try AtomicFile.write([], to: layout.lease(number), durable: false)
        let link = layout.root.appending(".next")
        try here.makeSymbolicLink(to: "generations/\(number)", at: link)
        try here.rename(from: link, to: layout.current)
        try GenerationCounter.store(number, in: layout)
    }

    /// Deletes a generation and the packs it alone names, as the service does: under the lock, the lease first.
    /// False when a reader holds it.
    func delete(_ number: UInt64, packVersion: String) throws -> Bool {
        let here = FileDescriptor.currentDirectory
        let lease = try OwnedDescriptor(layout.lease(number), .readOnly)
        guard try lease.borrowed.tryLock(.exclusive) else { return false }
        try here.remove(at: layout.lease(number))
        try here.removeTree(at: layout.generation(number))
        for pack in try here.entries(at: layout.packs) {
            try here.removeTree(at: layout.packs.appending(pack.name).appending(packVersion))
        }
        return true
    }
}

func contents(_ file: OpenedFile) throws -> String {
    let owner = OwnedDescriptor(file.descriptor)
    return String(decoding: try owner.borrowed.readAll(), as: UTF8.self)
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import FuzzSupport
import PackNamespace

/// Damaged namespace files: whatever a reader asks of one, it answers or refuses, and never reads outside.
@main
enum NamespaceFuzz {
    static func main() throws {
        try Fuzzer(name: "fuzz-namespace").run(corpus: try corpus()) { input, _ in
            try input.withUnsafeBytes { bytes in
                guard let table = try? NamespaceTable(bytes, source: "fuzz") else { return }
                try ask(table)
            }
        }
    }

    private static func corpus() throws -> [[UInt8]] {
        try [0, 1, 40].map { files in
            var writer = NamespaceWriter(generation: 3)
            for pack in ["Alpha", "Beta"] {
                try writer.begin(
                    NamespacePack(
                        id: pack, version: 1, directory: "packs/\(pack)/1", language: "en", userInfo: "{}",
                        policy: "onDemand"))
                for number in 0..<files {
                    try writer.add(path: "Levels/\(number % 5)/\(number).lvl", size: UInt64(number))
                }
            }
            return try writer.finish()
        }
    }

    private static func ask(_ table: NamespaceTable) throws {
        _ = table.isIntact
        _ = table.packIndex(id: "Alpha")
        _ = table.allPacks
        _ = table.collisions(limit: 10)
        _ = table.list("Levels")
        _ = table.list("Levels/3", inPackAt: 0)
        _ = table.packs(below: "Levels")
        for index in 0..<min(table.entryCount, 50) { _ = table.entry(at: index) }
        for path in ["Levels/3/3.lvl", "Levels/none", ""] {
            let bytes = Array(path.utf8)
            try bytes.withUnsafeBytes { path in
                _ = table.lookup(path)
                let found = table.lookup(path, inPackAt: 0)
                try Finding.require(found.map { $0.pack == 0 } ?? true, "another pack's file was found")
            }
        }
    }
}

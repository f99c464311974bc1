// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import System

/// What the archive benchmarks take: a folder, then options.
struct ArchiveArguments {
    var folder: FilePath
    var compressions: [Compression]
    var rounds = 5

    init(_ words: [String], defaultCompressions: [Compression]) throws {
        compressions = defaultCompressions
        var folder: String?
        var rest = words[...]
        while let word = rest.popFirst() {
            switch word {
            case "--rounds":
                guard let value = rest.popFirst().flatMap({ Int($0) }), value > 0 else {
                    throw BenchmarkError("--rounds needs a number above 0")
                }
                rounds = value
            case "--compression":
                guard let value = rest.popFirst().flatMap({ Compression(rawValue: $0) }) else {
                    throw BenchmarkError("--compression needs lzfse, lzma, zlib or lz4")
                }
                compressions = [value]
            default: folder = word
            }
        }
        guard let folder else { throw BenchmarkError("name a folder of files") }
        self.folder = FilePath(folder)
    }
}

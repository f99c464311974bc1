// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

#if LIBFUZZER

    import Glibc
    import Kit
    import System
    import TestSupport

    /// libFuzzer's loop: it keeps the inputs that reach code no other reached, and makes the next ones of them.
    @_silgen_name("LLVMFuzzerRunDriver")
    private func runDriver(
        _ count: UnsafeMutablePointer<CInt>,
        _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
        _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
    ) -> CInt

    /// What the callback runs: libFuzzer hands no context through. Set once, before the loop begins, on the loop's thread.
    private nonisolated(unsafe) var check: (([UInt8], inout SeededGenerator) throws -> Void)?

    extension Fuzzer {
        /// Lets libFuzzer look for inputs that `check` trips over, from `corpus` and what earlier runs left in the folder.
        /// What it finds it writes to that folder; the program ends with what libFuzzer ends it with.
        func runGuided(
            corpus: [[UInt8]], dictionary: [[UInt8]], _ body: @escaping ([UInt8], inout SeededGenerator) throws -> Void
        ) throws -> Never {
            check = body
            let folder = FilePath(self.corpus ?? ".build/fuzz/\(name)")
            try FileDescriptor.currentDirectory.makeDirectories(at: folder)
            for (index, input) in corpus.enumerated() {
                try AtomicFile.write(input, to: folder.appending("seed-\(index)"), durable: false)
            }
            let base = folder.removingLastComponent()
            var arguments = [
                name, folder.string, "-max_total_time=\(Int(seconds.rounded(.up)))",
                "-seed=\(UInt32(truncatingIfNeeded: seed))", "-artifact_prefix=\(base.string)/\(name)-", "-timeout=20",
                "-max_len=65536", "-print_final_stats=1",
            ]
            if !dictionary.isEmpty {
                let words = base.appending("\(name).dict")
                let lines = dictionary.map { word in
                    "\"" + word.map { "\\x" + String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined() + "\"\n"
                }
                try AtomicFile.write(lines.joined().utf8, to: words, durable: false)
                arguments.append("-dict=\(words.string)")
            }
            var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
            var count = CInt(arguments.count)
            let result = pointers.withUnsafeMutableBufferPointer { buffer in
                var base = buffer.baseAddress
                return runDriver(&count, &base, testOneInput)
            }
            exit(result)
        }
    }

    /// libFuzzer's callback. An error that the check throws is a finding, which libFuzzer learns of by the abort.
    private func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
        let input = Array(UnsafeBufferPointer(start: bytes, count: count))
        // What a check decides by chance, it decides the same way for the same input.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in input { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        var generator = SeededGenerator(seed: hash)
        do {
            try check?(input, &generator)
        } catch {
            print("found: \(error)")
            abort()
        }
        return 0
    }

#endif

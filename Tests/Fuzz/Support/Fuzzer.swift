// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Glibc
package import TestSupport

/// Feeds mutated inputs to a check for some seconds. What the seed begins, the seed repeats: the inputs come in one order.
///
///     fuzz-archive 60
///     fuzz-archive --seconds 60 --seed 1234
package struct Fuzzer {
    package let name: String
    package let seconds: Double
    package let seed: UInt64
    /// Where a guided run keeps its inputs from run to run.
    let corpus: String?

    /// Reads the command line; ends the program when it makes no sense.
    package init(name: String, arguments: [String] = Array(CommandLine.arguments.dropFirst())) {
        self.name = name
        var seconds = 10.0
        var seed = UInt64.random(in: 0...UInt64.max)
        var corpus: String?
        var rest = arguments[...]
        while let word = rest.popFirst() {
            let value = word.hasPrefix("--") ? rest.popFirst() : word
            if word == "--seed", let number = value.flatMap({ UInt64($0) }) {
                seed = number
            } else if word == "--seconds" || !word.hasPrefix("--"), let number = value.flatMap({ Double($0) }) {
                seconds = number
            } else if word == "--corpus", let value {
                corpus = value
            } else {
                print("usage: \(name) [SECONDS] [--seconds N] [--seed S] [--corpus FOLDER]")
                exit(2)
            }
        }
        self.seconds = seconds
        self.seed = seed
        self.corpus = corpus
    }

    /// Runs `check` on inputs made from `corpus` until the time is over. An error that it throws is a finding: it is printed
    /// with the seed, and the program ends with 1.
    ///
    /// Built with `LIBFUZZER` and its instrumentation, as `scripts/fuzz` does, libFuzzer chooses the inputs by what code
    /// they reach; otherwise they are mutations by chance.
    package func run(
        corpus: [[UInt8]], dictionary: [[UInt8]] = [],
        _ check: @escaping (_ input: [UInt8], inout SeededGenerator) throws -> Void
    ) throws {
        #if LIBFUZZER
            try runGuided(corpus: corpus, dictionary: dictionary, check)
        #else
            runByChance(corpus: corpus, dictionary: dictionary, check)
        #endif
    }

    private func runByChance(
        corpus: [[UInt8]], dictionary: [[UInt8]], _ check: (_ input: [UInt8], inout SeededGenerator) throws -> Void
    ) {
        print("\(name): \(corpus.count) inputs to start from, --seed \(seed)")
        let end = ContinuousClock.now + .seconds(seconds)
        var generator = SeededGenerator(seed: seed)
        var count = 0
        while ContinuousClock.now < end {
            guard var input = corpus.randomElement(using: &generator) else { return }
            // Now and then the input as it is, which must pass.
            if count % 50 != 0 { Mutation.apply(to: &input, dictionary: dictionary, &generator) }
            do {
                try check(input, &generator)
            } catch {
                print("\(name): input \(count) found: \(error)\nrun again with --seed \(seed)")
                exit(1)
            }
            count += 1
        }
        print("\(name): \(count) inputs, nothing found")
    }
}

/// What a check throws when something is not as it must be.
package struct Finding: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }

    package static func require(_ condition: Bool, _ text: @autoclosure () -> String) throws {
        if !condition { throw Finding(text()) }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import System

/// What a command line said, checked against its command. Names are those of the declarations.
package struct ParsedArguments: Hashable, Sendable {
    var flags: Set<String> = []
    var values: [String: [String]] = [:]
    var positional: [String: [String]] = [:]
    var defaults: [String: String] = [:]

    package init() {}

    package func flag(_ name: String) -> Bool { flags.contains(name) }

    /// The option's value, or its default.
    package func value(_ name: String) -> String? { values[name]?.last ?? defaults[name] }

    /// Every value the option was given, in order.
    package func values(_ name: String) -> [String] { values[name] ?? [] }

    /// The option's value as a path.
    package func path(_ name: String) -> FilePath? { value(name).map { FilePath($0) } }

    /// The option's value as a whole number.
    /// - Throws: `UsageError` when it is none, or outside `range`.
    package func integer(_ name: String, in range: ClosedRange<Int> = 0...Int.max) throws -> Int? {
        guard let text = value(name) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            let bounds =
                range.upperBound == Int.max
                ? "of at least \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
            throw UsageError("--\(name) needs a whole number \(bounds), not \"\(text)\".")
        }
        return number
    }

    /// The option's value, which must be one of `choices`.
    /// - Throws: `UsageError`
    package func choice(_ name: String, of choices: [String]) throws -> String? {
        guard let text = value(name) else { return nil }
        guard choices.contains(text) else {
            throw UsageError(
                "--\(name) does not know \"\(text)\"; it takes \(choices.joined(separator: ", ")).",
                suggestion: Spelling.closest(to: text, among: choices))
        }
        return text
    }

    /// The option's value, which the command cannot do without.
    /// - Throws: `UsageError`
    package func required(_ name: String) throws -> String {
        guard let value = value(name) else { throw UsageError("The option --\(name) is missing.") }
        return value
    }

    /// The positional argument, nil when an optional one was not given.
    package func argument(_ name: String) -> String? { positional[name]?.first }

    /// Every value of a repeating argument.
    package func arguments(_ name: String) -> [String] { positional[name] ?? [] }

    /// A positional argument that is not optional; the parser has seen to it that it is there.
    /// - Throws: `UsageError`
    package func requiredArgument(_ name: String) throws -> String {
        guard let value = argument(name) else { throw UsageError("The argument <\(name)> is missing.") }
        return value
    }
}

/// A command line that makes no sense, with what would.
package struct UsageError: LarderError {
    package let message: String
    /// A name that was probably meant.
    package let suggestion: String?

    package init(_ message: String, suggestion: String? = nil) {
        self.message = suggestion.map { "\(message) Did you mean \"\($0)\"?" } ?? message
        self.suggestion = suggestion
    }

    package var codeName: String { "usage" }
    package var cause: (any Error)? { nil }
    package var exitCode: ExitCode { .usage }
}

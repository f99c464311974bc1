// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// A pattern for paths: `*` and `?` within a name, `**` over any number of folders, `[a-z]` and `[!a-z]`,
/// `{a,b}` for alternatives, and `\` before a character that stands for itself.
///
/// A leading dot in a name is no exception: `*` matches it. Letters differ from their capitals.
package struct Glob: Hashable, Sendable {
    package let text: String
    /// One per way to choose among the braces.
    let alternatives: [[Segment]]

    enum Segment: Hashable, Sendable {
        /// `**`
        case anyFolders
        case name([Token])
    }

    enum Token: Hashable, Sendable {
        case scalar(Unicode.Scalar)
        case anyScalar
        case anyRun
        case set([ClosedRange<Unicode.Scalar>], negated: Bool)
    }

    /// Why a text is no pattern, as the end of a sentence that starts with the text.
    package struct Problem: Error {
        package let reason: String
        init(_ reason: String) { self.reason = reason }
    }

    /// A pattern for whole paths.
    /// - Throws: `Problem`
    package init(_ text: String) throws(Problem) {
        self.text = text
        alternatives = try GlobParser.alternatives(of: text)
    }

    /// A pattern for paths; without a slash it is one for names, wherever they are.
    /// - Throws: `Problem`
    package init(nameOrPath text: String) throws(Problem) {
        self.text = text
        let anywhere = !text.utf8.contains(UInt8(ascii: "/"))
        alternatives = try GlobParser.alternatives(of: text).map { anywhere ? [.anyFolders] + $0 : $0 }
    }

    /// Whether the whole path fits.
    package func matches(_ path: PackPath) -> Bool {
        var walk = Walk(self)
        for name in path.components { walk.enter(name) }
        return walk.isMatch
    }

    /// How far a walk down a tree has come in the pattern: folders that cannot hold a match need not be read.
    package struct Walk: Sendable {
        private let glob: Glob
        /// Per alternative the numbers of segments that may be behind us.
        private var reached: [Set<Int>]

        package init(_ glob: Glob) {
            self.glob = glob
            reached = glob.alternatives.map { Self.skippingFolders([0], in: $0) }
        }

        /// What was entered so far is itself a match.
        package var isMatch: Bool { zip(glob.alternatives, reached).contains { $1.contains($0.count) } }

        /// Something below may match.
        package var canGoOn: Bool {
            zip(glob.alternatives, reached).contains { segments, positions in
                positions.contains { $0 < segments.count }
            }
        }

        package mutating func enter(_ name: some StringProtocol) {
            let scalars = Array(name.unicodeScalars)
            for index in reached.indices {
                let segments = glob.alternatives[index]
                var next: Set<Int> = []
                for position in reached[index] where position < segments.count {
                    switch segments[position] {
                    case .anyFolders:
                        next.insert(position)
                        if position == segments.count - 1 { next.insert(position + 1) }
                    case .name(let tokens):
                        if GlobMatcher.matches(tokens, scalars) { next.insert(position + 1) }
                    }
                }
                reached[index] = Self.skippingFolders(next, in: segments)
            }
        }

        package func entering(_ name: some StringProtocol) -> Walk {
            var copy = self
            copy.enter(name)
            return copy
        }

        /// `**` before another segment may stand for no folder at all.
        private static func skippingFolders(_ positions: Set<Int>, in segments: [Segment]) -> Set<Int> {
            var result = positions
            for start in positions {
                var position = start
                while position < segments.count - 1, segments[position] == .anyFolders {
                    position += 1
                    result.insert(position)
                }
            }
            return result
        }
    }
}

/// Matches one name.
enum GlobMatcher {
    static func matches(_ tokens: [Glob.Token], _ name: [Unicode.Scalar]) -> Bool {
        var token = 0
        var position = 0
        var lastRun: (token: Int, position: Int)?
        while position < name.count {
            if token < tokens.count, tokens[token] == .anyRun {
                lastRun = (token, position)
                token += 1
            } else if token < tokens.count, matches(tokens[token], name[position]) {
                token += 1
                position += 1
            } else if let run = lastRun {
                lastRun = (run.token, run.position + 1)
                token = run.token + 1
                position = run.position + 1
            } else {
                return false
            }
        }
        return tokens[token...].allSatisfy { $0 == .anyRun }
    }

    private static func matches(_ token: Glob.Token, _ scalar: Unicode.Scalar) -> Bool {
        switch token {
        case .scalar(let expected): expected == scalar
        case .anyScalar: true
        case .anyRun: false
        case .set(let ranges, let negated): ranges.contains { $0.contains(scalar) } != negated
        }
    }
}

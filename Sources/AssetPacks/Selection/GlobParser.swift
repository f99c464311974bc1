// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Reads patterns.
enum GlobParser {
    /// More alternatives than anyone writes by hand; `{a,b}{a,b}...` doubles them with each pair.
    static let maximumAlternatives = 1024

    static func alternatives(of text: String) throws(Glob.Problem) -> [[Glob.Segment]] {
        if text.utf8.isEmpty { throw Glob.Problem("is empty") }
        if text.utf8.contains(0) { throw Glob.Problem("holds a NUL character") }
        if text.utf8.count > 4096 { throw Glob.Problem("is longer than 4096 bytes") }
        var result: [[Glob.Segment]] = []
        for plain in try expandBraces(Array(text.unicodeScalars)) { result.append(try segments(of: plain)) }
        return result
    }

    private static func expandBraces(_ text: [Unicode.Scalar]) throws(Glob.Problem) -> [[Unicode.Scalar]] {
        var done: [[Unicode.Scalar]] = []
        var waiting = [text]
        while let next = waiting.popLast() {
            if let group = try firstGroup(in: next) {
                for choice in group.choices.reversed() {
                    waiting.append(Array(next[..<group.range.lowerBound]) + choice + next[group.range.upperBound...])
                }
            } else {
                done.append(next)
            }
            if waiting.count + done.count > maximumAlternatives {
                throw Glob.Problem("stands for more than \(maximumAlternatives) alternatives")
            }
        }
        return done
    }

    /// The first `{...}` that is no literal, with what its commas part.
    private static func firstGroup(
        in text: [Unicode.Scalar]
    ) throws(Glob.Problem) -> (range: Range<Int>, choices: [[Unicode.Scalar]])? {
        var start: Int?
        var depth = 0
        var choices: [[Unicode.Scalar]] = []
        var choiceStart = 0
        var position = 0
        while position < text.count {
            switch text[position] {
            case "\\": position += 1
            case "[": position = endOfSet(in: text, from: position) ?? position
            case "{":
                if start == nil {
                    start = position
                    choiceStart = position + 1
                }
                depth += 1
            case "," where depth == 1:
                choices.append(Array(text[choiceStart..<position]))
                choiceStart = position + 1
            case "}" where depth > 0:
                depth -= 1
                if depth == 0, let start {
                    choices.append(Array(text[choiceStart..<position]))
                    return (start..<position + 1, choices)
                }
            default: break
            }
            position += 1
        }
        if start != nil {
            throw Glob.Problem("has a \"{\" without its \"}\"; write \"\\\\{\" for the character itself")
        }
        return nil
    }

    /// The index of the `]` that ends the set which starts at `start`.
    private static func endOfSet(in text: [Unicode.Scalar], from start: Int) -> Int? {
        var position = start + 1
        if position < text.count, text[position] == "!" || text[position] == "^" { position += 1 }
        if position < text.count, text[position] == "]" { position += 1 }
        while position < text.count {
            if text[position] == "]" { return position }
            if text[position] == "\\" { position += 1 }
            position += 1
        }
        return nil
    }

    private static func segments(of text: [Unicode.Scalar]) throws(Glob.Problem) -> [Glob.Segment] {
        if text.first == "/" { throw Glob.Problem("is an absolute path; patterns are relative here") }
        if text.last == "/" {
            throw Glob.Problem("ends with a slash; \"**\" after it takes everything the folder holds")
        }
        var result: [Glob.Segment] = []
        for part in try splitAtSlashes(text) {
            if part.isEmpty || part == ["."] { continue }
            if part == [".", "."] { throw Glob.Problem("leaves its folder through \"..\"") }
            if part == ["*", "*"] {
                if result.last != .anyFolders { result.append(.anyFolders) }
            } else {
                result.append(.name(try tokens(of: part)))
            }
        }
        if result.isEmpty { throw Glob.Problem("names nothing") }
        return result
    }

    private static func splitAtSlashes(_ text: [Unicode.Scalar]) throws(Glob.Problem) -> [[Unicode.Scalar]] {
        var parts: [[Unicode.Scalar]] = [[]]
        var position = 0
        while position < text.count {
            var end = position
            switch text[position] {
            case "/":
                parts.append([])
                position += 1
                continue
            case "\\":
                end = position + 1
                if end == text.count { throw Glob.Problem("ends with a \"\\\" that has nothing to stand before") }
            case "[":
                guard let setEnd = endOfSet(in: text, from: position) else {
                    throw Glob.Problem("has a \"[\" without its \"]\"; write \"\\\\[\" for the character itself")
                }
                end = setEnd
            default: break
            }
            parts[parts.count - 1] += text[position...end]
            position = end + 1
        }
        return parts
    }

    private static func tokens(of part: [Unicode.Scalar]) throws(Glob.Problem) -> [Glob.Token] {
        var result: [Glob.Token] = []
        var position = 0
        while position < part.count {
            switch part[position] {
            case "*": if result.last != .anyRun { result.append(.anyRun) }
            case "?": result.append(.anyScalar)
            case "\\":
                position += 1
                result.append(.scalar(part[position]))
            case "[":
                guard let end = endOfSet(in: part, from: position) else {
                    throw Glob.Problem("has a \"[\" without its \"]\"")
                }
                result.append(try set(part[position + 1..<end]))
                position = end
            default: result.append(.scalar(part[position]))
            }
            position += 1
        }
        return result
    }

    private static func set(_ body: ArraySlice<Unicode.Scalar>) throws(Glob.Problem) -> Glob.Token {
        var rest = body
        let negated = rest.first == "!" || rest.first == "^"
        if negated { rest.removeFirst() }
        var ranges: [ClosedRange<Unicode.Scalar>] = []
        while let low = takeScalar(&rest) {
            guard rest.first == "-", rest.count > 1 else {
                ranges.append(low...low)
                continue
            }
            rest.removeFirst()
            guard let high = takeScalar(&rest) else { break }
            guard low <= high else { throw Glob.Problem("has the range \"\(low)-\(high)\" the wrong way round") }
            ranges.append(low...high)
        }
        return .set(ranges, negated: negated)
    }

    private static func takeScalar(_ rest: inout ArraySlice<Unicode.Scalar>) -> Unicode.Scalar? {
        guard let first = rest.popFirst() else { return nil }
        return first == "\\" ? rest.popFirst() ?? first : first
    }
}

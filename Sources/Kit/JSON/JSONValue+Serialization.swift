// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

extension JSONValue {
    /// How a value is written. Keys always stand in bytewise order, so equal values give equal text.
    package enum Style: Hashable, Sendable {
        /// One line without spaces.
        case compact
        /// Two spaces per level, one member per line, and a newline at the end.
        case pretty
    }

    package func serialized(_ style: Style = .compact) -> String {
        var text = ""
        write(into: &text, indentation: style == .pretty ? 0 : nil)
        if style == .pretty { text += "\n" }
        return text
    }

    private func write(into text: inout String, indentation: Int?) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .integer(let value): text += String(value)
        case .number(let value): text += value.isFinite ? value.description : "null"
        case .string(let value): Self.write(value, into: &text)
        case .array(let elements):
            Self.write(elements, "[", "]", into: &text, indentation: indentation) { element, text, inner in
                element.write(into: &text, indentation: inner)
            }
        case .object(let members):
            let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            Self.write(sorted, "{", "}", into: &text, indentation: indentation) { member, text, inner in
                Self.write(member.key, into: &text)
                text += inner == nil ? ":" : ": "
                member.value.write(into: &text, indentation: inner)
            }
        }
    }

    private static func write<Element>(
        _ elements: [Element], _ open: String, _ close: String, into text: inout String, indentation: Int?,
        _ writeElement: (Element, inout String, Int?) -> Void
    ) {
        text += open
        let inner = indentation.map { $0 + 1 }
        for (index, element) in elements.enumerated() {
            if index > 0 { text += "," }
            if let inner { text += "\n" + String(repeating: "  ", count: inner) }
            writeElement(element, &text, inner)
        }
        if let indentation, !elements.isEmpty { text += "\n" + String(repeating: "  ", count: indentation) }
        text += close
    }

    private static func write(_ string: String, into text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}

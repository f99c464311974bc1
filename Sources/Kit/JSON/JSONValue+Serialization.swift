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
        var writer = JSONWriter()
        write(into: &writer, indentation: style == .pretty ? 0 : nil)
        if style == .pretty { writer.write("\n") }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    func write(into writer: inout JSONWriter, indentation: Int? = nil) {
        switch self {
        case .null: writer.write("null")
        case .bool(let value): writer.write(value ? "true" : "false")
        case .integer(let value): writer.write(value)
        case .number(let value): writer.write(value)
        case .string(let value): writer.write(string: value)
        case .array(let elements):
            Self.write(elements, "[", "]", into: &writer, indentation) { element, writer, inner in
                element.write(into: &writer, indentation: inner)
            }
        case .object(let members):
            let ordered = JSONWriter.inOrder(members.map { JSONEncodedMember(key: $0.key, part: .value($0.value)) })
            Self.write(ordered, "{", "}", into: &writer, indentation) { member, writer, inner in
                writer.write(string: member.key)
                writer.write(inner == nil ? ":" : ": ")
                member.part.value.write(into: &writer, indentation: inner)
            }
        }
    }

    private static func write<Element>(
        _ elements: [Element], _ open: StaticString, _ close: StaticString, into writer: inout JSONWriter,
        _ indentation: Int?, _ writeElement: (Element, inout JSONWriter, Int?) -> Void
    ) {
        writer.write(open)
        for (index, element) in elements.enumerated() {
            if index > 0 { writer.write(",") }
            breakLine(indentation.map { $0 + 1 }, &writer)
            writeElement(element, &writer, indentation.map { $0 + 1 })
        }
        if !elements.isEmpty { breakLine(indentation, &writer) }
        writer.write(close)
    }

    private static func breakLine(_ indentation: Int?, _ writer: inout JSONWriter) {
        guard let indentation else { return }
        writer.write("\n")
        for _ in 0..<indentation { writer.write("  ") }
    }
}

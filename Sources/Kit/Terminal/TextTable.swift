// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Rows under a header, columns as wide as what is in them.
package struct TextTable: Sendable {
    package enum Alignment: Hashable, Sendable { case leading, trailing }

    private let header: [String]
    private let alignments: [Alignment]
    private var rows: [[String]] = []

    /// - Parameter columns: titles; a column of figures is aligned at its end.
    package init(_ columns: [(title: String, alignment: Alignment)]) {
        header = columns.map(\.title)
        alignments = columns.map(\.alignment)
    }

    package var isEmpty: Bool { rows.isEmpty }

    /// Adds a row; missing cells are empty, surplus ones dropped. Control characters are shown as `?`.
    package mutating func add(_ cells: [String]) {
        let clean = cells.prefix(header.count).map { cell in
            String(cell.map { $0.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F } ? "?" : $0 })
        }
        rows.append(clean + Array(repeating: "", count: header.count - clean.count))
    }

    package var text: String {
        let all = [header] + rows
        let widths = header.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        return all.map { row in
            let cells = row.indices.map { column -> String in
                let gap = String(repeating: " ", count: widths[column] - row[column].count)
                return alignments[column] == .leading ? row[column] + gap : gap + row[column]
            }
            let line = cells.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }.joined(separator: "\n")
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System

/// What one way of updating took for a pair.
struct UpdateFigures {
    let name: String
    let kind: UpdateKind
    /// What the device fetches.
    var bytes: Int64
    /// Requests for it; one for a patch.
    var requests = 1
    var make: RunCost
    var apply: RunCost

    var json: JSONValue {
        .object([
            "name": .string(name), "kind": .string(kind.rawValue), "bytes": .integer(bytes),
            "requests": .integer(Int64(requests)), "make": make.json, "apply": apply.json,
        ])
    }
}

extension RunCost {
    var json: JSONValue {
        .object([
            "seconds": .number(seconds), "processorSeconds": .number(processorSeconds),
            "peakBytes": .integer(peakBytes),
        ])
    }
}

/// The figures of a pair, as a table.
struct UpdateTable {
    private static let columns = [
        "", "bytes", "requests", "make s", "cpu s", "peak MiB", "apply s", "cpu s", "peak MiB",
    ]

    /// One line a row, columns aligned: names to the left, numbers to the right.
    static func lines(_ rows: [UpdateFigures]) -> [String] {
        let cells =
            [columns]
            + rows.map { row in
                [row.name, "\(row.bytes)", "\(row.requests)"] + self.cells(row.make) + self.cells(row.apply)
            }
        let widths = columns.indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
        return cells.map { cells in
            zip(cells, widths).enumerated().map { index, cell in
                let space = String(repeating: " ", count: cell.1 - cell.0.count)
                return index == 0 ? cell.0 + space : space + cell.0
            }.joined(separator: "  ")
        }
    }

    private static func cells(_ cost: RunCost) -> [String] {
        [hundredths(cost.seconds), hundredths(cost.processorSeconds), "\(cost.peakBytes >> 20)"]
    }

    private static func hundredths(_ value: Double) -> String {
        let whole = Int((value * 100).rounded())
        return "\(whole / 100).\(whole % 100 < 10 ? "0" : "")\(whole % 100)"
    }
}

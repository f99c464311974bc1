// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

extension RowPiece {
    /// A payload that gives the target.
    /// - Parameter slowBytes: as of the coder, for what is no row.
    static func encode(
        _ target: UnsafeRawBufferPointer, _ layout: RowLayout, _ runs: RowRuns, _ coder: StreamCoder, slowBytes: Int
    ) -> [UInt8] {
        var payload = layout.encoded + runs.encoded(rowSize: layout.size)
        func append(_ bytes: some Collection<UInt8>, _ encode: (UnsafeRawBufferPointer) -> [UInt8]) {
            guard !bytes.isEmpty else { return }
            let coded = Array(bytes).withUnsafeBytes(encode)
            DeltaNumbers.append(UInt64(coded.count), to: &payload)
            payload += coded
        }
        func append(_ columns: [UInt8], height: Int) {
            guard height > 0 else { return }
            for start in stride(from: 0, to: columns.count, by: height) {
                append(columns[start..<start + height], coder.encodeColumn)
            }
        }
        var plain: [UInt8] = []
        for range in runs.plain { plain += target[range] }
        append(plain) { coder.encode($0, slowBytes: slowBytes) }
        for place in layout.rest.joined() {
            let column = runs.ranges.flatMap { range in
                stride(from: range.lowerBound + place, to: range.upperBound, by: layout.size).map { target[$0] }
            }
            append(column, coder.encodeColumn)
        }
        for (set, wordCount) in layout.wordCounts.enumerated() {
            let starts = layout.fields.filter { $0.set == set }.map(\.start)
            var finder = VectorFinder(
                target, wordCount: wordCount, most: runs.rowBytes / layout.size * starts.count)
            for range in runs.ranges {
                for row in stride(from: range.lowerBound, to: range.upperBound, by: layout.size) {
                    for start in starts { finder.add(row + start) }
                }
            }
            DeltaNumbers.append(UInt64(finder.count), to: &payload)
            append(
                Columns.bytes(of: finder.references, width: width(for: finder.count)), height: finder.references.count)
            for words in finder.differences { append(Columns.bytes(of: words, width: 4), height: words.count) }
        }
        return payload
    }
}

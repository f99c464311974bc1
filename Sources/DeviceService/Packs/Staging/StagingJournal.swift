// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// The list of complete files in a staging folder, one `FileRecord` each.
///
/// Records are gathered in memory and appended at checkpoints; a checkpoint says how many bytes count.
struct StagingJournal {
    /// What is not in the file yet.
    private(set) var pending: [UInt8] = []

    mutating func append(_ record: FileRecord) { record.append(to: &pending) }

    mutating func removeAll() { pending.removeAll(keepingCapacity: true) }

    /// - Throws: `StoreError` when the records do not fit the bytes, and what `body` throws.
    static func forEachFile(_ bytes: UnsafeRawBufferPointer, _ body: (FileRecordView) throws -> Void) throws {
        var offset = 0
        while offset < bytes.count {
            guard let record = FileRecordView(bytes, at: &offset) else {
                throw StoreError(
                    .system, "The list of staged files is damaged at byte \(offset); the download begins again.")
            }
            try body(record)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Gives entries to two sinks, to one after the other.
package final class ArchiveSinkPair: ArchiveSink {
    private let first: any ArchiveSink
    private let second: any ArchiveSink

    package init(_ first: any ArchiveSink, _ second: any ArchiveSink) {
        self.first = first
        self.second = second
    }

    package func locate(dataAt offset: UInt64) throws {
        try first.locate(dataAt: offset)
        try second.locate(dataAt: offset)
    }

    package func begin(_ entry: EntryHeader) throws {
        try first.begin(entry)
        try second.begin(entry)
    }

    package func data(_ bytes: UnsafeRawBufferPointer) throws {
        try first.data(bytes)
        try second.data(bytes)
    }

    package func end() throws {
        try first.end()
        try second.end()
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import System

/// Drops every record.
package struct DiscardingLogSink: LogSink {
    package init() {}
    package func write(_ record: LogRecord) {}
}

/// Keeps records in memory, for tests.
package final class MemoryLogSink: LogSink {
    private let kept = Locked<[LogRecord]>([])

    package init() {}

    package func write(_ record: LogRecord) { kept.withLock { $0.append(record) } }

    package var records: [LogRecord] { kept.withLock { $0 } }
}

/// Writes a line per record to an open file, normally standard error. Each line is one write, so lines stay whole.
package struct StreamLogSink: LogSink {
    package enum Format: Hashable, Sendable {
        /// `2026-01-31T12:00:00.000Z notice transfers: Download finished. pack=music size=12`
        case text
        /// One JSON object.
        case json
        /// As text, without the time and after `<N>`, the priority that journald reads (sd-daemon(3)).
        case journal
    }

    private let descriptor: FileDescriptor
    private let format: Format

    package init(_ descriptor: FileDescriptor = .standardError, format: Format = .text) {
        self.descriptor = descriptor
        self.format = format
    }

    /// The format that suits where standard error goes: journald's when it says it listens (`JOURNAL_STREAM`).
    package static func suitable(_ environment: [String: String] = Environment.current) -> StreamLogSink {
        if environment["LARDER_LOG_FORMAT"] == "json" { return StreamLogSink(format: .json) }
        return StreamLogSink(format: environment["JOURNAL_STREAM"] == nil ? .text : .journal)
    }

    package func write(_ record: LogRecord) { _ = try? descriptor.writeAll(Self.line(record, format).utf8) }

    static func line(_ record: LogRecord, _ format: Format) -> String {
        switch format {
        case .text: "\(record.time.formatted) \(body(record))\n"
        case .journal: "<\(priority(record.level))>\(body(record))\n"
        case .json:
            JSONValue.object([
                "time": .string(record.time.formatted), "level": .string(record.level.name),
                "label": .string(record.label), "message": .string(record.message),
                "metadata": .object(record.metadata.mapValues { .string($0) }),
            ]).serialized() + "\n"
        }
    }

    private static func body(_ record: LogRecord) -> String {
        let pairs = record.metadata.sorted { $0.key < $1.key }.map { " \($0)=\(quoted($1))" }
        return "\(record.level.name) \(record.label): \(record.message)\(pairs.joined())"
    }

    /// Values with spaces or control characters are quoted, so that a line cannot be forged by a file's name.
    private static func quoted(_ value: String) -> String {
        let plain =
            !value.isEmpty && value.unicodeScalars.allSatisfy { $0.value > 0x20 && $0 != "\"" && $0.value != 0x7F }
        return plain ? value : JSONValue.string(value).serialized()
    }

    private static func priority(_ level: LogLevel) -> Int {
        switch level {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// How much a log line matters, least first.
package enum LogLevel: Int, Hashable, Sendable, Comparable, CaseIterable {
    case trace, debug, info, notice, warning, error, critical

    package static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }

    package var name: String { "\(self)" }

    package init?(name: String) {
        guard let level = LogLevel.allCases.first(where: { $0.name == name.lowercased() }) else { return nil }
        self = level
    }
}

/// One thing that happened. The message says what kind of thing, the metadata which; so lines can be counted and found.
package struct LogRecord: Sendable {
    package let time: Timestamp
    package let level: LogLevel
    package let label: String
    package let message: String
    package let metadata: [String: String]
}

/// Where log records go. Called from any thread.
package protocol LogSink: Sendable {
    func write(_ record: LogRecord)
}

/// Writes records with a label and metadata of its own.
package struct Logger: Sendable {
    package let label: String
    package var metadata: [String: String]
    package var level: LogLevel
    private let sink: any LogSink

    package init(label: String, metadata: [String: String] = [:], level: LogLevel = .info, sink: any LogSink) {
        self.label = label
        self.metadata = metadata
        self.level = level
        self.sink = sink
    }

    /// A logger that drops everything.
    package static let silent = Logger(label: "", level: .critical, sink: DiscardingLogSink())

    /// A copy for a part of the program, whose metadata is added to this one's.
    package func named(_ label: String, _ metadata: [String: String] = [:]) -> Logger {
        Logger(
            label: label, metadata: self.metadata.merging(metadata) { $1 }, level: level, sink: sink)
    }

    /// - Parameters:
    ///   - message: constant text; what varies belongs into the metadata.
    ///   - metadata: evaluated only when the record is written.
    package func log(_ level: LogLevel, _ message: StaticString, _ metadata: @autoclosure () -> [String: String] = [:])
    {
        guard level >= self.level else { return }
        let all = self.metadata.merging(metadata()) { $1 }
        sink.write(LogRecord(time: .now, level: level, label: label, message: "\(message)", metadata: all))
    }

    package func debug(_ message: StaticString, _ metadata: @autoclosure () -> [String: String] = [:]) {
        log(.debug, message, metadata())
    }

    package func info(_ message: StaticString, _ metadata: @autoclosure () -> [String: String] = [:]) {
        log(.info, message, metadata())
    }

    package func notice(_ message: StaticString, _ metadata: @autoclosure () -> [String: String] = [:]) {
        log(.notice, message, metadata())
    }

    package func warning(_ message: StaticString, _ metadata: @autoclosure () -> [String: String] = [:]) {
        log(.warning, message, metadata())
    }

    package func error(_ message: StaticString, _ metadata: @autoclosure () -> [String: String] = [:]) {
        log(.error, message, metadata())
    }
}

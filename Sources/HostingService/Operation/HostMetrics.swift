// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import HTTP
internal import Kit

/// What the host has done since its start, counted.
final class HostMetrics: Sendable {
    private struct Series: Hashable {
        let area: String
        let method: String
        let status: Int
    }

    private struct Durations {
        var buckets = [Int64](repeating: 0, count: HostMetrics.bounds.count)
        var sum = 0.0
        var count: Int64 = 0
    }

    private struct State {
        var requests: [Series: Int64] = [:]
        var durations: [String: Durations] = [:]
        var sentBytes: [String: Int64] = [:]
        var brokenOff: Int64 = 0
    }

    /// Upper bounds of the buckets, in seconds.
    fileprivate static let bounds = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60]
    private static let methods: Set<String> = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]

    let started = ContinuousClock.now
    private let state = Locked(State())

    /// An exchange is over.
    func note(_ record: HTTPExchangeRecord) {
        let area = Self.area(of: record.path)
        let method = Self.methods.contains(record.method) ? record.method : "other"
        let seconds = record.duration.inSeconds
        state.withLock { state in
            state.requests[Series(area: area, method: method, status: record.status), default: 0] += 1
            state.sentBytes[area, default: 0] += record.bytes
            if !record.isComplete { state.brokenOff += 1 }
            var durations = state.durations[area] ?? Durations()
            for (index, bound) in Self.bounds.enumerated() where seconds <= bound { durations.buckets[index] += 1 }
            durations.sum += seconds
            durations.count += 1
            state.durations[area] = durations
        }
    }

    /// Few words for all paths: who asks must not make series.
    static func area(of path: String) -> String {
        switch path.split(separator: "/", maxSplits: 1).first {
        case "v1": "api"
        case "uploads": "uploads"
        case "devices": "devices"
        case "archives": "archives"
        case "healthz", "metrics": "operation"
        default: "other"
        }
    }

    func write(to text: inout MetricsText) {
        let state = state.withLock { $0 }
        text.begin("larder_host_requests_total", "counter", "Requests that were answered.")
        for (series, count) in state.requests.sorted(by: { "\($0.key)" < "\($1.key)" }) {
            text.add(
                count, ["area": series.area, "method": series.method, "status": "\(series.status)"])
        }
        text.begin("larder_host_sent_bytes_total", "counter", "Bytes of bodies that were sent.")
        for (area, bytes) in state.sentBytes.sorted(by: { $0.key < $1.key }) { text.add(bytes, ["area": area]) }
        text.begin("larder_host_broken_off_total", "counter", "Answers that did not go out whole.")
        text.add(state.brokenOff)
        text.begin("larder_host_request_seconds", "histogram", "How long requests took, bodies included.")
        for (area, durations) in state.durations.sorted(by: { $0.key < $1.key }) {
            for (bound, count) in zip(Self.bounds, durations.buckets) {
                text.add(count, ["area": area, "le": "\(bound)"], suffix: "_bucket")
            }
            text.add(durations.count, ["area": area, "le": "+Inf"], suffix: "_bucket")
            text.add(durations.sum, ["area": area], suffix: "_sum")
            text.add(durations.count, ["area": area], suffix: "_count")
        }
    }
}

/// Figures as Prometheus reads them (text format 0.0.4).
struct MetricsText {
    private(set) var text = ""
    private var name = ""

    mutating func begin(_ name: String, _ type: String, _ help: String) {
        self.name = name
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    /// - Parameter labels: names to values; values are escaped.
    mutating func add(_ value: some Numeric, _ labels: KeyValuePairs<String, String> = [:], suffix: String = "") {
        text += name + suffix
        if !labels.isEmpty {
            text += "{" + labels.map { "\($0.key)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",") + "}"
        }
        text += " \(value)\n"
    }

    private static func escaped(_ value: String) -> String {
        var result = ""
        for character in value {
            switch character {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            default: result.append(character)
            }
        }
        return result
    }
}

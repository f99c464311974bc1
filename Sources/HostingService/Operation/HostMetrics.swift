// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import HTTP
internal import Kit
internal import Synchronization

/// What the host has done since its start, counted.
final class HostMetrics: Sendable {
    /// Where a request belongs, from its path: few words, since who asks must not make series.
    enum Area: String {
        case api, archives, devices, operation, other, uploads

        init(path: String) {
            self =
                if path.hasPrefix("/archives/") {
                    .archives
                } else if path.hasPrefix("/devices/") {
                    .devices
                } else if path.hasPrefix("/v1/") {
                    .api
                } else if path.hasPrefix("/uploads/") {
                    .uploads
                } else if path == "/healthz" || path == "/metrics" {
                    .operation
                } else {
                    .other
                }
        }
    }

    private struct Series: Hashable {
        let area: Area
        let method: Method
        let status: Int

        // Enough to tell most apart; it is done for each request.
        func hash(into hasher: inout Hasher) { hasher.combine(status) }
    }

    private enum Method: String {
        case get = "GET"
        case head = "HEAD"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"
        case other
    }

    private struct Durations {
        /// How many fell between a bound and the one before.
        var buckets = [Int64](repeating: 0, count: HostMetrics.bounds.count)
        var sum = 0.0
        var count: Int64 = 0
        var sentBytes: Int64 = 0

        mutating func note(_ seconds: Double, _ bucket: Int?, _ bytes: Int64) {
            if let bucket { buckets[bucket] += 1 }
            sum += seconds
            count += 1
            sentBytes += bytes
        }
    }

    private struct State {
        var requests: [Series: Int64] = [:]
        var durations: [Area: Durations] = [:]
        var brokenOff: Int64 = 0
        /// By what came of them.
        var patches: [String: (count: Int64, seconds: Double)] = [:]
    }

    /// Upper bounds of the buckets, in seconds.
    fileprivate static let bounds = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60]

    let started = ContinuousClock.now
    private let state = Mutex(State())

    /// An exchange is over.
    func note(_ exchange: HTTPExchangeCount) {
        let area = Area(path: exchange.path)
        let method = exchange.method == "GET" ? .get : Method(rawValue: exchange.method) ?? .other
        let seconds = exchange.duration.inSeconds
        let bucket = Self.bounds.firstIndex { seconds <= $0 }
        state.withLock { state in
            state.requests[Series(area: area, method: method, status: exchange.status), default: 0] += 1
            if !exchange.isComplete { state.brokenOff += 1 }
            state.durations[area, default: Durations()].note(seconds, bucket, exchange.bytes)
        }
    }

    /// A patch was made, or was not.
    func note(_ outcome: PatchMaking.Outcome, after duration: Duration) {
        let name = outcome.name
        state.withLock { state in
            let known = state.patches[name] ?? (0, 0)
            state.patches[name] = (known.count + 1, known.seconds + duration.inSeconds)
        }
    }

    func write(to text: inout MetricsText) {
        let state = state.withLock { $0 }
        text.begin("larder_host_requests_total", "counter", "Requests that were answered.")
        for (series, count) in state.requests.sorted(by: { "\($0.key)" < "\($1.key)" }) {
            text.add(
                count, ["area": series.area.rawValue, "method": series.method.rawValue, "status": "\(series.status)"])
        }
        text.begin("larder_host_sent_bytes_total", "counter", "Bytes of bodies that were sent.")
        let areas = state.durations.map { (area: $0.key.rawValue, durations: $0.value) }.sorted { $0.area < $1.area }
        for (area, durations) in areas { text.add(durations.sentBytes, ["area": area]) }
        text.begin("larder_host_broken_off_total", "counter", "Answers that did not go out whole.")
        text.add(state.brokenOff)
        text.begin("larder_host_request_seconds", "histogram", "How long requests took, bodies included.")
        for (area, durations) in areas {
            var sum: Int64 = 0
            for (bound, count) in zip(Self.bounds, durations.buckets) {
                sum += count
                text.add(sum, ["area": area, "le": "\(bound)"], suffix: "_bucket")
            }
            text.add(durations.count, ["area": area, "le": "+Inf"], suffix: "_bucket")
            text.add(durations.sum, ["area": area], suffix: "_sum")
            text.add(durations.count, ["area": area], suffix: "_count")
        }
        let patches = state.patches.sorted { $0.key < $1.key }
        text.begin("larder_host_patches_total", "counter", "Patches that were tried, by what came of it.")
        for (outcome, patch) in patches { text.add(patch.count, ["outcome": outcome]) }
        text.begin("larder_host_patch_seconds_total", "counter", "How long that took, bringing archives included.")
        for (outcome, patch) in patches { text.add(patch.seconds, ["outcome": outcome]) }
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

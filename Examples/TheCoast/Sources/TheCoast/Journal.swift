// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import BackgroundAssets

/// Tells what happens, with times and sizes: as text for a person, or as a JSON object on each line for a program.
final class Journal: Sendable {
    private let asJSON: Bool
    private let isTerminal = isatty(1) == 1
    private let start = ContinuousClock.now

    init(asJSON: Bool) { self.asJSON = asJSON }

    /// Something was done. The step's name and the figures are for programs, the text is for people.
    func note(_ step: String, _ text: String, bytes: Int? = nil, took: Duration? = nil, pack: String? = nil) {
        var line = text
        if let bytes { line += ", " + size(bytes) }
        if let took { line += ", " + time(took) }
        var values: [String: Any] = ["step": step, "text": text]
        values["pack"] = pack
        values["bytes"] = bytes
        values["seconds"] = took.map(seconds)
        emit(values, text: line)
    }

    /// A download moves. On a terminal the line is drawn over.
    func progress(_ pack: String, _ progress: Progress) {
        let percent = Int(progress.fractionCompleted * 100)
        if asJSON {
            let values: [String: Any] = [
                "step": "progress", "pack": pack, "percent": percent, "bytes": Int(progress.completedUnitCount),
                "total": Int(progress.totalUnitCount),
            ]
            emit(values, text: "")
        } else if isTerminal {
            let done = String(repeating: "#", count: percent * 30 / 100)
            let rest = String(repeating: ".", count: 30 - done.count)
            let sizes = "\(size(Int(progress.completedUnitCount))) of \(size(Int(progress.totalUnitCount)))"
            write("\r\u{1B}[K          \(pack) [\(done)\(rest)] \(percent) %  \(sizes)")
        }
    }

    /// The progress is over; the next line stands by itself.
    func endProgress() {
        if isTerminal, !asJSON { write("\r\u{1B}[K") }
    }

    /// It ends badly.
    func trouble(_ text: String) {
        endProgress()
        emit(["step": "trouble", "text": text], text: "NOT AS IT SHOULD BE: \(text)")
    }

    /// It ends well.
    func end() {
        let took = ContinuousClock.now - start
        emit(["step": "end", "seconds": seconds(took)], text: "All as it should be, in \(time(took)).")
    }

    private func emit(_ values: [String: Any], text: String) {
        if asJSON {
            guard let data = try? JSONSerialization.data(withJSONObject: values, options: .sortedKeys) else { return }
            write(String(decoding: data, as: UTF8.self) + "\n")
        } else {
            write(String(format: "%7.3f s  ", seconds(ContinuousClock.now - start)) + text + "\n")
        }
    }

    private func write(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }
}

/// `12.3 MB`
func size(_ bytes: Int) -> String {
    if bytes < 1000 { return "\(bytes) bytes" }
    if bytes < 1_000_000 { return String(format: "%.1f kB", Double(bytes) / 1e3) }
    return String(format: "%.1f MB", Double(bytes) / 1e6)
}

/// `3.4 ms`
func time(_ duration: Duration) -> String {
    let value = seconds(duration)
    if value < 0.001 { return String(format: "%.0f µs", value * 1e6) }
    if value < 1 { return String(format: "%.1f ms", value * 1e3) }
    return String(format: "%.1f s", value)
}

func seconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System
import TestSupport
import Testing

@Suite("Formatting and logging")
struct FormattingTests {
    @Test(
        "Sizes are decimal, with one digit, and never show four",
        arguments: [
            (0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1000, "1.0 kB"), (1049, "1.0 kB"), (1050, "1.1 kB"),
            (999_949, "999.9 kB"), (999_950, "1.0 MB"), (12_345_678, "12.3 MB"), (Int64.max, "9.2 EB"),
            (-1500, "-1.5 kB"), (Int64.min, "-9.2 EB"),
        ] as [(Int64, String)])
    func sizes(_ bytes: Int64, _ text: String) {
        #expect(ByteCount.formatted(bytes) == text)
    }

    @Test(
        "Times are short",
        arguments: [
            (.milliseconds(40), "0.0 s"), (.milliseconds(1250), "1.2 s"), (.seconds(59), "59 s"),
            (.seconds(200), "3 min 20 s"), (.seconds(7500), "2 h 05 min"), (.seconds(-1), "0 s"),
        ] as [(Duration, String)])
    func durations(_ duration: Duration, _ text: String) {
        #expect(duration.formatted == text)
    }

    @Test("Time stamps are RFC 3339")
    func timestamps() {
        #expect(Timestamp(seconds: 1_769_860_800, nanoseconds: 7_000_000).formatted == "2026-01-31T12:00:00.007Z")
        #expect(Timestamp(seconds: 0).formatted == "1970-01-01T00:00:00.000Z")
    }

    @Test("A log line holds what was said and cannot be forged by a value")
    func logLines() throws {
        try Scratch.with { scratch in
            let file = try FileDescriptor.open(
                scratch("log"), .readWrite, options: .create, permissions: .filePrivate)
            defer { try? file.close() }
            for format in [StreamLogSink.Format.text, .journal, .json] {
                let log = Logger(label: "test", metadata: ["app": "a"], sink: StreamLogSink(file, format: format))
                log.debug("Not written.")
                log.warning("Watch out.", ["name": "x\n<0>forged", "plain": "1"])
            }
            let lines = String(decoding: try File.read(scratch("log")), as: UTF8.self).split(separator: "\n")
            try #require(lines.count == 3)
            #expect(lines[0].hasSuffix(#"Z warning test: Watch out. app=a name="x\n<0>forged" plain=1"#))
            #expect(lines[1] == #"<4>warning test: Watch out. app=a name="x\n<0>forged" plain=1"#)
            let json = try JSONParser.parse(String(lines[2])).value
            #expect(json["metadata"]?["name"] == "x\n<0>forged")
        }
    }

    @Test("Metadata is not evaluated for what is not written, and parts add their own")
    func logMetadata() {
        let sink = MemoryLogSink()
        let log = Logger(label: "a", metadata: ["k": "1"], level: .info, sink: sink)
        func expensive() -> [String: String] {
            Issue.record("evaluated")
            return [:]
        }
        log.debug("No.", expensive())
        log.named("b", ["k": "2"]).info("Yes.", ["l": "3"])
        #expect(sink.records.map(\.metadata) == [["k": "2", "l": "3"]])
        #expect(sink.records.map(\.label) == ["b"])
    }
}

@Suite("Paths")
struct PathTests {
    @Test("LARDER_HOME takes everything under one folder")
    func home() throws {
        let paths = try LarderPaths(environment: ["LARDER_HOME": "/x", "HOME": "/h", "XDG_STATE_HOME": "/s"])
        #expect(paths.state == "/x/state")
        #expect(paths.socket == "/x/run/larderd.sock")
        #expect(paths.configuration == "/x/config")
        #expect(paths.appRoot("a.b") == "/x/state/apps/a.b")
    }

    @Test("XDG folders count, with the defaults below HOME")
    func xdg() throws {
        let given = try LarderPaths(environment: [
            "XDG_STATE_HOME": "/s", "XDG_RUNTIME_DIR": "/r", "XDG_CONFIG_HOME": "/c",
        ])
        #expect(given.state == "/s/larder")
        #expect(given.socket == "/r/larder/larderd.sock")
        #expect(given.configuration == "/c/larder")
        let plain = try LarderPaths(environment: ["HOME": "/h"])
        #expect(plain.state == "/h/.local/state/larder")
        #expect(plain.configuration == "/h/.config/larder")
        #expect(plain.runtime.string.hasPrefix("/tmp/larder-"))
    }

    @Test("A place that is not absolute, or none at all, is an error that says what to set")
    func wrong() throws {
        let none = try #require(throws: KitError.self) { try LarderPaths(environment: [:]) }
        #expect(none.message.contains("LARDER_HOME"))
        let relative = try #require(throws: KitError.self) { try LarderPaths(environment: ["LARDER_HOME": "x"]) }
        #expect(relative.message.contains("absolute"))
    }

    @Test("A runtime folder that others may write is refused")
    func runtime() throws {
        try Scratch.with { scratch in
            let paths = try LarderPaths(environment: ["LARDER_HOME": scratch.path.string])
            try paths.prepareRuntime()
            try paths.prepareRuntime()
            #expect(try FileDescriptor.currentDirectory.status(at: paths.runtime).permissions == .directoryPrivate)
            try FileDescriptor.currentDirectory.setPermissions(FilePermissions(rawValue: 0o777), at: paths.runtime)
            #expect(throws: KitError.self) { try paths.prepareRuntime() }
            try FileDescriptor.currentDirectory.removeTree(at: paths.runtime)
            try FileDescriptor.currentDirectory.makeSymbolicLink(to: "/tmp", at: paths.runtime)
            #expect(throws: KitError.self) { try paths.prepareRuntime() }
        }
    }
}

@Suite("Progress")
struct ProgressTests {
    @Test("The line fits its width, and drops what is least needed first")
    func line() {
        let line = ProgressLine(
            phase: "Downloading", completed: 5_000_000, total: 20_000_000, rate: 2_000_000, timeLeft: .seconds(75))
        #expect(line.rendered(width: 100).hasPrefix("Downloading  [======> "))
        #expect(line.rendered(width: 100).hasSuffix("]   25%  5.0 MB of 20.0 MB  2.0 MB/s  1 min 15 s left"))
        for width in 12...120 { #expect(line.rendered(width: width).count < width) }
        #expect(line.rendered(width: 40) == "Downloading   25%  5.0 MB of 20.0 MB")
        #expect(ProgressLine(phase: "Working", completed: 0).rendered(width: 80) == "Working")
        let over = ProgressLine(phase: "x", completed: 30, total: 20)
        #expect(over.fraction == 1)
    }

    @Test("The rate is that of the last seconds; going back starts anew")
    func rate() throws {
        var meter = RateMeter(window: .seconds(5))
        let start = ContinuousClock.now
        #expect(meter.rate == nil)
        for second in 0...20 { meter.record(Int64(second) * 100, at: start + .seconds(second)) }
        #expect(try #require(meter.rate) == 100)
        for second in 21...30 { meter.record(2000 + Int64(second - 20) * 1000, at: start + .seconds(second)) }
        #expect(try #require(meter.rate) == 1000)
        #expect(meter.timeLeft(5000) == .seconds(5))
        meter.record(0, at: start + .seconds(31))
        #expect(meter.rate == nil)
        #expect(meter.timeLeft(1) == nil)
    }

    @Test("A terminal gets one line that is drawn at most ten times a second; others get plain lines")
    func bar() {
        let start = ContinuousClock.now
        let terminal = BufferSink()
        let bar = ProgressBar(sink: terminal, isTerminal: true, width: { 80 })
        for step in 0..<100 {
            bar.update(phase: "Downloading", completed: Int64(step), total: 100, at: start + .milliseconds(step * 10))
        }
        bar.clear()
        #expect(terminal.text.split(separator: "\r").count == 11)
        #expect(terminal.text.hasSuffix("\r\u{1B}[K"))
        #expect(!terminal.text.contains("\n"))

        let plain = BufferSink()
        let lines = ProgressBar(sink: plain, isTerminal: false, width: { 80 })
        for step in 0...100 { lines.update(phase: "Downloading", completed: Int64(step), total: 100, at: start) }
        lines.update(phase: "Finishing", completed: 100, at: start)
        #expect(plain.text.split(separator: "\n").count == 12)
        #expect(!plain.text.contains("\u{1B}"))
        #expect(!plain.text.contains("\r"))
    }
}

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

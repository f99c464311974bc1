// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import DeviceSupport
import Kit
import System
import TestSupport
import Testing

/// libcurl is loaded with the first request: a service starts without it, says what is missing, and needs no restart.
@Suite struct MissingLibraryTests {
    @Test func aServiceWithoutLibcurlSaysWhatToInstallAndGoesOnOnceItIsThere() async throws {
        try await Bench.with(start: false) { bench in
            // What is no library stands in front of the system's.
            let broken = try bench.scratch.write("not a library", to: "lib/libcurl.so.4")
            let folders = [broken.removingLastComponent().string, Environment.current["LD_LIBRARY_PATH"]]
            try await bench.device.start(adding: ["LD_LIBRARY_PATH": folders.compactMap { $0 }.joined(separator: ":")])
            try await bench.device.trust(bench.server)

            let doctor = try await bench.device.larder("doctor")
            #expect(doctor.outputText.contains("libcurl4"), "\(doctor)")
            let failed = try await bench.device.install(try bench.app()).last?.error
            #expect(failed?.message.contains("libcurl4") == true, "\(String(describing: failed))")

            try FileDescriptor.currentDirectory.remove(at: broken)
            #expect(try await !bench.device.larder("doctor").outputText.contains("libcurl4"))
            let error = try await bench.device.install(try bench.app()).last?.error
            #expect(error == nil, "\(String(describing: error))")
        }
    }
}

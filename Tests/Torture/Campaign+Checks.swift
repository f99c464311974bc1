// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import DeviceSupport
import Kit
import System
import TestSupport

/// What must hold at the end of a round.
extension Campaign {
    func verify(_ script: RoundScript) async throws {
        let isGone = script.scenario == .uninstall
        if !isGone {
            try await checkPacks(script)
            try await require(Self.always)
        }
        try await checkReader()
        let apps: Set<String> = isGone ? [] : [SampleApp.bundleID]
        let state = device.paths.state
        let stray = try await eventually(within: .seconds(30)) { StateCheck(state: state, apps: apps).findings() }
        if !stray.isEmpty { throw Violation("the state folder holds what it should not: \(stray.sorted())") }
        try await checkService()
        tally.count("checks of the state folder")
    }

    private func checkPacks(_ script: RoundScript) async throws {
        let listing = try await device.packs()
        let reached: [String]
        switch script.scenario {
        case .cancel, .schedule: reached = []
        case .fetch: reached = ["Third"]
        default: reached = Self.always
        }
        for id in reached where listing[id]?.state != .local || listing[id]?.localVersion != script.after {
            throw Violation("\(id) is not local at version \(script.after): \(String(describing: listing[id]))")
        }
    }

    /// Lets the reader go over everything once more and takes over what it says.
    private func checkReader() async throws {
        guard let reader = running.withLock({ $0.reader }) else { return }
        let limit = ContinuousClock.now + .seconds(60)
        var passes: Int?
        while true {
            let now = Int(try await ask(reader, "counts").split(separator: " ").last ?? "") ?? 0
            if let passes, now >= passes + 2 { break }
            passes = passes ?? now
            guard ContinuousClock.now < limit else { throw Violation("the reader does not get through the packs") }
            try await Task.sleep(for: .milliseconds(10))
        }
        await collect()
    }

    private func checkService() async throws {
        let (service, reader) = running.withLock { ($0.service, $0.reader) }
        guard let service, let reader else { return }
        let (process, home) = (service.processID, device.home.string)
        if let code = try await offload({ try service.process.wait(atMost: .zero) }) { check(service, code) }
        if service.errorText.contains("Fatal error") { tally.violation("larderd trapped: \(service.errorText)") }
        let known: Set<Int32> = [process, reader.processID]
        let left = try await eventually(within: .seconds(20)) { Processes.mentioning(home, except: known) }
        if !left.isEmpty { tally.violation("programs nobody knows of: \(left)") }
        let held = try await eventually(within: .seconds(20)) { Processes.deletedFiles(of: process, below: home) }
        if !held.isEmpty { tally.violation("larderd holds deleted files open: \(held)") }
        let open = Processes.descriptorCount(of: process)
        if open > 64 { tally.violation("larderd has \(open) descriptors open while nothing is under way") }
    }
}

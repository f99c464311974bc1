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
        if !isGone, !script.scenario.concernsDownloader {
            try await checkPacks(script)
            try await require(Publication.always)
        }
        try await checkReader()
        let apps = try await device.connect().send(AppsRequest()).apps.map(\.app)
        if isGone, apps.contains(SampleApp.bundleID) { throw Violation("the app is listed after its uninstall") }
        try await checkState(StateCheck(state: device.paths.state, apps: Set(apps)))
        try await checkService()
        tally.count("checks of the state folder")
    }

    private func checkPacks(_ script: RoundScript) async throws {
        let listing = try await device.packs()
        let reached: [String]
        switch script.scenario {
        case .cancel, .schedule: reached = []
        case .fetch: reached = ["Third"]
        default: reached = Publication.always
        }
        for id in reached where listing[id]?.state != .local || listing[id]?.localVersion != script.after {
            throw Violation("\(id) is not local at version \(script.after): \(String(describing: listing[id]))")
        }
    }

    /// What the service deletes behind its answers is gone soon.
    private func checkState(_ check: StateCheck) async throws {
        do {
            try await FolderWatch.wait(below: check.state, atMost: .seconds(30)) { check.findings().isEmpty }
        } catch is FolderWatch.TooLate {
            throw Violation("the state folder holds what it should not: \(check.findings().sorted())")
        }
    }

    /// Lets the reader go over everything once more and takes over what it says.
    private func checkReader() async throws {
        guard let reader = running.withLock({ $0.reader }) else { return }
        _ = try await ask(reader, "pass")
        await collect()
    }

    private func checkService() async throws {
        let (service, reader) = running.withLock { ($0.service, $0.reader) }
        guard let service, let reader else { return }
        let (process, home) = (service.processID, device.home.string)
        if let code = try await offload({ try service.process.wait(atMost: .zero) }) { check(service, code) }
        if service.errorText.contains("Fatal error") { tally.violation("larderd trapped: \(service.errorText)") }
        if try await offload({ try reader.process.wait(atMost: .zero) }) != nil {
            tally.violation("the app died: \(reader.errorText)")
        }
        let known: Set<Int32> = [process, reader.processID]
        let left = try await offload { try Processes.outliving(.seconds(20), mentioning: home, except: known) }
        if !left.isEmpty { tally.violation("programs nobody knows of: \(left)") }
        // Whatever was deleted is let go of, and descriptors do not grow in number.
        let held: @Sendable () -> [(name: String, link: FilePath)] = {
            Processes.deletedFiles(of: process, below: home)
        }
        do {
            let links = held().map(\.link)
            try await FolderWatch.wait(forClosing: links, atMost: .seconds(20)) { held().isEmpty }
        } catch is FolderWatch.TooLate {
            tally.violation("larderd holds deleted files open: \(held().map(\.name))")
        }
        let open = Processes.descriptorCount(of: process)
        if open > 64 { tally.violation("larderd has \(open) descriptors open while nothing is under way") }
    }
}

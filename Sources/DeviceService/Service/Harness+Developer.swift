// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit

/// What `backgroundassets-debug` asks (C12).
extension Harness {
    func addDeveloper(_ router: inout RequestRouter) {
        router.on(DeveloperModeRequest.self) { request, _ in
            if let isOn = request.isOn { try await settings.setDeveloperMode(isOn) }
            return DeveloperModeRequest.Reply(isOn: try await settings.isInDeveloperMode())
        }
        router.on(SimulateRequest.self) { request, caller in
            try await recovery.value
            if let app = caller.extensionOf {
                throw DeviceError(.refused, "The extension of \(app) cannot simulate events.")
            }
            try await settings.requireDeveloperMode()
            guard ["install", "update", "periodic", "languageChange"].contains(request.event) else {
                throw DeviceError(.badMessage, "There is no event \"\(request.event)\" to simulate.")
            }
            try await lifecycle.giveBackRunTime(request.app)
            return try await simulate(request)
        }
    }

    private func simulate(_ request: SimulateRequest) async throws -> SimulateRequest.Reply {
        var reply = SimulateRequest.Reply(app: request.app, event: request.event, updating: [], removed: [])
        if let event = InstallPlan.Kind(rawValue: request.event) {
            try await follow(try await lifecycle.simulate(request.app, event), &reply)
        } else if let answer = try await content.refresh(request.app, event: request.event, inFront: true) {
            reply.updating = answer.scheduled
            reply.notes = answer.trouble.map { [$0] }
        } else if request.event == "languageChange" {
            (reply.updating, reply.removed) = try await languages.simulate(request.app)
        } else {
            let found = try await assets.checkForUpdates(request.app, isForeground: true)
            (reply.updating, reply.removed) = (found.updating, found.removed)
        }
        return reply
    }

    /// Returns when it is known what the event brings, which may still be coming.
    private func follow(_ run: InstallRun, _ reply: inout SimulateRequest.Reply) async throws {
        for await event in await run.watch() {
            switch event.phase {
            case .downloading, .launchable, .complete:
                reply.updating = event.packs.filter { $0.state != .declined }.map(\.id)
                let notes = event.notes + event.warnings
                reply.notes = notes.isEmpty ? nil : notes
                return
            case .failed, .cancelled:
                throw event.error ?? DeviceError(.cancelled, "The simulated \(reply.event) was cancelled.")
            default: continue
            }
        }
        throw DeviceError(
            .unavailable, "The device service is stopping. What the event brings comes with its next start.")
    }
}

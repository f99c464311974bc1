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
            let reply = try await simulate(request)
            return SimulateRequest.Reply(
                app: request.app, event: request.event, updating: reply.updating, removed: reply.removed)
        }
    }

    /// Apps that choose their downloads are asked for this very event; managed packs follow their manifest anew.
    private func simulate(_ request: SimulateRequest) async throws -> (updating: [String], removed: [String]) {
        if let scheduled = try await content.refresh(request.app, event: request.event) { return (scheduled, []) }
        if request.event == "languageChange" {
            try await languages.simulate(request.app)
            return ([], [])
        }
        let reply = try await assets.checkForUpdates(request.app)
        return (reply.updating, reply.removed)
    }
}

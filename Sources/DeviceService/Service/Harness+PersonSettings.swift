// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit

extension Harness {
    func addPersonSettings(_ router: inout RequestRouter) {
        router.on(SettingsListRequest.self) { _, _ in SettingsListRequest.Reply(settings: personal.listed) }
        router.on(SettingsSetRequest.self) { request, _ in
            let name = try PersonSettings.Name(named: request.name)
            let personal = personal
            try await offload { try personal.set(name, app: request.app, to: request.value) }
            gate.settingsChanged()
            replan()
            switch name {
            case .languages:
                try await recovery.value
                await languages.personChanged()
            case .inAppContent, .backgroundRefresh:
                try await recovery.value
                try await languages.recover()
            case .resourcesInUse:
                try await recovery.value
                await resources.publishLimit()
            default: break
            }
            return SettingsListRequest.Reply(settings: personal.listed)
        }
        router.on(CloseRequest.self) { request, _ in
            try await recovery.value
            try await lifecycle.close(request.app)
            replan()
            return EmptyReply()
        }
    }
}

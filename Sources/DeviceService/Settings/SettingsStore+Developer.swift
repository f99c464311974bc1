// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol

extension SettingsStore {
    private static let developerModeName = "developerMode"

    /// Whether the device lets itself be debugged; off until somebody switches it on.
    func isInDeveloperMode() async throws -> Bool { try await text(Self.developerModeName) == "on" }

    func setDeveloperMode(_ isOn: Bool) async throws { try await setText(Self.developerModeName, isOn ? "on" : nil) }

    /// - Throws: `DeviceError` with code `developerModeOff`
    func requireDeveloperMode() async throws {
        guard try await !isInDeveloperMode() else { return }
        throw DeviceError(
            .developerModeOff,
            "Events are simulated on devices in developer mode only, and this one is not. Run 'larder developer-mode on' on it."
        )
    }
}

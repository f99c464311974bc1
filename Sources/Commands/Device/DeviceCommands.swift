// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit

/// The commands that talk with the device service.
package enum DeviceCommands {
    package static let all: [Command] = [
        install, update, uninstall, launch, watch, apps, packs, status, storage, verify, pause, resume, cancel, check,
        trust,
        urlOverride, settings, languages, close, DebugCommand.mode, doctor, stop,
    ]
}

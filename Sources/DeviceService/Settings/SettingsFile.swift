// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit
import System

/// The person's settings: `settings.json` in the configuration folder, read when the service starts and written when a setting
/// is changed through it.
final class SettingsFile: Sendable {
    static let name = "settings.json"
    private static let sizeLimit = 1 << 20

    let path: FilePath
    /// What is wrong with the file; the defaults count then.
    let trouble: String?
    private let settings: Locked<PersonSettings>

    /// Reads the file; one that is not there sets nothing. Blocks.
    init(_ folder: FilePath) {
        path = folder.appending(Self.name)
        do {
            let bytes = try File.read(path, limit: Self.sizeLimit)
            let read = try JSONCoder.decode(PersonSettings.self, from: bytes)
            if let languages = read.languages { _ = try LanguageList.checked(languages) }
            settings = Locked(read)
            trouble = nil
        } catch Errno.noSuchFileOrDirectory {
            settings = Locked(PersonSettings())
            trouble = nil
        } catch {
            settings = Locked(PersonSettings())
            trouble =
                "The settings in \(path) cannot be read, so the defaults count: \(error) "
                + "Mend or remove the file and start the service again."
        }
    }

    var current: PersonSettings { settings.withLock { $0 } }

    /// Changes a setting, on the disk first. Blocks.
    /// - Throws: `DeviceError` with code `badSetting`; `Errno`
    func set(_ name: PersonSettings.Name, app: String?, to value: String?) throws {
        if let trouble { throw DeviceError(.badSetting, trouble) }
        try settings.withLock { settings in
            var changed = settings
            try changed.set(name, app: app, to: value)
            try AtomicFile.write(
                try JSONCoder.encode(changed) + [UInt8(ascii: "\n")], to: path, durable: true, permissions: .filePrivate
            )
            settings = changed
        }
    }

    /// All settings with their values, those of single apps behind.
    var listed: [SettingListing] {
        let current = current
        let general = PersonSettings.Name.allCases.map { name in
            SettingListing(
                name: name.rawValue, value: current.text(name, app: nil) ?? name.standard,
                isSet: current.text(name, app: nil) != nil)
        }
        let single = (current.apps ?? [:]).keys.sorted().compactMap { app in
            current.text(.backgroundRefresh, app: app).map {
                SettingListing(name: PersonSettings.Name.backgroundRefresh.rawValue, app: app, value: $0, isSet: true)
            }
        }
        return general + single
    }
}

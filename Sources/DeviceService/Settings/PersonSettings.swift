// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit

/// What a person decided about downloads (C11), as the settings file has it: what is not set is nil, and counts as its default.
struct PersonSettings: Codable, Hashable, Sendable {
    enum LowPowerMode: String, Codable, Sendable { case auto, on, off }

    /// What may also be set for one app.
    struct AppSettings: Codable, Hashable, Sendable {
        var backgroundRefresh: Bool?
    }

    /// Packs and files may come before an app's first launch without anybody asking.
    var inAppContent: Bool?
    /// Apps are looked after while they are closed.
    var backgroundRefresh: Bool?
    /// Also on networks that cost by volume.
    var meteredUse: Bool?
    var lowPowerMode: LowPowerMode?
    var extensionSandbox: ExtensionSandbox.Mode?
    /// Hosting services are told whether versions that go to some devices first came well.
    var updateReports: Bool?
    /// Bytes a second that all transfers together take, those of one app, and those from one host.
    var bandwidth: Int64?
    var bandwidthPerApp: Int64?
    var bandwidthPerHost: Int64?
    /// Bytes that an extension may have in its scratch folder; 0 for any.
    var extensionStorage: Int64?
    /// Bytes of on-demand resources that one app may use at once.
    var resourcesInUse: Int64?
    /// What the person reads, as BCP 47 tags, best first; nil is what the environment says.
    var languages: [String]?
    /// By bundle id.
    var apps: [String: AppSettings]?

    init() {}

    var allowsInAppContent: Bool { inAppContent ?? true }
    var allowsMeteredUse: Bool { meteredUse ?? false }
    var allowsUpdateReports: Bool { updateReports ?? false }
    var lowPower: LowPowerMode { lowPowerMode ?? .auto }
    var bandwidthLimits: BandwidthLimits {
        BandwidthLimits(total: bandwidth, perApp: bandwidthPerApp, perHost: bandwidthPerHost)
    }
    var extensionStorageLimit: Int64? {
        let limit = extensionStorage ?? FolderBound.standard
        return limit > 0 ? limit : nil
    }
    var sandbox: ExtensionSandbox.Mode { extensionSandbox ?? .required }

    /// Whether power supply or network have a say in what may be done.
    var dependsOnMachine: Bool { lowPower == .auto || !allowsMeteredUse }

    func allowsBackgroundRefresh(_ app: String) -> Bool {
        (backgroundRefresh ?? true) && (apps?[app]?.backgroundRefresh ?? true)
    }
}

extension PersonSettings {
    /// Names as the file and `larder settings` have them, in the order they are listed.
    enum Name: String, CaseIterable, Sendable {
        case inAppContent, backgroundRefresh, meteredUse, lowPowerMode, extensionSandbox
        case extensionStorage, bandwidth, bandwidthPerApp, bandwidthPerHost, resourcesInUse, updateReports, languages

        /// The values there are; none where they are free.
        var values: [String] {
            switch self {
            case .inAppContent, .backgroundRefresh, .meteredUse, .updateReports: ["on", "off"]
            case .lowPowerMode: ["auto", "on", "off"]
            case .extensionSandbox: ["required", "off"]
            case .extensionStorage, .bandwidth, .bandwidthPerApp, .bandwidthPerHost, .resourcesInUse: ["off"]
            case .languages: []
            }
        }

        /// The least of settings that are a size in bytes, some of them each second: with less, nothing would ever come.
        /// nil for others.
        var leastSize: Int? {
            switch self {
            case .bandwidth, .bandwidthPerApp, .bandwidthPerHost: 16 << 10
            case .extensionStorage, .resourcesInUse: 1 << 20
            default: nil
            }
        }

        var standard: String {
            switch self {
            case .inAppContent, .backgroundRefresh: "on"
            case .meteredUse, .updateReports: "off"
            case .lowPowerMode: "auto"
            case .extensionSandbox: "required"
            case .extensionStorage: "\(FolderBound.standard)"
            case .bandwidth, .bandwidthPerApp, .bandwidthPerHost, .resourcesInUse: "off"
            case .languages: "environment"
            }
        }

        /// Whether one app may have its own.
        var isPerApp: Bool { self == .backgroundRefresh }

        /// - Throws: `DeviceError` with code `badSetting`
        init(named text: String) throws {
            guard let name = Self(rawValue: text) else {
                let all = Self.allCases.map(\.rawValue).joined(separator: ", ")
                throw DeviceError(.badSetting, "There is no setting \"\(text)\". There are: \(all).")
            }
            self = name
        }
    }

    /// The value that was set; nil when none was.
    func text(_ name: Name, app: String?) -> String? {
        func size(_ value: Int64?) -> String? { value.map { "\($0)" } }
        func word(_ value: Bool?) -> String? { value.map { $0 ? "on" : "off" } }
        switch name {
        case .inAppContent: return word(inAppContent)
        case .backgroundRefresh: return word(app.map { apps?[$0]?.backgroundRefresh } ?? backgroundRefresh)
        case .meteredUse: return word(meteredUse)
        case .updateReports: return word(updateReports)
        case .lowPowerMode: return lowPowerMode?.rawValue
        case .extensionSandbox: return extensionSandbox?.rawValue
        case .extensionStorage: return extensionStorage == 0 ? "off" : size(extensionStorage)
        case .bandwidth: return size(bandwidth)
        case .bandwidthPerApp: return size(bandwidthPerApp)
        case .bandwidthPerHost: return size(bandwidthPerHost)
        case .resourcesInUse: return size(resourcesInUse)
        case .languages: return languages?.joined(separator: " ")
        }
    }

    /// Sets a value, or takes it back when `text` is nil.
    /// - Throws: `DeviceError` with code `badSetting`
    mutating func set(_ name: Name, app: String?, to text: String?) throws {
        let size = text.flatMap { name.leastSize == nil ? nil : ByteSize.parse($0) }
        if let text, name != .languages, !name.values.contains(text), (size ?? 0) < name.leastSize ?? 1 {
            let size = name.leastSize.map { "a size of at least \($0) such as 2MiB, or " } ?? ""
            throw DeviceError(
                .badSetting,
                "\(name.rawValue) cannot be \"\(text)\". Say \(size)\(name.values.joined(separator: " or ")).")
        }
        if app != nil, !name.isPerApp {
            throw DeviceError(.badSetting, "\(name.rawValue) holds for all apps; it cannot be set for one.")
        }
        let flag = text.map { $0 == "on" }
        switch name {
        case .inAppContent: inAppContent = flag
        case .backgroundRefresh:
            guard let app else {
                backgroundRefresh = flag
                return
            }
            var all = apps ?? [:]
            all[app] = flag.map { AppSettings(backgroundRefresh: $0) }
            apps = all.isEmpty ? nil : all
        case .meteredUse: meteredUse = flag
        case .updateReports: updateReports = flag
        case .lowPowerMode: lowPowerMode = text.flatMap { LowPowerMode(rawValue: $0) }
        case .extensionSandbox: extensionSandbox = text.flatMap { ExtensionSandbox.Mode(rawValue: $0) }
        case .extensionStorage: extensionStorage = text == "off" ? 0 : size.map(Int64.init)
        case .bandwidth: bandwidth = size.map(Int64.init)
        case .bandwidthPerApp: bandwidthPerApp = size.map(Int64.init)
        case .bandwidthPerHost: bandwidthPerHost = size.map(Int64.init)
        case .resourcesInUse: resourcesInUse = size.map(Int64.init)
        case .languages:
            languages = try text.map { text in
                try LanguageList.checked(text.split { $0 == " " || $0 == "," }.map(String.init))
            }
        }
    }
}

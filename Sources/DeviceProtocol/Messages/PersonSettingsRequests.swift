// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// One of the person's settings (C11).
package struct SettingListing: Codable, Hashable, Sendable {
    package var name: String
    /// nil when it holds for all apps.
    package var app: String?
    package var value: String
    /// False for a default.
    package var isSet: Bool

    package init(name: String, app: String? = nil, value: String, isSet: Bool) {
        self.name = name
        self.app = app
        self.value = value
        self.isSet = isSet
    }
}

package struct SettingsListRequest: DeviceRequest {
    package static let method = "settings.list"
    package init() {}

    package struct Reply: Codable, Hashable, Sendable {
        package var settings: [SettingListing]
        package init(settings: [SettingListing]) { self.settings = settings }
    }
}

/// A person closed an app for good: it is not looked after until its next launch (C5).
package struct CloseRequest: DeviceRequest {
    package static let method = "close"
    package typealias Reply = EmptyReply
    package var app: String
    package init(app: String) { self.app = app }
}

/// Changes one of the person's settings; answered with all of them.
package struct SettingsSetRequest: DeviceRequest {
    package static let method = "settings.set"
    package typealias Reply = SettingsListRequest.Reply
    package var name: String
    package var app: String?
    /// nil brings the default back.
    package var value: String?

    package init(name: String, app: String?, value: String?) {
        self.name = name
        self.app = app
        self.value = value
    }
}

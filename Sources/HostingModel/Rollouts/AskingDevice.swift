// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// What a device says of itself when it asks which versions are for it. All of it is optional, and none of it is believed
/// further than that: whoever makes something up gets a version that is there for somebody.
package struct AskingDevice: Hashable, Sendable {
    /// Made up by the device for this app and host; nil for one that does not say, or says nothing sensible.
    package var id: String?
    package var appVersion: AppVersion?
    /// Rollouts whose version it has.
    package var taken: Set<String>

    private static let takenLimit = 256
    private static let identifierLength = 16...64

    package init(id: String? = nil, appVersion: AppVersion? = nil, taken: Set<String> = []) {
        self.id = id
        self.appVersion = appVersion
        self.taken = taken
    }

    /// - Parameter query: `device`, `appVersion` and `taken`, whose words are parted by commas; everything else is passed over.
    package init(query: [(name: String, value: String)]) {
        func argument(_ name: String) -> String? { query.first { $0.name == name }?.value }
        let words = (argument("taken") ?? "").split(separator: ",").prefix(Self.takenLimit)
        self.init(
            id: argument("device").flatMap { Self.isIdentifier($0) ? $0 : nil },
            appVersion: argument("appVersion").flatMap { AppVersion($0) },
            taken: Set(words.map(String.init)))
    }

    /// Whether a device may call itself so: 16 to 64 letters, digits, dashes and underscores.
    package static func isIdentifier(_ text: String) -> Bool {
        identifierLength.contains(text.utf8.count)
            && text.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}

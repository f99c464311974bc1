// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit

/// Reads keys of one dictionary and notes what has the wrong kind or value.
struct KeyReader {
    /// Goes before the key in findings, such as `Extensions/X.appex: ` or `BAInitialDownloadRestrictions.`.
    let prefix: String
    let values: [String: PropertyListValue]
    private(set) var findings: [BundleFinding] = []

    init(_ values: [String: PropertyListValue], prefix: String = "") {
        self.values = values
        self.prefix = prefix
    }

    mutating func note(_ severity: BundleFinding.Severity, _ key: String, _ message: String, _ advice: String) {
        findings.append(BundleFinding(severity, prefix + key, message, advice))
    }

    mutating func add(_ others: [BundleFinding]) { findings += others }

    func has(_ key: String) -> Bool { values[key] != nil }

    /// A string that is not empty; nil, with a finding when something else is there.
    mutating func string(_ key: String) -> String? {
        guard let value = values[key] else { return nil }
        guard case .string(let text) = value else {
            note(.error, key, "It must be a string and is \(value.kind).", "Write <string>…</string>.")
            return nil
        }
        guard !text.isEmpty else {
            note(.error, key, "It is empty.", "Give it a value or leave the key out.")
            return nil
        }
        return text
    }

    mutating func boolean(_ key: String) -> Bool? {
        guard let value = values[key] else { return nil }
        guard case .boolean(let flag) = value else {
            note(.error, key, "It must be a boolean and is \(value.kind).", "Write <true/> or <false/>.")
            return nil
        }
        return flag
    }

    /// A size in bytes, 0 or more.
    mutating func size(_ key: String) -> Int64? {
        guard let value = values[key] else { return nil }
        guard case .integer(let number) = value, number >= 0 else {
            let what = if case .integer = value { "negative" } else { value.kind }
            note(
                .error, key, "It must be a number of bytes from 0 to \(Int64.max) and is \(what).",
                "Write <integer>…</integer>.")
            return nil
        }
        return number
    }

    mutating func strings(_ key: String) -> [String]? {
        guard let value = values[key] else { return nil }
        guard case .array(let items) = value else {
            note(
                .error, key, "It must be an array of strings and is \(value.kind).",
                "Write <array><string>…</string></array>.")
            return nil
        }
        return items.enumerated().compactMap { index, item in
            if case .string(let text) = item { return text }
            note(.error, key, "Item \(index) must be a string and is \(item.kind).", "Write <string>…</string>.")
            return nil
        }
    }

    mutating func dictionary(_ key: String) -> [String: PropertyListValue]? {
        guard let value = values[key] else { return nil }
        guard case .dictionary(let entries) = value else {
            note(.error, key, "It must be a dictionary and is \(value.kind).", "Write <dict>…</dict>.")
            return nil
        }
        return entries
    }
}

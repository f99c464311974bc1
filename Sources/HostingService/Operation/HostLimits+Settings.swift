// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Kit

extension HostLimits {
    /// The names of the limits, and what each is, for help.
    static let names: [(name: String, meaning: String)] = [
        ("packs-per-app", "packs of one app that are not archived"), ("archive-size", "one archive"),
        ("installed-size", "all files of one archive, unpacked"),
        ("archive-entries", "files, folders and links in one archive"), ("app-size", "an app bundle's files, unpacked"),
        ("bytes-per-app", "all packs of one app"),
        ("upload-lifetime", "how long addresses for parts are good, in seconds"),
        ("download-lifetime", "how long addresses of archives in a storage elsewhere are good, in seconds"),
        ("sweep-grace", "how long uploads that stand still and archives that nobody needs are kept, in seconds"),
        ("patches-from", "from how many of a channel's last versions patches are made, 0 for none"),
        ("patch-time", "how long making a patch may take, in seconds"),
        ("document-size", "a document in a request"),
        ("reports-per-address", "devices' reports about rollouts from one address in an hour"),
        ("reports-per-rollout", "devices whose reports about one rollout are counted"),
        ("free-space", "what must be free on the disk for the host to be healthy"),
    ]

    /// Takes `name=value`; sizes as `200GB` or `64GiB`.
    /// - Throws: `UsageError`
    mutating func set(_ setting: String) throws {
        let words = setting.split(separator: "=", maxSplits: 1).map(String.init)
        guard words.count == 2 else {
            throw UsageError("--limit needs a name and a value, as --limit archive-size=8GiB, not \"\(setting)\".")
        }
        if words[0] == "patches-from" {
            guard let count = Int(words[1]), (0...Self.mostPatches).contains(count) else {
                throw UsageError(
                    "The limit patches-from needs a number from 0 to \(Self.mostPatches), not \"\(words[1])\".")
            }
            patchesFrom = count
            return
        }
        guard let value = ByteSize.parse(words[1]), value > 0, value <= 1 << 60 else {
            throw UsageError("The limit \(words[0]) needs a size or a number above 0, not \"\(words[1])\".")
        }
        switch words[0] {
        case "packs-per-app": packsPerApp = value
        case "archive-size": archiveSize = Int64(value)
        case "installed-size": installedSize = UInt64(value)
        case "archive-entries": archiveEntries = value
        case "app-size": appSize = Int64(value)
        case "bytes-per-app": bytesPerApp = Int64(value)
        case "upload-lifetime": uploadLifetime = Int64(min(value, 365 * 24 * 3600))
        case "download-lifetime": downloadLifetime = Int64(min(value, 7 * 24 * 3600))
        case "sweep-grace":
            guard value >= Self.shortestGrace else {
                throw UsageError("The limit sweep-grace needs \(Self.shortestGrace) seconds at least, not \(value).")
            }
            sweepGrace = Int64(value)
        case "patch-time": patchTime = Int64(min(value, 7 * 24 * 3600))
        case "document-size": documentSize = min(value, 64 << 20)
        case "reports-per-address": reportsPerAddress = value
        case "reports-per-rollout": reportsPerRollout = value
        case "free-space": freeSpace = Int64(value)
        default:
            let known = Self.names.map(\.name)
            throw UsageError(
                "There is no limit \"\(words[0])\"; there are \(known.joined(separator: ", ")).",
                suggestion: Spelling.closest(to: words[0], among: known))
        }
    }
}

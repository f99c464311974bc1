// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Reads and checks the `BA…` keys of an app (BA 2.1).
enum BackgroundAssetsCheck {
    private static let selfHostingKeys = [
        "BAManifestURL", "BAInitialDownloadRestrictions", "BAMaxInstallSize", "BAEssentialMaxInstallSize",
    ]

    static func read(_ reader: inout KeyReader) -> BackgroundAssetsKeys {
        var keys = BackgroundAssetsKeys()
        let managed = reader.boolean("BAHasManagedAssetPacks") ?? false
        let hosted = reader.boolean("BAUsesAppleHosting") ?? false
        keys.appGroupID = reader.string("BAAppGroupID")
        keys.developmentRegion = reader.string("CFBundleDevelopmentRegion")
        keys.manifestURL = manifestURL(&reader)
        keys.manifestKeys = ManifestKeysCheck.read(&reader)
        keys.maxInstallSize = reader.size("BAMaxInstallSize")
        keys.essentialMaxInstallSize = reader.size("BAEssentialMaxInstallSize")
        if let values = reader.dictionary("BAInitialDownloadRestrictions") {
            var inner = KeyReader(values, prefix: reader.prefix + "BAInitialDownloadRestrictions.")
            keys.restrictions = restrictions(&inner, managed: managed)
            reader.add(inner.findings)
        }
        keys.mode =
            managed
            ? (hosted ? .managedHosted : .managed)
            : (reader.has("BAManifestURL") || reader.has("BAInitialDownloadRestrictions") ? .unmanaged : .none)
        check(keys, hosted: hosted, &reader)
        return keys
    }

    private static func check(_ keys: BackgroundAssetsKeys, hosted: Bool, _ reader: inout KeyReader) {
        switch keys.mode {
        case .none:
            if hosted {
                reader.note(
                    .warning, "BAUsesAppleHosting",
                    "It is true, but BAHasManagedAssetPacks is not, so the app has no packs.",
                    "Add <key>BAHasManagedAssetPacks</key><true/> to the app's Info.plist.")
            }
            if keys.manifestKeys != nil {
                reader.note(
                    .warning, ManifestKeysCheck.key, "The app has no packs, so no manifest is fetched for it.",
                    "Leave the key out, or add BAHasManagedAssetPacks or BAManifestURL.")
            }
            return
        case .managedHosted:
            for key in selfHostingKeys where reader.has(key) {
                reader.note(
                    .warning, key, "It has no meaning while BAUsesAppleHosting is true.",
                    "Leave the key out, or set BAUsesAppleHosting to false to host the packs yourself.")
            }
        case .managed:
            checkSelfHosting(keys, &reader)
        case .unmanaged: break  // The app's extension says itself what to download.
        }
        if keys.appGroupID == nil, !reader.has("BAAppGroupID") {
            reader.note(
                .error, "BAAppGroupID", "It is missing.",
                "Add a string such as group.<bundle id>, shared by the app and its extension, to the app's Info.plist.")
        }
    }

    private static func checkSelfHosting(_ keys: BackgroundAssetsKeys, _ reader: inout KeyReader) {
        if !reader.has("BAManifestURL") {
            reader.note(
                .error, "BAManifestURL", "It is missing, and without it nobody knows where the packs are.",
                "Add the https URL of the download manifest, or set BAUsesAppleHosting to true.")
        }
        if !reader.has("BAInitialDownloadRestrictions") {
            reader.note(
                .error, "BAInitialDownloadRestrictions", "It is missing; self-hosted managed packs need it.",
                "Add a dictionary with BADownloadAllowance, BAEssentialDownloadAllowance and BADownloadDomainAllowList."
            )
        }
        for key in ["BAMaxInstallSize", "BAEssentialMaxInstallSize"] where !reader.has(key) {
            reader.note(
                .warning, key, "It is missing, so the packs' unpacked size has no upper bound here; stores require it.",
                "Add the largest size in bytes that the app's packs may take once unpacked.")
        }
        if let restrictions = keys.restrictions, let url = keys.manifestURL.flatMap({ WebAddress($0) }),
            !restrictions.allows(host: url.host)
        {
            reader.note(
                .error, "BAInitialDownloadRestrictions.BADownloadDomainAllowList",
                "It does not allow \(url.host), the host of BAManifestURL.",
                "Add <string>\(url.host)</string> to the list.")
        }
    }

    private static func restrictions(_ reader: inout KeyReader, managed: Bool) -> DownloadRestrictions {
        var result = DownloadRestrictions()
        result.downloadAllowance = reader.size("BADownloadAllowance")
        result.essentialDownloadAllowance = reader.size("BAEssentialDownloadAllowance")
        if managed {
            for key in ["BADownloadAllowance", "BAEssentialDownloadAllowance"] where !reader.has(key) {
                reader.note(
                    .error, key, "It is missing.",
                    "Add the number of bytes that may be downloaded before the app's first launch; 0 for none.")
            }
        }
        if let entries = reader.strings("BADownloadDomainAllowList") {
            result.domainAllowList = entries.compactMap { entry in
                if let pattern = DomainPattern(entry) { return pattern }
                reader.note(
                    .error, "BADownloadDomainAllowList", "\"\(entry)\" is no host name.",
                    "Write a host such as cdn.example.com, or *.example.com for all hosts below; no scheme, port "
                        + "or path."
                )
                return nil
            }
        } else if managed, !reader.has("BADownloadDomainAllowList") {
            reader.note(
                .warning, "BADownloadDomainAllowList",
                "It is missing, so any host may serve packs before the first launch.",
                "Add the hosts that serve the app's manifest and packs.")
        }
        return result
    }

    private static func manifestURL(_ reader: inout KeyReader) -> String? {
        guard let text = reader.string("BAManifestURL") else { return nil }
        guard let address = WebAddress(text), address.isSecure else {
            reader.note(
                .error, "BAManifestURL", "\"\(text)\" is no https URL.",
                "Write an absolute https URL. For a development server use `ba-serve url-override` instead.")
            return nil
        }
        return text
    }
}

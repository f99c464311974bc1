// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import BackgroundAssets
import ExtensionFoundation

/// A downloader extension that behaves as the file `behaviour` beside its executable says:
/// `accept`, `decline <pack id>`, `crash`, or `hang`.
@main
struct ProbeExtension: ManagedDownloaderExtension {
    func shouldDownload(_ assetPack: AssetPack) -> Bool {
        let words = behaviour.split(separator: " ").map(String.init)
        switch words.first {
        case "decline": return !words.dropFirst().contains(assetPack.id)
        case "crash": kill(getpid(), SIGKILL)
        case "hang": while true { pause() }
        default: break
        }
        return true
    }

    private var behaviour: String {
        let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let text = try? String(contentsOf: folder.appendingPathComponent("behaviour"), encoding: .utf8)
        return text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "accept"
    }
}

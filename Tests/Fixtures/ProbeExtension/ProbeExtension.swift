// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import BackgroundAssets
import ExtensionFoundation

/// A downloader extension that behaves as the file `behaviour` beside its executable says:
/// `accept`, `decline <pack id>`, `crash`, `hang`, or `probe <what> …`, which tries something and writes what came of it to the
/// file `report` in the app group's folder.
@main
struct ProbeExtension: ManagedDownloaderExtension {
    func shouldDownload(_ assetPack: AssetPack) -> Bool {
        let words = behaviour.split(separator: " ").map(String.init)
        switch words.first {
        case "decline": return !words.dropFirst().contains(assetPack.id)
        case "crash": kill(getpid(), SIGKILL)
        case "hang": while true { pause() }
        case "spin": while true { _ = getpid() }
        case "probe": report(Probe.run(Array(words.dropFirst())))
        default: break
        }
        return true
    }

    func extensionWillTerminate() { if behaviour == "spin" { report("warned") } }

    private func report(_ text: String) {
        let folder = ProcessInfo.processInfo.environment["LARDER_APP_GROUP_FOLDER"] ?? "/nowhere"
        do {
            try text.write(toFile: folder + "/report", atomically: false, encoding: .utf8)
        } catch {
            fatalError("\(error)")
        }
    }

    private var behaviour: String {
        let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let text = try? String(contentsOf: folder.appendingPathComponent("behaviour"), encoding: .utf8)
        return text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "accept"
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import BackgroundAssets
import ExtensionFoundation
import Foundation
import FoundationNetworking

/// An extension that names one download, whose identifier and URL are the two words of the manifest.
@main
struct BenchExtension: BADownloaderExtension {
    func downloads(
        for contentRequest: BAContentRequest, manifestURL: URL, extensionInfo: BAAppExtensionInfo
    ) -> Set<BADownload> {
        let words = ((try? String(contentsOf: manifestURL, encoding: .utf8)) ?? "").split { $0 == " " || $0 == "\n" }
            .map(String.init)
        guard words.count == 2, let url = URL(string: words[1]) else { return [] }
        return [
            BAURLDownload(
                identifier: words[0], request: URLRequest(url: url), essential: false, fileSize: 5,
                applicationGroupIdentifier: "group.org.example.Bench", priority: .default)
        ]
    }
}

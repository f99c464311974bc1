// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// One good text of each kind, which mutations begin from.
enum TextCorpus {
    static let all: [[UInt8]] = [
        packManifest, downloadManifest, propertyList, request, event, "Levels/**/[a-f]?*.{lvl,txt}",
        "bytes=0-99,200-,-5",
        "asset=Coast:stall,after=1MiB,times=1", "503,retry-after=2,probability=0.3", "zh-Hant-HK", "Levels/1/a.lvl",
    ].map { Array($0.utf8) }

    private static let packManifest = """
        {
          // What goes in.
          "assetPackID": "Tutorial", /* and when */
          "downloadPolicy": { "prefetch": { "installationEventTypes": ["firstInstallation", "subsequentUpdate"] } },
          "fileSelectors": [ { "file": "a.txt" }, { "directory": "Levels" }, { "filePattern": "*.ogg" },
            { "fileSource": "b", "fileDestination": "c" }, { "fileExclusion": "Levels/x" } ],
          "platforms": ["iOS", "Linux"], "language": "en", "sourceRoot": "..", "userInfo": { "n": [1, 2.5, null, true] }
        }
        """

    private static let downloadManifest = #"""
        { "assetPacks": [ { "id": "Tutorial", "url": "https://cdn.example.com/packs/Tutorial", "version": 3,
          "downloadSize": 596, "downloadPolicy": { "onDemand": {} }, "host": { "thirdParty": {} }, "userInfo": {"a": 1},
          "larder": { "digest": { "algorithm": "sha256-tree-1m",
          "value": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" }, "installedSize": 12, "fileCount": 1 } } ] }
        """#

    private static let propertyList = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>org.example.game</string>
        <key>BAHasManagedAssetPacks</key><true/><key>BAMaxInstallSize</key><integer>10000000000</integer>
        <key>List</key><array><string>a &amp; b</string><real>1.5</real><data>AAEC</data></array></dict></plist>
        """

    private static let request = #"{"id":7,"method":"install","params":{"path":"/tmp/Game.app","until":"launchable"}}"#

    private static let event = #"""
        {"stream":7,"event":{"app":"org.example.game","displayName":"Game","phase":"downloading","completed":10,"total":20,
        "bytesPerSecond":1.5,"packs":[{"id":"a","version":1,"policy":"essential","state":"downloading","completed":1,
        "total":2}],"notes":["n"]}}
        """#
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// One good text of each kind, which mutations begin from.
enum TextCorpus {
    static let all: [[UInt8]] =
        [
            packManifest, downloadManifest, propertyList, resourceTags, xcodeProject, request, event, certificate,
            "Levels/**/[a-f]?*.{lvl,txt}",
            "bytes=0-99,200-,-5",
            "asset=Coast:stall,after=1MiB,times=1", "503,retry-after=2,probability=0.3", "zh-Hant-HK", "Levels/1/a.lvl",
            "https://[::1]:8443/a/b?c=d#e", "bytes 200-299/1000",
            "HTTP/1.1 302 Found\r\nLocation: /b\r\n\r\nHTTP/1.1 206 Partial\r\nContent-Range: bytes 3-4/5\r\nETag: \"a\"\r\n\r\n",
        ].map { Array($0.utf8) } + [binaryPropertyList, frames]

    private static let xcodeProject = """
        // !$*UTF8*$!
        { objects = {
            P /* Project object */ = {isa = PBXProject; mainGroup = M; targets = (T, ); attributes = {KnownAssetTags = (a, "b c"); };
                buildConfigurationList = L; };
            M = {isa = PBXGroup; children = (F, V, S, ); path = "Game \\U00fc"; sourceTree = "<group>"; };
            F = {isa = PBXFileReference; path = ../a.lvl; sourceTree = SOURCE_ROOT; };
            V = {isa = PBXVariantGroup; children = (E); }; E = {isa = PBXFileReference; name = en; path = en.lproj/a.txt; };
            S = {isa = PBXFileSystemSynchronizedRootGroup; path = More; exceptions = (X); };
            X = {isa = PBXFileSystemSynchronizedBuildFileExceptionSet; target = T; membershipExceptions = (Info.plist, );
                assetTagsByRelativePath = {Trees/oak.tree = (a, ); }; };
            T = {isa = PBXNativeTarget; name = Game; productType = "com.apple.product-type.application"; buildPhases = (R);
                fileSystemSynchronizedGroups = (S); buildConfigurationList = L; };
            R = {isa = PBXResourcesBuildPhase; files = (B, W); };
            B = {isa = PBXBuildFile; fileRef = F; settings = {ASSET_TAGS = (a, "b c", ); }; }; W = {isa = PBXBuildFile; fileRef = V; };
            L = {isa = XCConfigurationList; defaultConfigurationName = Release; buildConfigurations = (C); };
            C = {isa = XCBuildConfiguration; name = Release; buildSettings = {
                PRODUCT_BUNDLE_IDENTIFIER = "org.$(TARGET_NAME:rfc1034identifier)"; D = <0a ff>;
                ON_DEMAND_RESOURCES_PREFETCH_ORDER = "a 'b c' \\"d\\""; }; };
        }; rootObject = P; }
        """

    /// Two messages as they cross the socket, each behind its length.
    private static var frames: [UInt8] {
        [request, event].flatMap { text in
            (0..<4).map { UInt8(truncatingIfNeeded: text.utf8.count >> (24 - 8 * $0)) } + Array(text.utf8)
        }
    }

    /// Strings in ASCII and beyond, integers, a real, data, a truth value, arrays and dictionaries.
    private static let binaryPropertyList: [UInt8] =
        Array("bplist00".utf8) + [
            0xd4, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x0a, 0x5f, 0x10, 0x10,
        ] + Array("BAMaxInstallSize".utf8) + [0x5f, 0x10, 0x12] + Array("CFBundleIdentifier".utf8) + [
            0x51, 0x44, 0x54, 0x4c, 0x69, 0x73, 0x74, 0x13, 0x00, 0x00, 0x00, 0x02, 0x54, 0x0b, 0xe4, 0x00, 0x5f, 0x10,
            0x10,
        ] + Array("org.example.game".utf8) + [
            0xd1, 0x08, 0x09, 0x51, 0x6b, 0xa0, 0xa4, 0x0b, 0x0c, 0x0d, 0x0e, 0x23, 0x3f, 0xf8, 0, 0, 0, 0, 0, 0, 0x42,
            0x00,
            0x01, 0x09, 0x61, 0x00, 0xfc, 0x08, 0x11, 0x24, 0x39, 0x3b, 0x40, 0x49, 0x5c, 0x5f, 0x61, 0x62, 0x67, 0x70,
            0x73,
            0x74, 0, 0, 0, 0, 0, 0, 0x01, 0x01, 0, 0, 0, 0, 0, 0, 0, 0x0f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
            0x77,
        ]

    private static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBczCCARmgAwIBAgIUC0BnN9nAWtYEMaZC4AWWEaraYzcwCgYIKoZIzj0EAwIw
        DzENMAsGA1UEAwwEc2VlZDAeFw0yNjExMjExOTUzNDNaFw0yNjExMjMxOTUzNDNa
        MA8xDTALBgNVBAMMBHNlZWQwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQBeKh6
        h1k+Afh54+VxgsmY2gfYXI4sIjeBloNDwOSL23Xb1tY6fWh6Lzfyyh1Tsogr0Mej
        ahJw0J8SFR60vZ9lo1MwUTAdBgNVHQ4EFgQUGHfGd4hOXLXTWHx1LvZZ2G3jXPQw
        HwYDVR0jBBgwFoAUGHfGd4hOXLXTWHx1LvZZ2G3jXPQwDwYDVR0TAQH/BAUwAwEB
        /zAKBggqhkjOPQQDAgNIADBFAiEAmY6fXONre6fz/Uxi7jhZbolQLckMlpsAeOc4
        Dhtv5vwCIHNXJ48ufFBSYdRHlfoP3lvYTee85ttLK2RRGRXldCS4
        -----END CERTIFICATE-----
        """

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

    private static let resourceTags = """
        <plist><dict><key>NSBundleResourceRequestTags</key><dict><key>cave</key><dict><key>NSAssetPacks</key>
        <array><string>org.example.game.asset-pack-e386df9ee22e271da0b7d489447870ff</string></array></dict></dict>
        <key>NSBundleResourceRequestAssetPacks</key><dict><key>p</key><array><string>Cave/a.lvl</string></array></dict>
        <key>resources</key><array><dict><key>bundleKey</key><string>p</string><key>URL</key><string>https://a/p</string>
        <key>downloadPriority</key><real>0.5</real><key>uncompressedSize</key><integer>7</integer></dict></array></dict></plist>
        """

    private static let request = #"{"id":7,"method":"install","params":{"path":"/tmp/Game.app","until":"launchable"}}"#

    private static let event = #"""
        {"stream":7,"event":{"app":"org.example.game","displayName":"Game","phase":"downloading","completed":10,"total":20,
        "bytesPerSecond":1.5,"packs":[{"id":"a","version":1,"policy":"essential","state":"downloading","completed":1,
        "total":2}],"notes":["n"]}}
        """#
}

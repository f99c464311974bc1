// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import PackageDescription

/// A C library that Debian (or `scripts/setup`) provides.
func system(_ name: String, pkgConfig: String, apt package: String? = nil) -> Target {
    .systemLibrary(
        name: name, path: "Sources/\(name)", pkgConfig: pkgConfig,
        providers: package.map { [.apt([$0])] })
}

/// A room of the house: its name, what it may import, and nothing else.
func room(_ name: String, _ dependencies: Target.Dependency...) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/\(name)")
}

func tests(_ name: String, _ dependencies: Target.Dependency...) -> Target {
    .testTarget(name: "\(name)Tests", dependencies: dependencies + ["TestSupport"], path: "Tests/\(name)Tests")
}

let package = Package(
    name: "larder",
    products: [
        .library(name: "BackgroundAssets", targets: ["BackgroundAssets"]),
        .library(name: "OnDemandResources", targets: ["OnDemandResources"]),
        .library(name: "StoreKit", targets: ["StoreKit"]),
        .library(name: "ExtensionFoundation", targets: ["ExtensionFoundation"]),
        .library(name: "System", targets: ["System"]),
        .executable(name: "larder", targets: ["larder"]),
        .executable(name: "larderd", targets: ["larderd"]),
        .executable(name: "larder-host", targets: ["larder-host"]),
    ],
    traits: [
        .trait(
            name: "FoundationNetworking",
            description: "URLRequest and authentication challenges in BackgroundAssets, for unmanaged downloads."),
        .default(enabledTraits: ["FoundationNetworking"]),
    ],
    targets: [
        // C at the edge: module maps of system libraries, and shims for what Swift cannot import.
        system("COpenSSL", pkgConfig: "libcrypto", apt: "libssl-dev"),
        system("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
        system("CDeflate", pkgConfig: "libdeflate", apt: "libdeflate-dev"),
        system("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev"),
        system("CLZMA", pkgConfig: "liblzma", apt: "liblzma-dev"),
        system("CLZ4", pkgConfig: "liblz4", apt: "liblz4-dev"),
        system("CLZFSE", pkgConfig: "lzfse"),
        .target(name: "CLinux", path: "Sources/CLinux", cSettings: [.define("_GNU_SOURCE")]),
        // Of libcurl, libssl, libmicrohttpd, libpq and libzstd only the headers are needed here: they are loaded when they are first used.
        .target(name: "CCurlShim", dependencies: ["CLinux", "COpenSSL"], path: "Sources/CCurlShim"),
        .target(name: "CMicroHTTPDShim", dependencies: ["CLinux"], path: "Sources/CMicroHTTPDShim"),
        .target(name: "CZstdShim", dependencies: ["CLinux"], path: "Sources/CZstdShim"),
        .target(name: "CPostgresShim", dependencies: ["CLinux"], path: "Sources/CPostgresShim"),
        .target(name: "CBundleShim", path: "Sources/CBundleShim"),
        .target(name: "COpenSSLShim", dependencies: ["COpenSSL"], path: "Sources/COpenSSLShim"),

        // The rooms, lowest first; imports point down.
        room("System"),
        room("Kit", "System", "CLinux"),
        room("Crypto", "Kit", "System", "COpenSSL", "COpenSSLShim"),
        room("HTTP", "Crypto", "Kit", "System", "CLinux", "CCurlShim", "CMicroHTTPDShim"),
        room("ObjectStorage", "HTTP", "Crypto", "Kit", "System"),
        room("Mail", "HTTP", "Kit", "System", "CCurlShim"),
        room("Database", "Kit", "System", "CSQLite", "CPostgresShim"),
        room("AppleArchive", "Kit", "System", "CDeflate", "CZlib", "CLZMA", "CLZ4", "CLZFSE"),
        room("Deltas", "Kit", "CZstdShim", "CLZMA"),
        room("Languages"),
        room("AssetPacks", "AppleArchive", "Crypto", "Languages", "Kit", "System"),
        room("PackUpdates", "AssetPacks", "Deltas", "AppleArchive", "Crypto", "Kit", "System"),
        room("AppBundles", "AssetPacks", "AppleArchive", "Crypto", "Kit", "System"),
        room("ResourceTags", "AppBundles", "PackUpdates", "AssetPacks", "AppleArchive", "Crypto", "Kit", "System"),
        room("PackNamespace", "Kit", "System"),
        room("DeviceProtocol", "Kit", "System"),
        room(
            "DeviceService", "DeviceProtocol", "PackNamespace", "ResourceTags", "AppBundles", "PackUpdates",
            "AssetPacks",
            "AppleArchive", "Database", "HTTP", "Crypto", "Languages", "Kit", "System"),
        room("ExtensionFoundation", "DeviceProtocol", "Kit", "System"),
        room(
            "BackgroundAssets", "ExtensionFoundation", "DeviceProtocol", "PackNamespace", "Languages", "Kit", "System"),
        room(
            "OnDemandResources", "BackgroundAssets", "DeviceProtocol", "PackNamespace", "Kit", "System", "CBundleShim"),
        room("StoreKit", "BackgroundAssets", "ExtensionFoundation"),
        room(
            "DevelopmentServer", "PackUpdates", "AssetPacks", "AppleArchive", "HTTP", "Crypto", "Languages", "Kit",
            "System"),
        room("HostingModel", "Kit"),
        room(
            "HostingService", "HostingModel", "AppBundles", "PackUpdates", "AssetPacks", "AppleArchive", "Database",
            "Mail",
            "ObjectStorage", "HTTP", "Crypto", "Languages", "Kit", "System"),
        room(
            "HostingClient", "HostingModel", "AppBundles", "AssetPacks", "AppleArchive", "HTTP", "Crypto", "Kit",
            "System"),
        room(
            "Commands", "DevelopmentServer", "HostingClient", "HostingModel", "DeviceProtocol", "PackNamespace",
            "ResourceTags", "AppBundles", "PackUpdates", "AssetPacks", "AppleArchive", "HTTP", "Crypto", "Languages",
            "Kit",
            "System"),
        .executableTarget(name: "larder", dependencies: ["Commands", "Kit"], path: "Sources/larder"),
        .executableTarget(name: "larderd", dependencies: ["DeviceService", "Kit"], path: "Sources/larderd"),
        .executableTarget(name: "larder-host", dependencies: ["HostingService", "Kit"], path: "Sources/larder-host"),

        // Measurements that scripts/bench drives.
        .executableTarget(name: "bench-open-database", dependencies: ["CSQLite"], path: "Benchmarks/OpenDatabase"),
        .executableTarget(
            name: "larder-bench",
            dependencies: [
                "AppleArchive", "AssetPacks", "BackgroundAssets", "Crypto", "DeviceProtocol", "HTTP",
                "OnDemandResources", "PackNamespace",
                "Kit", "System", "DeviceSupport", "TestSupport", "CDeflate", "CLZMA", "CLZ4", "CLZFSE", "CSQLite",
                "HostingClient", "HostingModel", "HostingService", "ResourceTags",
            ],
            path: "Benchmarks/Suite"),
        .executableTarget(
            name: "bench-extension", dependencies: ["BackgroundAssets", "ExtensionFoundation"],
            path: "Benchmarks/Extension"),
        .executableTarget(
            name: "bench-managed-extension", dependencies: ["BackgroundAssets", "ExtensionFoundation"],
            path: "Benchmarks/ManagedExtension"),

        // Tests: one target per room, and Integration, which runs the real binaries.
        .target(name: "TestSupport", dependencies: ["Kit", "System"], path: "Tests/TestSupport"),
        tests("System", "System"),
        tests("Kit", "Kit", "System"),
        tests("Crypto", "Crypto", "Kit", "System"),
        .target(name: "HTTPSupport", dependencies: ["HTTP", "Kit"], path: "Tests/HTTPSupport"),
        tests("HTTP", "HTTP", "HTTPSupport", "DeviceSupport", "Crypto", "Kit", "System"),
        tests(
            "ObjectStorage", "ObjectStorage", "DeviceSupport", "HTTP", "Crypto", "Kit", "System"),
        tests("Mail", "Mail", "HTTP", "Kit", "System"),
        tests("Database", "Database", "Kit", "System"),
        .testTarget(
            name: "AppleArchiveTests", dependencies: ["AppleArchive", "Crypto", "Kit", "System", "TestSupport"],
            path: "Tests/AppleArchiveTests", exclude: ["Fixtures"]),
        tests("Deltas", "Deltas", "Kit"),
        tests("Languages", "Languages"),
        .testTarget(
            name: "AssetPacksTests",
            dependencies: ["AssetPacks", "AppleArchive", "Crypto", "Languages", "Kit", "System", "TestSupport"],
            path: "Tests/AssetPacksTests", exclude: ["Fixtures"]),
        tests("PackUpdates", "PackUpdates", "AssetPacks", "Deltas", "AppleArchive", "Crypto", "Kit", "System"),
        tests("AppBundles", "AppBundles", "AssetPacks", "Crypto", "Kit", "System"),
        tests("ResourceTags", "ResourceTags", "AppBundles", "PackUpdates", "AssetPacks", "Kit", "System"),
        tests("PackNamespace", "PackNamespace", "Kit", "System"),
        tests("DeviceProtocol", "DeviceProtocol", "Kit", "System"),
        tests(
            "DeviceService", "DeviceService", "DeviceSupport", "DeviceProtocol", "PackNamespace", "AppBundles",
            "PackUpdates", "AssetPacks", "Deltas", "AppleArchive", "Database", "HTTP", "Crypto", "Languages", "Kit",
            "System", "ProbeExtension",
            "ProbeDownloader"),
        tests(
            "BackgroundAssets", "BackgroundAssets", "StoreKit", "ExtensionFoundation", "DeviceProtocol",
            "PackNamespace",
            "Languages", "Kit", "System", "ProbeExtension"),
        tests(
            "DevelopmentServer", "DevelopmentServer", "PackUpdates", "AssetPacks", "HTTP", "HTTPSupport", "Crypto",
            "Kit", "System"),
        tests("HostingModel", "HostingModel", "Kit"),
        tests(
            "HostingService", "HostingService", "HostingModel", "HostingClient", "Database", "Mail", "ObjectStorage",
            "Commands", "DeviceSupport", "AppBundles", "PackUpdates", "AssetPacks", "AppleArchive", "Crypto", "HTTP",
            "Kit",
            "System", "larder-host"),
        tests(
            "Commands", "Commands", "larder", "PackUpdates", "AssetPacks", "Crypto", "AppleArchive", "DeviceProtocol",
            "PackNamespace", "Kit",
            "System"),
        .target(
            name: "DeviceSupport",
            dependencies: [
                "TestSupport", "AppleArchive", "PackUpdates", "AssetPacks", "Crypto", "DeviceProtocol", "HTTP", "Kit",
                "System",
            ],
            path: "Tests/DeviceSupport"),
        .executableTarget(
            name: "ProbeApp", dependencies: ["BackgroundAssets", "OnDemandResources", "System"],
            path: "Tests/Fixtures/ProbeApp"),
        .executableTarget(
            name: "ProbeExtension", dependencies: ["BackgroundAssets"], path: "Tests/Fixtures/ProbeExtension"),
        .executableTarget(
            name: "ProbeDownloader", dependencies: ["BackgroundAssets", "ExtensionFoundation"],
            path: "Tests/Fixtures/ProbeDownloader"),
        // The example with unmanaged downloads, for Integration; its own package is beside it.
        .target(
            name: "SessionLibrary", dependencies: ["BackgroundAssets"],
            path: "Examples/Sessions/Sources/SessionLibrary"),
        .executableTarget(
            name: "Sessions", dependencies: ["SessionLibrary", "BackgroundAssets"],
            path: "Examples/Sessions/Sources/Sessions"),
        .executableTarget(
            name: "SessionsDownloader", dependencies: ["SessionLibrary", "BackgroundAssets", "ExtensionFoundation"],
            path: "Examples/Sessions/Sources/Downloader"),
        // The example with on-demand resources, likewise.
        .executableTarget(name: "Levels", dependencies: ["OnDemandResources"], path: "Examples/Levels/Sources/Levels"),
        // The fault campaign, which scripts/torture runs.
        .executableTarget(
            name: "TortureReader", dependencies: ["BackgroundAssets", "PackNamespace", "TestSupport", "Kit", "System"],
            path: "Tests/Fixtures/TortureReader"),
        .executableTarget(
            name: "TortureDownloader",
            dependencies: ["BackgroundAssets", "ExtensionFoundation", "TestSupport"],
            path: "Tests/Fixtures/TortureDownloader"),
        .executableTarget(
            name: "larder-torture",
            dependencies: [
                "DeviceSupport", "TestSupport", "DevelopmentServer", "DeviceProtocol", "PackNamespace", "HTTP", "Kit",
                "System", "CLinux", "larderd", "ProbeApp", "ProbeExtension", "TortureReader", "TortureDownloader",
            ],
            path: "Tests/Torture"),
        // Mutated inputs for every parser; scripts/fuzz runs them all.
        .target(name: "FuzzSupport", dependencies: ["TestSupport", "Kit", "System"], path: "Tests/Fuzz/Support"),
        .executableTarget(
            name: "fuzz-archive", dependencies: ["FuzzSupport", "TestSupport", "AppleArchive", "Kit", "System"],
            path: "Tests/Fuzz/Archive"),
        .executableTarget(
            name: "fuzz-text",
            dependencies: [
                "FuzzSupport", "TestSupport", "AppBundles", "AssetPacks", "Crypto", "DevelopmentServer",
                "DeviceProtocol", "HTTP", "Languages", "ResourceTags", "Kit", "System",
            ],
            path: "Tests/Fuzz/Text"),
        .executableTarget(
            name: "fuzz-namespace", dependencies: ["FuzzSupport", "PackNamespace"], path: "Tests/Fuzz/Namespace"),
        .executableTarget(
            name: "fuzz-pack-manifest", dependencies: ["FuzzSupport", "TestSupport", "AssetPacks", "Kit"],
            path: "Tests/Fuzz/PackManifest"),
        .executableTarget(
            name: "fuzz-download-manifest", dependencies: ["FuzzSupport", "TestSupport", "AssetPacks", "Kit"],
            path: "Tests/Fuzz/DownloadManifest"),
        .executableTarget(
            name: "fuzz-signed-manifest",
            dependencies: ["FuzzSupport", "TestSupport", "AssetPacks", "Crypto", "Kit"],
            path: "Tests/Fuzz/SignedManifest"),
        .executableTarget(
            name: "fuzz-delta", dependencies: ["FuzzSupport", "TestSupport", "Deltas"], path: "Tests/Fuzz/Delta"),
        .executableTarget(
            name: "fuzz-pack-index",
            dependencies: ["FuzzSupport", "TestSupport", "PackUpdates", "AssetPacks", "AppleArchive", "Kit"],
            path: "Tests/Fuzz/PackIndex"),
        .executableTarget(
            name: "fuzz-pack-patch",
            dependencies: [
                "FuzzSupport", "TestSupport", "PackUpdates", "Deltas", "AppleArchive", "Crypto", "Kit", "System",
            ],
            path: "Tests/Fuzz/PackPatch"),
        .executableTarget(
            name: "fuzz-range-answer",
            dependencies: ["FuzzSupport", "TestSupport", "HTTP", "PackUpdates", "AppleArchive", "Kit", "System"],
            path: "Tests/Fuzz/RangeAnswer"),
        .executableTarget(
            name: "fuzz-hosting", dependencies: ["FuzzSupport", "Crypto", "HostingModel", "Kit"],
            path: "Tests/Fuzz/Hosting"),
        .testTarget(
            name: "Integration",
            dependencies: [
                "DeviceSupport", "TestSupport", "AppleArchive", "PackUpdates", "AssetPacks", "Crypto", "DeviceProtocol",
                "HTTP", "Kit", "System", "larder", "larderd", "larder-torture", "ProbeApp", "ProbeExtension",
                "Sessions",
                "SessionsDownloader", "Levels", "larder-host",
            ],
            path: "Tests/Integration", exclude: ["Independent"]),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .gnu11
)

for target in package.targets where target.type != .system {
    if target.path?.contains("/C") == true, target.name != "Commands", target.name != "Crypto",
        target.name != "CommandsTests", target.name != "CryptoTests"
    {
        continue
    }
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("MemberImportVisibility"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .treatAllWarnings(as: .error),
        ]
}

// swift-tools-version: 6.0
// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import PackageDescription

let package = Package(
    name: "Sessions",
    dependencies: [
        .package(name: "larder", path: "../..")
    ],
    targets: [
        .target(name: "SessionLibrary", dependencies: [.product(name: "BackgroundAssets", package: "larder")]),
        .executableTarget(
            name: "Sessions",
            dependencies: ["SessionLibrary", .product(name: "BackgroundAssets", package: "larder")]),
        .executableTarget(
            name: "SessionsDownloader",
            dependencies: [
                "SessionLibrary", .product(name: "BackgroundAssets", package: "larder"),
                .product(name: "ExtensionFoundation", package: "larder"),
            ], path: "Sources/Downloader"),
    ]
)

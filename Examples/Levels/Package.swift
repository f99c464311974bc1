// swift-tools-version: 6.0
// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import PackageDescription

let package = Package(
    name: "Levels",
    dependencies: [
        .package(name: "larder", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "Levels", dependencies: [.product(name: "OnDemandResources", package: "larder")]),
        .executableTarget(
            name: "Downloader",
            dependencies: [
                .product(name: "BackgroundAssets", package: "larder"), .product(name: "StoreKit", package: "larder"),
                .product(name: "ExtensionFoundation", package: "larder"),
            ]),
    ]
)

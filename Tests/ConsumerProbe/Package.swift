// swift-tools-version: 6.0
// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

// An app's package as its developer writes it: one line says where Larder is. What it holds is written after Apple's public
// documentation of Background Assets, and has to compile as it stands.

import PackageDescription

let package = Package(
    name: "ConsumerProbe",
    dependencies: [
        .package(name: "larder", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "Game",
            dependencies: [
                .product(name: "BackgroundAssets", package: "larder"), .product(name: "System", package: "larder"),
            ]),
        .executableTarget(
            name: "Downloader",
            dependencies: [
                .product(name: "BackgroundAssets", package: "larder"), .product(name: "StoreKit", package: "larder"),
                .product(name: "ExtensionFoundation", package: "larder"),
            ]),
        .executableTarget(
            name: "PlainDownloader",
            dependencies: [.product(name: "BackgroundAssets", package: "larder")]),
        .executableTarget(
            name: "UnmanagedDownloader",
            dependencies: [
                .product(name: "BackgroundAssets", package: "larder"),
                .product(name: "ExtensionFoundation", package: "larder"),
            ]),
        .executableTarget(
            name: "UnmanagedGame",
            dependencies: [.product(name: "BackgroundAssets", package: "larder")]),
    ]
)

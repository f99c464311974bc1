// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

public import ExtensionFoundation

/// An app's extension that downloads files before the app is opened and while it is closed. (BA 1.5)
///
/// Conform to ``ManagedDownloaderExtension`` or to StoreKit's `StoreDownloaderExtension`.
public protocol BADownloaderExtension: AppExtension
where Configuration: BADownloaderExtensionConfiguration {}

/// How a downloader extension answers the system.
public protocol BADownloaderExtensionConfiguration: AppExtensionConfiguration {}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import BackgroundAssets

@main
struct DownloaderExtension: ManagedDownloaderExtension {
}

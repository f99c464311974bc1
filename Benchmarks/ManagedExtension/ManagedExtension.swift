// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import BackgroundAssets
import ExtensionFoundation

/// An extension that has every pack downloaded.
@main
struct ManagedExtension: ManagedDownloaderExtension {}

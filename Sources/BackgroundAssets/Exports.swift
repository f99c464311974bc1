// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

// As on Apple's platforms, whoever imports BackgroundAssets sees Foundation (`Data`, `URL`, `Progress`, `Locale`), and the part
// of it that Linux has apart (`URLRequest`, `URLCredential`).
@_exported public import Foundation

#if FoundationNetworking
    @_exported public import FoundationNetworking
#endif

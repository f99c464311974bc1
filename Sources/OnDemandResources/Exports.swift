// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

// On Apple's platforms on-demand resources are part of Foundation: whoever imports this module sees it.
@_exported public import Foundation

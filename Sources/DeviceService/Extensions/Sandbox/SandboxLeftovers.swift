// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System

/// Sandboxes that outlive whoever was to end them: a bubblewrap that is killed while it makes the namespaces, or whose parent
/// is, leaves a child behind that waits for it for ever and holds the extension's end of the conversation.
enum SandboxLeftovers {
    /// Ends what is left of the extension that runs with this scratch folder as its home. Blocks.
    @discardableResult
    static func end(of scratch: FilePath) -> Int {
        StrayProcesses.kill { $0.contains("HOME=\(scratch)") && $0.contains(channel) }
    }

    /// Ends what a service that was killed left of any app's extension. No extension may run. Blocks.
    @discardableResult
    static func end(below apps: FilePath) -> Int {
        StrayProcesses.kill { environment in
            environment.contains(channel) && environment.contains { $0.hasPrefix("HOME=\(apps)/") }
        }
    }

    private static let channel: Substring = "LARDER_EXTENSION_FD=\(ExtensionSandbox.channel)"
}

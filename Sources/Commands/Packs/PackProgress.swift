// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System

/// The progress bar of the pack commands: there when a person sees it at a terminal and has not asked for quiet or JSON.
struct PackProgress: Sendable {
    private let bar: ProgressBar?

    init(_ arguments: ParsedArguments, _ context: CommandContext) {
        bar = !arguments.flag("quiet") && context.isTerminal && !context.json ? ProgressBar(context) : nil
    }

    func update(_ phase: String, _ completed: Int64, of total: Int64?) {
        bar?.update(phase: PackSupport.printable(phase), completed: completed, total: total)
    }

    /// For work that counts up to a total.
    func updates(_ phase: String) -> @Sendable (_ completed: Int64, _ total: Int64) -> Void {
        { update(phase, $0, of: $1) }
    }

    /// As `updates`, for an archive.
    func updates(_ phase: String, _ path: FilePath) -> @Sendable (_ completed: Int64, _ total: Int64) -> Void {
        updates("\(phase) \(path.lastComponent?.string ?? path.string)")
    }

    /// A line above the bar.
    func note(_ text: String, _ context: CommandContext) {
        if let bar { bar.note(text) } else { context.note(text) }
    }

    func clear() { bar?.clear() }
}

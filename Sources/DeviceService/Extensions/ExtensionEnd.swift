// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit

/// How an extension came to a bad end, and how that is told.
enum ExtensionEnd: Hashable, Sendable {
    /// It was not started: the day's run time is used up.
    case noTimeLeft(allowance: Duration)
    case notStarted(reason: String)
    /// It used all the time that one event may take.
    case late(Duration)
    /// It used up the day's run time.
    case overBudget(allowance: Duration)
    case crashed(signal: Int32, said: String)
    case exited(code: Int32, said: String)
    case misspoke(reason: String)
    /// It wrote more than it may.
    case overfilled(FolderBound.Folder, limit: Int64)

    /// What runtime libraries say when they get no memory.
    private static let memoryWords = [
        "failed to allocate", "ould not allocate", "out of memory", "Cannot allocate memory", "bad_alloc",
    ]

    /// What became of an extension that left or was ended.
    /// - Parameters:
    ///   - exitCode: nil when it was still there.
    ///   - said: what it wrote to its standard error.
    ///   - error: what the conversation failed with.
    init(exitCode: Int32?, said: String, error: any Error) {
        switch exitCode {
        case .some(let code) where code > 128: self = .crashed(signal: code - 128, said: said)
        case .some(let code) where code == 1 && said.hasPrefix("bwrap: "): self = .notStarted(reason: said)
        case .some(let code) where code != 0: self = .exited(code: code, said: said)
        default: self = .misspoke(reason: "\(error)")
        }
    }

    /// What happened, as the end of a sentence that begins with the extension's name.
    var description: String {
        switch self {
        case .noTimeLeft(let allowance):
            "was not run: it has used its \(allowance.formatted) of run time for today"
        case .notStarted(let reason): "could not be started: \(reason.clause)"
        case .late(let limit): "took longer than \(limit.formatted) and was ended"
        case .overBudget(let allowance): "used up its \(allowance.formatted) of run time for today and was ended"
        case .crashed(let signal, let said): "crashed (signal \(signal))" + Self.quote(said)
        case .exited(let code, let said): "ended with exit code \(code)" + Self.quote(said)
        case .overfilled(.scratch, let limit):
            "had more than \(ByteCount.formatted(limit)) in its scratch folder and was ended"
        case .overfilled(.group, let limit):
            "filled its app group's folder beyond the \(ByteCount.formatted(limit)) there may be before the app's first "
                + "launch, and was ended"
        case .misspoke(let reason): "gave no proper answer (\(reason.clause))"
        }
    }

    /// The first line it said, and a hint when it ran out of memory.
    private static func quote(_ said: String) -> String {
        let line = said.prefix { $0 != "\n" }.prefix(200)
        let isMemory = memoryWords.contains { said.mentions($0) }
        let hint =
            isMemory ? " for want of memory: it may use \(SandboxPlan.memory >> 20) MiB" : ""
        return hint + (line.isEmpty ? "" : "; it said: \(line)")
    }
}

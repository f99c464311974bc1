// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import HTTP
internal import Kit
internal import Synchronization
internal import System

/// Archives that were asked for lately, open, by the paths they are served under. Devices ask for one in many stretches, and
/// what is under a path never changes; one that was deleted or cut meanwhile is not answered with.
final class OpenArchives: Sendable {
    private struct State {
        var archives: [String: FileAnswer] = [:]
        var isClosing = false
    }

    /// Files that are kept open.
    private static let limit = 256
    /// For how long at most: a deleted file takes its room on the disk for as long as it is open.
    private static let lifetime = Duration.seconds(60)

    private let state = Mutex(State())

    /// Does not wait.
    func answer(to head: HTTPRequestHead) -> HTTPServerResponse? {
        guard let archive = state.withLock({ $0.archives[head.path] }) else { return nil }
        guard archive.isWhole else {
            state.withLock { $0.archives[head.path] = nil }
            return nil
        }
        return archive.response(to: head)
    }

    func keep(_ archive: FileAnswer, path: String) {
        let isFirst = state.withLock { state in
            if state.archives.count >= Self.limit { state.archives = [:] }
            state.archives[path] = archive
            defer { state.isClosing = true }
            return !state.isClosing
        }
        guard isFirst else { return }
        Task { [weak self] in
            _ = try? await Task.sleep(for: Self.lifetime)
            self?.state.withLock { $0 = State() }
        }
    }
}

extension FileAnswer {
    /// Whether the file is still in some folder, and as long as it was.
    fileprivate var isWhole: Bool {
        guard let status = try? file.withDescriptor({ try $0.status() }) else { return false }
        return status.linkCount > 0 && status.size == size
    }
}

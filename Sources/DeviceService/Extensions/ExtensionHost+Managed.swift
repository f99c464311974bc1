// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit

extension ExtensionHost {
    /// What a managed extension decided.
    struct Decisions: Hashable, Sendable {
        /// Ids the extension said no to.
        var declined: Set<String> = []
        /// What went wrong, for a person; nil when nothing did.
        var trouble: String?
    }

    /// Asks about each of `packs` (BA 1.13). Never throws: the extension has allowed what it did not answer.
    /// - Parameter event: `install` or `update`, as `BAContentRequest` names it.
    func shouldDownload(
        _ packs: [PackDescription], event: String, _ subject: ExtensionSubject
    ) async -> Decisions {
        guard !packs.isEmpty else { return Decisions() }
        let declined = Locked<Set<String>>([])
        let outcome = await run(subject, consequence: "the packs it did not decide on are downloaded") { session in
            for pack in packs {
                let reply = try session.call(ShouldDownloadRequest(assetPack: pack, event: event))
                if !reply.download { declined.withLock { _ = $0.insert(pack.id) } }
            }
        }
        return Decisions(declined: declined.withLock { $0 }, trouble: outcome.trouble)
    }
}

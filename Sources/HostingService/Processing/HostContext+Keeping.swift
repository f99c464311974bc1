// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Crypto
internal import Database
internal import HostingModel
internal import Kit

extension HostContext {
    /// Keeps an assembled file for good, as an archive that is needed from now on.
    /// - Returns: false while the archive of that digest is being removed; the job is done again a little later then.
    /// - Throws: what database and store throw.
    func keep(_ assembled: AssembledUpload, as digest: Digest, for job: ClaimedJob) async throws -> Bool {
        let mayKeep = try await database.write { [retry = clock().seconds + 30] store in
            let mayKeep = try store.reserveArchive(digest.hex)
            if !mayKeep { try store.postpone(job, until: retry) }
            return mayKeep
        }
        if mayKeep { try await blobs.keep(assembled, as: digest) }
        return mayKeep
    }
}

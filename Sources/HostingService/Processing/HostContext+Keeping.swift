// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Crypto
internal import Database
internal import HostingModel
internal import Kit

extension HostContext {
    /// How often an upload that the store does not have is looked for again: it may be just putting it together for a request
    /// whose answer was lost.
    private static let searches = 12

    /// Puts an upload's parts together to one file on this machine.
    /// - Throws: `Rejection` when the store has lost them; what the store throws, and then the job is to be done again.
    func assemble(_ file: String, _ plan: UploadPlan, _ wanted: WantedDigests, for job: ClaimedJob) async throws
        -> AssembledUpload
    {
        do {
            return try await blobs.assemble(file, plan, file: wanted)
        } catch let error as HostingError where error.code == .uploadLost && job.attempts >= Self.searches {
            throw Rejection(
                "UPLOAD_LOST",
                "The host's storage has lost what was uploaded: \(error.message) Upload it again, as a new version.")
        }
    }

    /// Keeps an assembled file for good, as an archive that is needed from now on.
    /// - Returns: false while the archive of that digest is being removed; the job is done again a little later then.
    /// - Throws: what database and store throw.
    func keep(_ assembled: AssembledUpload, as digest: Digest, for job: ClaimedJob) async throws -> Bool {
        guard try await reserve([digest], for: job) else { return false }
        try await blobs.keep(assembled, as: digest)
        return true
    }

    /// Sees to it that files of these digests stay once they are kept.
    /// - Returns: false while one of them is being removed; the job is done again a little later then.
    /// - Throws: what the database throws.
    func reserve(_ digests: [Digest], for job: ClaimedJob) async throws -> Bool {
        try await database.write { [retry = clock().seconds + 30] store in
            for digest in digests where try !store.reserveArchive(digest.hex) {
                try store.postpone(job, until: retry)
                return false
            }
            return true
        }
    }
}

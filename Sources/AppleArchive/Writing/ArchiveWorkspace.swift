// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Working memory of one thread that writes archives one after the other: what the first needed serves the next.
///
/// Serves one writer at a time. Without it a small archive costs more for its memory and its thread than for its content.
package final class ArchiveWorkspace {
    private var spareJobs: [PackJob] = []
    private var codecs: [BlockAlgorithm: any BlockCodec] = [:]

    package init() {}

    func takeJob() -> PackJob { spareJobs.popLast() ?? PackJob() }

    func giveBack(_ job: PackJob) {
        job.reset()
        spareJobs.append(job)
    }

    /// nil where nothing is compressed.
    func codec(for algorithm: BlockAlgorithm?) -> (any BlockCodec)? {
        guard let algorithm else { return nil }
        if let codec = codecs[algorithm] { return codec }
        let codec = try? algorithm.makeCodec()
        codecs[algorithm] = codec
        return codec
    }
}

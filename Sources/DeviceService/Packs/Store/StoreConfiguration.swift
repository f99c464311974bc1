// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit

/// How the store behaves; the defaults are for a person's device.
package struct StoreConfiguration: Sendable {
    /// How many transfers run at once, and from one host.
    package var limits = TransferQueue.Limits()
    package var essentialRetries = RetryPolicy.essential
    /// For packs that somebody waits for.
    package var foregroundRetries = RetryPolicy.foreground
    package var backgroundRetries = RetryPolicy.background
    /// Threads that decompress one archive; 0 is one for each core.
    package var decoderThreads = 0
    /// Bytes written between two flushes of the disk during a download.
    package var durableInterval: Int64 = 64 << 20
    /// Called after each step of a commit. For tests.
    package var commitHook: CommitHook?

    package init() {}

    func makeQueue() -> TransferQueue {
        TransferQueue(
            limits: limits, essential: essentialRetries, foreground: foregroundRetries, background: backgroundRetries)
    }

    var pipelineOptions: PackPipeline.Options {
        var options = PackPipeline.Options()
        options.threads = decoderThreads
        options.durableInterval = durableInterval
        options.hook = commitHook
        return options
    }
}

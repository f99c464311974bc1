// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit
package import System

/// How a device service is set up.
package struct ServiceConfiguration: Sendable {
    package var paths: LarderPaths
    /// The service's own version, told to clients and servers.
    package var version: String
    package var log: Logger
    /// The longest silence of a server, on a connection that bytes are due on, before it is asked again.
    package var stallTimeout: Duration = .seconds(10)
    /// The time within which an answer has to bring as many bytes as the least rate makes of it, again and again.
    package var slowTimeout: Duration = .seconds(60)
    /// How an install asks for a manifest that does not come.
    package var manifestRetries = RetryPolicy.essential
    /// How long an extension may take to answer for all packs of one event.
    package var extensionTimeLimit: Duration = .seconds(30)
    /// How long an app may take to answer a server's challenge, before it is handled as if it had no answer.
    package var answerTimeLimit: Duration = .seconds(60)
    /// How long apps that an earlier service knew have to come back after a start, before they count as gone. It suits how
    /// long they wait at most between two attempts.
    package var returnPatience: Duration = RetryPolicy.service.longest * 2
    /// How long processes that use on-demand resources have to let go of some when there is no room.
    package var releasePatience: Duration = .seconds(5)
    /// The bubblewrap to take; nil is the one in `PATH`.
    package var sandboxProgram: FilePath?
    /// In whose place `/` is looked at for power supplies and networks.
    package var conditionsRoot: FilePath = "/"
    /// A socket that somebody opened for the service; nil makes one at `paths.socket`.
    package var listener: UnixListener?
    /// The time, by which signed manifests expire.
    package var now: @Sendable () -> Timestamp = { .now }
    /// Called when a client asks the service to end.
    package var onStopRequest: @Sendable () -> Void = {}

    package init(paths: LarderPaths, version: String, log: Logger) {
        self.paths = paths
        self.version = version
        self.log = log
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System

/// Sockets that systemd opened for the service (sd_listen_fds(3)).
enum SocketActivation {
    private static let firstDescriptor: Int32 = 3

    /// The listening socket this process was given; nil when it was started otherwise.
    static func listener(_ environment: [String: String], path: FilePath) -> UnixListener? {
        guard let process = environment["LISTEN_PID"].flatMap({ Int32($0) }), process == CurrentProcess.identifier,
            let count = environment["LISTEN_FDS"].flatMap({ Int32($0) }), count > 0
        else { return nil }
        // systemd hands it over without close-on-exec; children must get the copy as little as the original.
        let given = OwnedDescriptor(FileDescriptor(rawValue: firstDescriptor))
        guard let own = try? given.borrowed.duplicate() else { return nil }
        return UnixListener(adopting: OwnedDescriptor(own), path: path)
    }
}

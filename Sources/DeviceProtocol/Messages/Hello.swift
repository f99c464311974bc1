// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// The first message of every connection. The service answers with its own version, or refuses with `device.incompatible`.
package struct HelloRequest: DeviceRequest {
    package static let method = "hello"

    /// The protocol version the client speaks (`WireProtocol.version`).
    package var `protocol`: Int
    /// What the client is, such as `larder` or an app's bundle id.
    package var client: String
    /// The client's own version, for the log.
    package var version: String

    package init(protocol: Int = WireProtocol.version, client: String, version: String) {
        self.protocol = `protocol`
        self.client = client
        self.version = version
    }

    package struct Reply: Codable, Hashable, Sendable {
        package var `protocol`: Int
        package var version: String
        /// The service's process id.
        package var processID: Int32

        package init(protocol: Int = WireProtocol.version, version: String, processID: Int32) {
            self.protocol = `protocol`
            self.version = version
            self.processID = processID
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// A connected pair of ends that carries whole messages; the socket in production, memory in tests.
package protocol MessageChannel: Sendable {
    /// Sends one message; may block while the peer does not read.
    func send(_ message: [UInt8]) throws
    /// Sends one message as far as that needs no waiting. False when there is a rest: it goes with `flush`.
    func offer(_ message: [UInt8]) throws -> Bool
    /// Sends what `offer` kept; may block while the peer does not read.
    func flush() throws
    /// Blocks for the next message; nil once the peer has closed. Called from one thread at a time.
    func receive() throws -> [UInt8]?
    /// Whether the peer has closed, as can be seen without waiting; asked while nobody receives.
    var hasEnded: Bool { get }
    /// Wakes both directions; later calls fail or return nil.
    func close()
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// What a client asks for: its parameters are the value itself.
package protocol DeviceMessage: Codable, Sendable {
    /// The name the service knows it by; never reused for something else.
    static var method: String { get }
}

/// A message with one answer.
package protocol DeviceRequest<Reply>: DeviceMessage {
    associatedtype Reply: Codable & Sendable
}

/// A message answered by any number of events and an end.
package protocol DeviceStreamRequest<Event>: DeviceMessage {
    associatedtype Event: Codable & Sendable
}

/// The answer that says no more than "done".
package struct EmptyReply: Codable, Hashable, Sendable {
    package init() {}
}

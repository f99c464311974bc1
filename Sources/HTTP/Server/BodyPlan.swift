// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// What a server does with a request's body, decided when its head has come.
package enum BodyPlan: Sendable {
    /// Kept in memory for the handler; one that is longer, in bytes, is answered with 413.
    case memory(limit: Int)
    /// Given away as it comes; the handler finds the receiver in the request.
    case receiver(any HTTPBodyReceiver)
    /// Not taken: this is the answer, the handler is not asked, and the connection ends.
    case refuse(HTTPServerResponse)
}

/// Takes a body piece by piece in place of memory. When the client leaves before the end, the last reference goes without the
/// handler having been asked.
package protocol HTTPBodyReceiver: AnyObject, Sendable {
    /// The next bytes. Called on a thread of the server, which serves nobody else meanwhile: write, do not wait.
    func receive(_ bytes: UnsafeRawBufferPointer)
}

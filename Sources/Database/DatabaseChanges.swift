// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Tells whether a database was changed, by this process or another, without a look at any table: for caches of what was read
/// from it. Any thread may ask; nobody waits.
package protocol DatabaseChanges: Sendable {
    /// A number that is another one after every commit: of this process at once, of others within `delay`. What was read from the
    /// database after the number was taken is what is in it for as long as the number stays the same. nil when it cannot be told.
    var version: Int64? { get }

    /// How late a commit of another process may be told.
    static var delay: Duration { get }

    /// Lets go of the database; nothing is told any more.
    func close()
}

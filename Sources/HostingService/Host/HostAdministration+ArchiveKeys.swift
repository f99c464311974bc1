// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database

extension HostAdministration {
    /// Signs addresses of archives with a new key from now on.
    /// - Parameter keepsFormer: whether addresses that are out stay good until they expire.
    /// - Returns: the new key's identifier.
    /// - Throws: `DatabaseError`
    package func rotateArchiveKeys(keepsFormer: Bool) async throws -> String {
        try await database.write { try $0.rotateArchiveKeys(keepsFormer: keepsFormer).current?.id ?? "" }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Database

/// The tables of the service's database, from all its parts.
enum Schema {
    static let migrations = [
        Migration(version: 1, statements: AppRegistry.tables + SettingsStore.tables + PackTables.create),
        Migration(version: 2, statements: DownloadTables.create),
        Migration(version: 3, statements: UsageStore.tables),
        Migration(version: 4, statements: LanguageTables.create),
        Migration(version: 5, statements: AppRegistry.originTables),
        Migration(version: 6, statements: HostIdentities.tables),
        Migration(version: 7, statements: NoteBoard.tables),
        Migration(version: 8, statements: ResourceTables.create),
        Migration(version: 9, statements: DownloadTables.createTickets),
        Migration(version: 10, statements: ResourceTables.finerUses),
        Migration(version: 11, statements: AppRegistry.trustTables),
        Migration(version: 12, statements: PackTables.addArrivals),
        Migration(version: 13, statements: PackTables.addRepairs),
    ]
}

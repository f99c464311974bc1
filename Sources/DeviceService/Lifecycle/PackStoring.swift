// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import AssetPacks
package import DeviceProtocol

/// What the lifecycle of apps needs from the store of packs. `PackStore` is the one; tests bring their own.
package protocol PackStoring: Sendable {
    /// Makes the app's first, empty generation, unless it has one. The app root exists.
    func prepare(app: String) async throws
    /// Brings disk and database in step after a start, and goes on with what was not paused.
    func recover() async throws
    /// Registers fetches; they are journaled when it returns. What is in flight already is joined and may be promoted; for
    /// what is local at that version a `finished` event follows at once.
    func request(_ requests: [PackRequest]) async throws
    /// Events from now on; all apps' with nil.
    func events(ofApp app: String?) -> AsyncStream<PackEvent>
    /// Holds what is under way; returns how many downloads that are. So does `resume`.
    @discardableResult func pause(app: String, pack: String?) async throws -> Int
    @discardableResult func resume(app: String, pack: String?) async throws -> Int
    /// Ends downloads and deletes what they staged; returns how many. Nothing being there is fine.
    @discardableResult func cancel(app: String, pack: String?) async throws -> Int
    /// Ranks what is under way anew.
    func rank(app: String, pack: String, foreground: Bool, importance: FetchImportance) async
    func remove(app: String, pack: String) async throws
    /// Holds local packs against what was recorded of their files, and fetches again what is damaged if asked to.
    func verify(app: String, pack: String?, repairs: Bool) async throws -> [LocalVerification]
    /// Takes a local pack away to make room, unless somebody uses it; returns whether it is gone.
    func purge(app: String, pack: String) async throws -> Bool
    /// Has the base in force show what is local of the app's tags.
    func linkResources(app: String) async throws
    /// Forgets everything of the app; its folder may be deleted afterwards.
    func removeAll(app: String) async throws
    func localPacks(app: String) async throws -> [LocalPack]
    /// How local packs came.
    func arrivals(app: String) async throws -> [String: PackArrival]
    /// What bringing a local pack to an offered version would take; nil when it is not local.
    func forecast(app: String, pack: DownloadManifestPack) async throws -> UpdateForecast?
    func transfers(app: String?) async throws -> [TransferStatus]
    func collisions(app: String) async throws -> PathCollisions
    func plan(_ requests: [PackRequest], alsoWriting bytes: Int64) async throws -> SpacePlan
    /// Stops transfers where they can go on from.
    func close() async
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import PackNamespace

extension AssetPackManager {
    /// How the size of a local pack is counted.
    public enum SizeCalculationMethod: Int, Sendable {
        /// The bytes in the files.
        case logical = 0
        /// The bytes of the disk's blocks behind them.
        case allocated = 1
    }

    /// The version of a pack that is on the device. Asks nobody.
    /// - Throws: `ManagedBackgroundAssetsError.assetPackNotFound` when no version is.
    public nonisolated func localVersion(ofAssetPackWithID assetPackID: String) throws -> Int {
        Int(clamping: try local.entry(forPackWithID: assetPackID).version)
    }

    /// What a pack takes on the device. Asks nobody.
    /// - Parameters:
    ///   - assetPackID: The pack's identifier.
    ///   - calculationMethod: Whether to count the files' bytes or the disk's blocks.
    /// - Throws: `ManagedBackgroundAssetsError.assetPackNotFound` when the pack is not on the device.
    public func localSize(
        ofAssetPackWithID assetPackID: String, calculationMethod: SizeCalculationMethod
    ) async throws -> Int64 {
        let pack = try local.entry(forPackWithID: assetPackID)
        switch calculationMethod {
        case .logical: return Int64(clamping: pack.installedSize)
        case .allocated: return Int64(clamping: pack.allocatedSize)
        }
    }
}

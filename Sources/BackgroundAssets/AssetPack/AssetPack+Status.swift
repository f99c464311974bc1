// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

extension AssetPack {
    /// What is true of an asset pack on this device. (BA 1.10)
    public struct Status: OptionSet, Hashable, Sendable {
        /// The value as a number or a name.
        public let rawValue: Int

        /// Makes the value that this raw value stands for.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The pack is not on the device and can be downloaded.
        public static let downloadAvailable = Status(rawValue: 1 << 0)
        /// Another version than the local one can be downloaded.
        public static let updateAvailable = Status(rawValue: 1 << 1)
        /// The local version is the one compared with.
        public static let upToDate = Status(rawValue: 1 << 2)
        /// The local version is another than the one compared with. This alone does not say that an update can be had now.
        public static let outOfDate = Status(rawValue: 1 << 3)
        /// The pack is no longer offered: once removed it cannot be downloaded again.
        public static let obsolete = Status(rawValue: 1 << 4)
        /// The pack, or an update of it, is being downloaded.
        public static let downloading = Status(rawValue: 1 << 5)
        /// The pack's files are on the device.
        public static let downloaded = Status(rawValue: 1 << 6)
    }
}

extension AssetPack.Status: CustomStringConvertible {
    /// The names of the bits that are set, as in `[upToDate, downloaded]`.
    public var description: String {
        let names: [(AssetPack.Status, String)] = [
            (.downloadAvailable, "downloadAvailable"), (.updateAvailable, "updateAvailable"), (.upToDate, "upToDate"),
            (.outOfDate, "outOfDate"), (.obsolete, "obsolete"), (.downloading, "downloading"),
            (.downloaded, "downloaded"),
        ]
        return "[" + names.filter { contains($0.0) }.map(\.1).joined(separator: ", ") + "]"
    }
}

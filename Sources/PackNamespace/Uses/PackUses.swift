// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Kit
internal import System

/// Which packs somebody uses: shared locks on bytes of one file in the app root, a byte for each pack.
///
/// Processes take them without asking anybody, and the kernel takes them back when a process dies, so that they hold while
/// the service is away and never outlive who has them. Whoever wants to take a pack away needs the exclusive lock on its byte.
/// Two ids may, by a chance of one in 2^62, share a byte; then both count as used.
package final class PackUses: Sendable {
    private let file: OwnedDescriptor

    /// Opens the file, made if need be.
    /// - Throws: `Errno`, `noSuchFileOrDirectory` when there is no app root.
    package init(of layout: AppRootLayout) throws {
        file = try OwnedDescriptor(
            layout.uses, .readWrite, options: [.create, .noFollow], permissions: FilePermissions(rawValue: 0o600))
    }

    /// Marks a pack as used, once for this object however often it is said.
    /// - Parameter waiting: whether to block while it is being taken away.
    /// - Returns: false when it is being taken away.
    /// - Throws: `Errno`
    package func hold(_ pack: String, waiting: Bool = false) throws -> Bool {
        try file.borrowed.setLock(.shared, onByte: Self.byte(of: pack), waiting: waiting)
    }

    /// Takes the mark back.
    package func letGo(_ pack: String) { _ = try? file.borrowed.setLock(.none, onByte: Self.byte(of: pack)) }

    /// Runs `body` while nobody uses the pack, nor begins to.
    /// - Returns: nil when somebody does.
    /// - Throws: `Errno`, and what `body` throws.
    package func whileUnused<Result>(_ pack: String, _ body: () throws -> Result) throws -> Result? {
        let byte = Self.byte(of: pack)
        guard try file.borrowed.setLock(.exclusive, onByte: byte) else { return nil }
        defer { _ = try? file.borrowed.setLock(.none, onByte: byte) }
        return try body()
    }

    /// Whether anybody else uses the pack now.
    /// - Throws: `Errno`
    package func isUsed(_ pack: String) throws -> Bool { try file.borrowed.isByteLocked(Self.byte(of: pack)) }

    // MARK: - Limit

    private static let limitLength = 8

    /// How many bytes of packs may be used at once, by the person's wish; nil when any number may. It is the file's content, so
    /// that processes heed it without asking anybody.
    /// - Throws: `Errno`
    package var limit: Int64? {
        get throws {
            var bytes: UInt64 = 0
            let count = try withUnsafeMutableBytes(of: &bytes) {
                try file.borrowed.read(fromAbsoluteOffset: 0, into: $0)
            }
            return count == Self.limitLength ? Int64(clamping: UInt64(littleEndian: bytes)) : nil
        }
    }

    /// - Throws: `Errno`
    package func setLimit(_ limit: Int64?) throws {
        guard let limit else { return try file.borrowed.resize(to: 0) }
        try withUnsafeBytes(of: UInt64(max(0, limit)).littleEndian) {
            _ = try file.borrowed.writeAll(toAbsoluteOffset: 0, $0)
        }
    }

    /// Offsets are signed, and the last of them is left out.
    private static func byte(of pack: String) -> Int64 {
        var pack = pack
        return pack.withUTF8 { Int64(NamespaceFormat.hash(UnsafeRawBufferPointer($0)) >> 2) }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// The permission bits of a file (the low 12 bits of its mode). The raw type is the C library's `mode_t`.
public struct FilePermissions: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let otherRead = FilePermissions(rawValue: 0o4)
    public static let otherWrite = FilePermissions(rawValue: 0o2)
    public static let otherExecute = FilePermissions(rawValue: 0o1)
    public static let otherReadWrite: FilePermissions = [.otherRead, .otherWrite]
    public static let groupRead = FilePermissions(rawValue: 0o40)
    public static let groupWrite = FilePermissions(rawValue: 0o20)
    public static let groupExecute = FilePermissions(rawValue: 0o10)
    public static let groupReadWrite: FilePermissions = [.groupRead, .groupWrite]
    public static let ownerRead = FilePermissions(rawValue: 0o400)
    public static let ownerWrite = FilePermissions(rawValue: 0o200)
    public static let ownerExecute = FilePermissions(rawValue: 0o100)
    public static let ownerReadWrite: FilePermissions = [.ownerRead, .ownerWrite]
    public static let ownerReadWriteExecute = FilePermissions(rawValue: 0o700)
    public static let setUserID = FilePermissions(rawValue: 0o4000)
    public static let setGroupID = FilePermissions(rawValue: 0o2000)
    public static let saveText = FilePermissions(rawValue: 0o1000)
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// The C types that the module's own stand on.
public enum CInterop {
    /// The C library's `mode_t`.
    public typealias Mode = UInt32
    public typealias Char = CChar
    public typealias PlatformChar = CChar
}

/// The permission bits of a file (the low 12 bits of its mode).
public struct FilePermissions: OptionSet, Hashable, Sendable {
    public let rawValue: CInterop.Mode

    public init(rawValue: CInterop.Mode) { self.rawValue = rawValue }

    public static let otherRead = FilePermissions(rawValue: 0o4)
    public static let otherWrite = FilePermissions(rawValue: 0o2)
    public static let otherExecute = FilePermissions(rawValue: 0o1)
    public static let otherReadWrite = FilePermissions(rawValue: 0o6)
    public static let otherReadExecute = FilePermissions(rawValue: 0o5)
    public static let otherWriteExecute = FilePermissions(rawValue: 0o3)
    public static let otherReadWriteExecute = FilePermissions(rawValue: 0o7)

    public static let groupRead = FilePermissions(rawValue: 0o40)
    public static let groupWrite = FilePermissions(rawValue: 0o20)
    public static let groupExecute = FilePermissions(rawValue: 0o10)
    public static let groupReadWrite = FilePermissions(rawValue: 0o60)
    public static let groupReadExecute = FilePermissions(rawValue: 0o50)
    public static let groupWriteExecute = FilePermissions(rawValue: 0o30)
    public static let groupReadWriteExecute = FilePermissions(rawValue: 0o70)

    public static let ownerRead = FilePermissions(rawValue: 0o400)
    public static let ownerWrite = FilePermissions(rawValue: 0o200)
    public static let ownerExecute = FilePermissions(rawValue: 0o100)
    public static let ownerReadWrite = FilePermissions(rawValue: 0o600)
    public static let ownerReadExecute = FilePermissions(rawValue: 0o500)
    public static let ownerWriteExecute = FilePermissions(rawValue: 0o300)
    public static let ownerReadWriteExecute = FilePermissions(rawValue: 0o700)

    public static let setUserID = FilePermissions(rawValue: 0o4000)
    public static let setGroupID = FilePermissions(rawValue: 0o2000)
    public static let saveText = FilePermissions(rawValue: 0o1000)
}

extension FilePermissions: CustomStringConvertible, CustomDebugStringConvertible, Codable {
    /// As `ls` shows them, such as `rwxr-xr-x`, with `s` and `t` for the upper three bits.
    public var description: String {
        func triple(_ shift: CInterop.Mode, _ special: FilePermissions, _ letter: Character) -> String {
            let bits = rawValue >> shift
            let executes = bits & 1 != 0
            var last: Character = executes ? "x" : "-"
            if contains(special) { last = executes ? letter : Character(letter.uppercased()) }
            return String([bits & 4 != 0 ? "r" : "-", bits & 2 != 0 ? "w" : "-", last])
        }
        return triple(6, .setUserID, "s") + triple(3, .setGroupID, "s") + triple(0, .saveText, "t")
    }

    public var debugDescription: String { description }
}

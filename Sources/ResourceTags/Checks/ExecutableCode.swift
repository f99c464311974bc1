// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import AssetPacks
import Kit
import System

/// Recognises code that can be executed, which no tagged resource may be: it is in the app, where it was signed.
package enum ExecutableCode {
    /// Enough of a file's start to decide.
    package static let prefixLength = 512

    private static let folders: Set<Substring> = ["framework", "app", "appex", "xpc", "kext"]
    private static let files: Set<Substring> = ["dylib", "so", "dll", "exe"]

    /// What a file is, for a message such as "an ELF file"; nil when it may be tagged.
    /// - Parameters:
    ///   - prefix: the file's first bytes, `prefixLength` or all.
    ///   - isExecutable: whether its owner may execute it.
    package static func kind(of path: PackPath, prefix: [UInt8], isExecutable: Bool) -> String? {
        if prefix.starts(with: [0x7F, 0x45, 0x4C, 0x46]) { return "an ELF file" }
        if isMachO(prefix) { return "a Mach-O file" }
        if isPortableExecutable(prefix) { return "a Windows executable" }
        if isExecutable, prefix.starts(with: "#!".utf8) { return "a script that may be executed" }
        for folder in path.components.dropLast() {
            if folders.contains(Self.extension(of: folder)) { return "part of the code bundle \(folder)" }
        }
        let name = path.name
        // libx.so.1.2 too
        if files.contains(Self.extension(of: name)) || String(name).mentions(".so.") { return "a library by its name" }
        return nil
    }

    private static func `extension`(of name: Substring) -> Substring {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
        return Substring(name[name.index(after: dot)...].lowercased())
    }

    private static func isMachO(_ prefix: [UInt8]) -> Bool {
        guard MachO.mayBegin(prefix) else { return false }
        guard prefix.starts(with: [0xCA, 0xFE, 0xBA]) else { return true }
        // Java classes share the magic of universal files; a version of at least 45 follows, where these count parts.
        return prefix.count >= 8 && prefix[4...6].allSatisfy { $0 == 0 } && prefix[7] < 40
    }

    /// `MZ`, and `PE` where it points to; old documents and pictures begin with the first alone.
    private static func isPortableExecutable(_ prefix: [UInt8]) -> Bool {
        guard prefix.starts(with: "MZ".utf8), prefix.count >= 0x40 else { return false }
        let offset = Int(prefix[0x3C]) | Int(prefix[0x3D]) << 8
        return prefix.dropFirst(offset).starts(with: [0x50, 0x45, 0, 0])
    }

    /// Looks at the start of every file of a plan. Blocks.
    /// - Throws: `AssetPackError` for a file that cannot be read.
    package static func findings(in sources: TaggedSources, isCancelled: () -> Bool = { false }) throws
        -> [ResourceFinding]
    {
        var findings: [ResourceFinding] = []
        for pack in sources.plan.packs {
            for item in pack.selection.items {
                guard case .file(let source, _, let isExecutable) = item.content else { continue }
                if isCancelled() { throw CancellationError() }
                let location = sources.sourceDirectory.appending(source.string)
                let prefix: [UInt8]
                do {
                    prefix = try start(of: location)
                } catch {
                    throw AssetPackError(.io, "Could not read \"\(location)\": \(error.clause).", cause: nil)
                }
                guard let kind = kind(of: item.destination, prefix: prefix, isExecutable: isExecutable) else {
                    continue
                }
                findings.append(
                    ResourceFinding(
                        severity: .error, kind: .executableCode, subject: source.string,
                        message:
                            "\"\(source)\" with the tags \(pack.tags) is \(kind), and tagged resources hold no executable "
                            + "code. Keep it inside the app.", excess: nil))
            }
        }
        return findings
    }

    private static func start(of location: FilePath) throws -> [UInt8] {
        let file = try OwnedDescriptor(location, .readOnly)
        return try [UInt8](unsafeUninitializedCapacity: prefixLength) { buffer, count in
            count = try file.borrowed.readFully(into: UnsafeMutableRawBufferPointer(buffer))
        }
    }
}

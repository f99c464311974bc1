// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit
import PackNamespace
import System

/// Commands for programs in other languages (B8): they read an app's packs without asking the service.
package enum ReadingCommands {
    package static let all: [Command] = [path, cat, list, run]

    private static let pack = CommandOption.value("pack", short: "p", "id", "Look only in this pack.")
    private static let fileArgument = CommandArgument("file", "A path in the merged tree of all local packs.")

    static func reader(_ arguments: ParsedArguments, _ context: CommandContext) throws -> AppRootReader {
        let paths = try LarderPaths(environment: context.environment)
        let app = try context.app(arguments)
        // Inside an app's own process the root is told; it may be another user's or another home's.
        if arguments.value("app") == nil, let root = context.environment["LARDER_APP_ROOT"], !root.isEmpty {
            return AppRootReader(root: FilePath(root))
        }
        return AppRootReader(root: paths.appRoot(app))
    }

    /// Looks a file up; what turns out to be a folder is called one, for which there are other commands.
    private static func file<Result>(
        _ name: String, _ arguments: ParsedArguments, _ reader: AppRootReader,
        _ find: (_ pack: String?) throws -> Result
    ) throws -> Result {
        let pack = arguments.value("pack")
        do {
            return try find(pack)
        } catch let error as NamespaceError where error.code == .fileNotFound {
            guard try reader.list(name, inPack: pack) != nil else { throw error }
            throw CommandError(
                "namespace.fileNotFound",
                "\(name) is a folder, put together from all local packs, and has no path of its own. 'larder ls' lists "
                    + "it; 'larder run' gives a program the whole tree as one folder.")
        }
    }

    static let path = Command(
        "path", summary: "Print where a file of an app's packs is",
        discussion: """
            The file is complete and never changes. It may be deleted when its pack is updated or removed after this \
            command ended; 'larder run' holds what a program reads for as long as it runs.
            """,
        examples: [
            .init("larder path --app com.example.coast maps/easy.sol", "prints the file's absolute path")
        ],
        options: [.app, pack, .json], arguments: [fileArgument]
    ) { arguments, context in
        let reader = try reader(arguments, context)
        let name = try arguments.requiredArgument("file")
        let found = try file(name, arguments, reader) { try reader.path(of: name, inPack: $0) }
        try withExtendedLifetime(found.holder) {
            if context.json {
                let size = try reader.size(of: name, inPack: arguments.value("pack"))
                context.print(json: ["path": .string(found.path.string), "size": .integer(size)])
            } else {
                context.print(found.path.string)
            }
        }
        return .success
    }

    static let cat = Command(
        "cat", summary: "Write a file of an app's packs to standard output",
        examples: [.init("larder cat --app com.example.coast readme.txt", "writes the file")],
        options: [.app, pack], arguments: [CommandArgument("file", fileArgument.summary, isRepeating: true)]
    ) { arguments, context in
        let reader = try reader(arguments, context)
        for name in arguments.arguments("file") {
            let opened = try file(name, arguments, reader) { try reader.open(name, inPack: $0) }
            let source = OwnedDescriptor(opened.descriptor)
            let descriptor = source.release()
            try await offload {
                let source = OwnedDescriptor(descriptor)
                try copyToStandardOutput(source.borrowed)
            }
        }
        return .success
    }

    private static func copyToStandardOutput(_ source: FileDescriptor) throws {
        source.expectSequentialReads()
        try withUnsafeTemporaryAllocation(byteCount: 256 << 10, alignment: 16) { buffer in
            while true {
                let count = try source.read(into: buffer)
                if count == 0 { return }
                do {
                    let bytes = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count])
                    try FileDescriptor.standardOutput.writeFully(bytes)
                } catch Errno.brokenPipe {
                    // Whoever reads has enough (`| head`): nothing failed.
                    return
                }
            }
        }
    }

    static let list = Command(
        "ls", summary: "List a folder of the merged tree of an app's packs",
        examples: [.init("larder ls --app com.example.coast maps", "lists the folder maps")],
        options: [.app, pack, .json],
        arguments: [CommandArgument("folder", "The root by default.", isOptional: true)]
    ) { arguments, context in
        let reader = try reader(arguments, context)
        let folder = arguments.argument("folder") ?? ""
        guard let items = try reader.list(folder, inPack: arguments.value("pack")) else {
            throw CommandError("namespace.fileNotFound", "\(folder): no local asset pack has such a folder.")
        }
        for item in items {
            switch item.kind {
            case .file(let size):
                context.json
                    ? context.print(json: ["name": .string(item.name), "size": .integer(Int64(clamping: size))])
                    : context.print(item.name)
            case .directory:
                context.json
                    ? context.print(json: ["name": .string(item.name), "directory": true])
                    : context.print(item.name + "/")
            }
        }
        return .success
    }
}

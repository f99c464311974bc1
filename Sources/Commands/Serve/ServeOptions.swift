// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DevelopmentServer
import Kit
import System

/// Makes a server's options out of the command line.
struct ServeOptions {
    private let arguments: ParsedArguments
    private let context: CommandContext

    init(_ arguments: ParsedArguments, _ context: CommandContext) {
        self.arguments = arguments
        self.context = context
    }

    /// - Throws: `UsageError`, `KitError`
    func make() throws -> (DevelopmentServerOptions, isVerbose: Bool) {
        let (archives, versions) = try archivesAndVersions()
        var options = DevelopmentServerOptions(archives: archives, identity: try identity())
        options.versions = versions
        options.host = arguments.value("host") ?? options.host
        options.port = try arguments.integer("port", in: 0...65_535) ?? options.port
        options.seed = UInt64(try arguments.integer("seed") ?? 0)
        for text in arguments.values("fault") {
            switch try FaultOption(text) {
            case .rule(let rule): options.faults.append(rule)
            case .certificate(let fault): options.certificateFault = fault
            }
        }
        return (options, arguments.flag("verbose"))
    }

    /// Numbers among the arguments are versions: `--asset-pack-versions 3 4 A.aar B.aar` gives the first to the option
    /// and leaves the others behind it.
    private func archivesAndVersions() throws -> ([FilePath], [Int]) {
        let words = arguments.arguments("archive")
        let given = arguments.values("asset-pack-versions").flatMap { $0.split(separator: ",") }.map(String.init)
        let isNumber: (String) -> Bool = { !$0.isEmpty && $0.allSatisfy { $0.isASCII && $0.isNumber } }
        let numbers = given.isEmpty ? [] : words.filter(isNumber)
        let named = given.isEmpty ? words : words.filter { !isNumber($0) }
        let versions = try (given + numbers).map { text in
            guard let version = Int(text), version >= 0 else {
                throw UsageError("--asset-pack-versions takes whole numbers from 0, not \"\(text)\".")
            }
            return version
        }
        let archives = try (named + arguments.values("asset-pack")).flatMap { try files(context.resolve($0)) }
        guard !archives.isEmpty else {
            throw UsageError("There is nothing to serve. Name .aar files, or a folder of them.")
        }
        return (archives, versions)
    }

    private func files(_ path: FilePath) throws -> [FilePath] {
        guard let status = try? FileDescriptor.currentDirectory.status(at: path, followingLinks: true),
            status.kind == .directory
        else { return [path] }
        let names = try FileDescriptor.currentDirectory.entries(at: path).map(\.name).filter { $0.hasSuffix(".aar") }
        guard !names.isEmpty else { throw UsageError("There is no .aar file in \(path).") }
        return names.map { path.appending($0) }
    }

    private func identity() throws -> DevelopmentServerOptions.Identity {
        switch (arguments.path("certificate"), arguments.path("key")) {
        case (let certificate?, let key?):
            guard !arguments.flag("choose-identity-automatically") else {
                throw UsageError("Either --choose-identity-automatically, or --certificate and --key.")
            }
            return .files(certificate: context.resolve(certificate), key: context.resolve(key))
        case (nil, nil):
            return .authority(try LarderPaths(environment: context.environment).configuration.appending("authority"))
        default: throw UsageError("--certificate and --key go together.")
        }
    }
}

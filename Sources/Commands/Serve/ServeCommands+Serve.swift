// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DevelopmentServer
import HTTP
import Kit
import System

extension ServeCommands {
    /// The port when none is given.
    private static let defaultPort = 8443

    static let serve = Command(
        "serve", summary: "Serve asset packs over https on this machine, for development",
        discussion: """
            Serves the download manifest at /manifest and each archive at /assets/<pack id>. An archive that is replaced \
            while the server runs is announced under the next version.

            Without --certificate and --key the server takes a certificate from a development authority, which is made \
            when first needed. A device accepts it after one 'larder trust' of the authority's file, whose path is printed.

            A --fault makes the server misbehave, to test how an app bears it. It reads [target:]kind[,key=value...]. \
            Targets are manifest, asset=<pack id>, the index=<pack id> and patch=<pack id> beside it, and *, which is meant \
            when there is none. Kinds: \
            slow (rate=64KiB a second), stall, cut and reset (after=BYTES of the answer, else half of it), wrong-byte \
            (at=BYTE of the file, else the middle), short and long (by=BYTES), endless (and without a length), no-ranges, \
            first-range (of several), wrong-range (other bytes, or parts in another order), shifted (other bytes than the fields say), any status \
            from 400 to 599 \
            such as 404 or 503 (retry-after=SECONDS), and redirect=https|http|loop|URL. Each also takes times=COUNT \
            and probability=0...1. The first fault that fits a request counts. certificate=untrusted|expired|name makes the \
            server's certificate wrong for the whole run.
            """,
        examples: [
            .init("ba-serve Tutorial.aar Coast.aar", "serves two packs"),
            .init("ba-serve --host 192.168.1.5 --port 0 packs/", "serves every .aar in a folder to the local network"),
            .init(
                "ba-serve --fault 'asset=Coast:stall,after=1MiB,times=1' Coast.aar",
                "falls silent once, one MiB into the pack Coast"),
            .init(
                "ba-serve --fault '503,retry-after=2,probability=0.3' Coast.aar", "is busy for three requests in ten"),
        ],
        options: [
            .value("host", "name", "The name or address devices reach this machine by.", default: "localhost"),
            .value(
                "port", short: "p", "number", "The port; 0 lets the system choose, and the choice is printed.",
                default: "\(defaultPort)"),
            .value("certificate", "file", "The server's certificate chain, PEM.", completion: .file),
            .value("key", "file", "The certificate's private key, PEM.", completion: .file),
            .flag("choose-identity-automatically", "Take the development authority's certificate, as is the default."),
            .repeatable("asset-pack", "file", "An archive, besides those named as arguments.", completion: .file),
            .repeatable(
                "asset-pack-versions", "number", "The archives' versions, in their order; 0 each by default."),
            .repeatable("fault", "rule", "How to misbehave; see above."),
            .value("seed", "number", "Decides which requests a fault's probability picks.", default: "0"),
            .flag("verbose", short: "v", "Print a line for every request."),
            .json,
        ],
        arguments: [
            CommandArgument(
                "archive", "An .aar file, or a folder of them.", isOptional: true, isRepeating: true, completion: .file)
        ]
    ) { arguments, context in
        let (options, isVerbose) = try ServeOptions(arguments, context).make()
        let output = ServeOutput(context)
        var wired = options
        wired.note = { context.note($0) }
        if isVerbose { wired.log = { output.exchange($0) } }
        let server = try await DevelopmentServer(wired)
        output.listening(server)
        for id in options.faults.compactMap(\.target.pack) where !server.packs.contains(where: { $0.id == id }) {
            let hint = Spelling.closest(to: id, among: server.packs.map(\.id)).map { " Did you mean \"\($0)\"?" } ?? ""
            context.note("note: a --fault is for the pack \"\(id)\", which is not served here.\(hint)")
        }
        await untilCancelled()
        try await offload { server.stop() }
        return .success
    }

    /// Returns when the command is to end: after Ctrl-C or SIGTERM.
    private static func untilCancelled() async {
        let (endless, continuation) = AsyncStream<Never>.makeStream()
        for await _ in endless {}
        continuation.finish()
    }
}

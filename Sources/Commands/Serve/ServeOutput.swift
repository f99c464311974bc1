// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DevelopmentServer
import HTTP
import Kit
import System

/// What the server tells the person who started it.
struct ServeOutput: Sendable {
    private let context: CommandContext

    init(_ context: CommandContext) { self.context = context }

    /// The server answers from now on.
    func listening(_ server: DevelopmentServer) {
        guard !context.json else {
            var line: [String: JSONValue] = [
                "event": "listening", "url": .string(server.baseURL), "port": .integer(Int64(server.port)),
                "manifest": .string("\(server.baseURL)/manifest"),
                "packs": .array(
                    server.packs.map { pack in
                        [
                            "id": .string(pack.id), "version": .integer(Int64(pack.version)),
                            "size": .integer(pack.size), "path": .string(pack.path.string),
                        ]
                    }),
            ]
            if let file = server.authorityFile { line["authority"] = .string(file.string) }
            context.print(json: .object(line))
            return
        }
        context.print(
            "Serving \(server.packs.count) \(server.packs.count == 1 ? "pack" : "packs") at \(server.baseURL)")
        for pack in server.packs {
            context.print("  \(pack.id)  version \(pack.version)  \(ByteCount.formatted(pack.size))  \(pack.path)")
        }
        context.print("Listening on port \(server.port).")
        if let file = server.authorityFile {
            let when =
                server.authorityIsNew
                ? "Its authority is new; accept it here with" : "If not done yet, accept its authority here with"
            context.print("\(when): larder trust")
            context.print("On another machine: larder trust \(file.lastComponent?.string ?? "") (a copy of \(file))")
        }
        context.print("To send apps here: ba-serve url-override \(server.baseURL)")
    }

    /// A line of the access log.
    func exchange(_ record: HTTPExchangeRecord) {
        if context.json {
            context.print(json: [
                "event": "request", "time": .string(Timestamp.now.formatted), "client": .string(record.client),
                "method": .string(record.method), "path": .string(record.path),
                "range": record.range.map { .string($0) } ?? .null, "status": .integer(Int64(record.status)),
                "bytes": .integer(record.bytes), "seconds": .number(record.duration.inSeconds),
                "complete": .bool(record.isComplete),
            ])
            return
        }
        let range = record.range.map { " [\($0)]" } ?? ""
        let ending = record.isComplete ? "" : ", broken off"
        context.print(
            "\(record.method) \(record.path)\(range)  \(record.status)  \(ByteCount.formatted(record.bytes))  "
                + "\(record.duration.formatted)\(ending)  \(record.client)")
    }
}

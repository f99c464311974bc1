// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit
import System

/// aiosmtpd on loopback: a mail server that is not ours, which keeps what it is given.
package final class MailSink: Sendable {
    package let url: String
    private let file: FilePath

    private init(url: String, file: FilePath) {
        self.url = url
        self.file = file
    }

    private static let script = """
        import asyncio, email, email.policy, json, socket, sys
        from aiosmtpd.smtp import SMTP

        class Keep:
            async def handle_DATA(self, server, session, envelope):
                letter = email.message_from_bytes(envelope.content, policy=email.policy.default)
                with open(sys.argv[1], "a") as out:
                    out.write(json.dumps({
                        "from": envelope.mail_from, "to": envelope.rcpt_tos, "subject": str(letter["Subject"]),
                        "date": letter["Date"].datetime.isoformat()[:11],
                        "text": letter.get_content().replace("\\r\\n", "\\n")}) + "\\n")
                return "250 kept"

        async def main():
            loop = asyncio.get_running_loop()
            server = await loop.create_server(lambda: SMTP(Keep(), hostname="localhost"), "127.0.0.1", 0)
            print(server.sockets[0].getsockname()[1], flush=True)
            # Until whoever started this goes.
            await loop.run_in_executor(None, sys.stdin.read)

        asyncio.run(main())
        """

    /// Runs `body` beside a server that ends with it.
    package static func with(_ body: (MailSink) async throws -> Void) async throws {
        try await Scratch.with { scratch in
            let file = scratch("letters")
            let (input, output) = (try FileDescriptor.pipe(), try FileDescriptor.pipe())
            let process = try ChildProcess.spawn(
                executable: "/usr/bin/python3", arguments: ["-c", script, file.string],
                descriptors: [0: input.readEnd, 1: output.writeEnd])
            try input.readEnd.close()
            try output.writeEnd.close()
            let result: Result<Void, any Error>
            do {
                let line = try await onOwnThread { () throws -> String in
                    var text: [UInt8] = []
                    var byte: UInt8 = 0
                    while try withUnsafeMutableBytes(of: &byte, { try output.readEnd.read(into: $0) }) > 0,
                        byte != UInt8(ascii: "\n")
                    {
                        text.append(byte)
                    }
                    return String(decoding: text, as: UTF8.self)
                }
                result = .success(try await body(MailSink(url: "smtp://127.0.0.1:\(line)", file: file)))
            } catch {
                result = .failure(error)
            }
            try input.writeEnd.close()
            try output.readEnd.close()
            _ = try await onOwnThread { try process.wait() }
            try result.get()
        }
    }

    /// What has come: `from`, `to`, `subject`, `date` and `text` of each letter.
    package func letters() throws -> [JSONValue] {
        guard FileDescriptor.currentDirectory.exists(at: file) else { return [] }
        return try File.read(file).split(separator: UInt8(ascii: "\n")).map { try JSONParser.parse(Array($0)).value }
    }
}

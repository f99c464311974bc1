// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Commands
import Crypto
import HostingService
import Kit
import System
import TestSupport

extension HostFixture {
    /// Runs a command as somebody at this host's publisher: host and key stand in the environment, and where a variable is
    /// given an empty value it is not there.
    func run(
        _ words: [String], as name: String = "larder", by publisher: Publisher? = nil,
        environment: [String: String] = [:]
    ) async throws -> (code: ExitCode, output: String, errors: String) {
        let signer = (publisher ?? self.publisher).signer
        let (output, errors) = (BufferSink(), BufferSink())
        var variables = [
            "LARDER_HOME": scratch("home").string, "LARDER_HOST": host.url,
            "APP_STORE_CONNECT_KEY_IDENTIFIER": signer.keyID, "APP_STORE_CONNECT_ISSUER_ID": signer.issuer,
            "APP_STORE_CONNECT_PRIVATE_KEY": String(decoding: try signer.key.pem(), as: UTF8.self),
        ]
        for (name, value) in environment { variables[name] = value.isEmpty ? nil : value }
        let context = CommandContext(
            programName: name, environment: variables, workingDirectory: scratch(""),
            standardOutput: output, standardError: errors)
        let code = await CommandRunner(root: CommandTrees.tree(for: name), version: "test").run(
            words, context: context)
        return (code, output.text, errors.text)
    }
}

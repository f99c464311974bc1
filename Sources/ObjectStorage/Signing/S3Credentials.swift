// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Kit
internal import System

/// Who asks a store. Never shown: it has no description with anything in it.
package struct S3Credentials: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    package let accessKey: String
    let secretKey: String
    /// Of temporary credentials.
    let sessionToken: String?

    package init(accessKey: String, secretKey: String, sessionToken: String? = nil) {
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.sessionToken = sessionToken
    }

    package var description: String { "credentials" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }

    /// The credentials that the environment names: `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, with `AWS_SESSION_TOKEN`;
    /// else those of `AWS_PROFILE`, `default` without it, in `AWS_SHARED_CREDENTIALS_FILE` or `~/.aws/credentials`. Blocks.
    /// - Throws: `ObjectStorageError` when there are none.
    package static func load(environment: [String: String]) throws(ObjectStorageError) -> S3Credentials {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        switch (value("AWS_ACCESS_KEY_ID"), value("AWS_SECRET_ACCESS_KEY")) {
        case (let accessKey?, let secretKey?):
            return S3Credentials(
                accessKey: accessKey, secretKey: secretKey, sessionToken: value("AWS_SESSION_TOKEN"))
        case (nil, nil): break
        default:
            throw ObjectStorageError(.badSetting, "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY belong together.")
        }
        let home = value("HOME").map { "\($0)/.aws/credentials" }
        guard let name = value("AWS_SHARED_CREDENTIALS_FILE") ?? home else { throw missing }
        let path = FilePath(name)
        let bytes: [UInt8]
        do {
            bytes = try File.read(path, limit: 1 << 20)
        } catch Errno.noSuchFileOrDirectory {
            throw missing
        } catch {
            throw ObjectStorageError(.badSetting, "The credentials in \(path) cannot be read.", cause: error)
        }
        let profile = value("AWS_PROFILE") ?? "default"
        let text = String(decoding: bytes, as: UTF8.self)
        guard let credentials = parse(text, profile: profile) else {
            throw ObjectStorageError(
                .badSetting,
                "\(path) has no aws_access_key_id and aws_secret_access_key below [\(profile)]. Add them, or name another "
                    + "section with AWS_PROFILE.")
        }
        return credentials
    }

    private static var missing: ObjectStorageError {
        ObjectStorageError(
            .badSetting,
            "There are no credentials for the storage. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a file of "
                + "them with AWS_SHARED_CREDENTIALS_FILE.")
    }

    /// Those of one section of a credentials file; nil when it is not there or not whole.
    static func parse(_ text: String, profile: String) -> S3Credentials? {
        var values: [String: String] = [:]
        var section = ""
        for line in text.split(whereSeparator: \.isNewline) {
            let line = line.trimmingBlanks
            if line.hasPrefix("#") || line.hasPrefix(";") { continue }
            if line.hasPrefix("["), line.hasSuffix("]") {
                section = String(line.dropFirst().dropLast().trimmingBlanks)
            } else if section == profile, let equals = line.firstIndex(of: "=") {
                let name = line[..<equals].trimmingBlanks.lowercased()
                values[name] = String(line[line.index(after: equals)...].trimmingBlanks)
            }
        }
        guard let accessKey = values["aws_access_key_id"], let secretKey = values["aws_secret_access_key"],
            !accessKey.isEmpty, !secretKey.isEmpty
        else { return nil }
        let token = values["aws_session_token"].flatMap { $0.isEmpty ? nil : $0 }
        return S3Credentials(accessKey: accessKey, secretKey: secretKey, sessionToken: token)
    }
}

extension StringProtocol {
    /// Without blanks and tabs at either end.
    fileprivate var trimmingBlanks: SubSequence {
        func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }
        var rest = drop(while: isBlank)
        while let last = rest.last, isBlank(last) { rest = rest.dropLast() }
        return rest
    }
}

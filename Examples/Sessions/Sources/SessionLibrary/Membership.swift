// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

public import BackgroundAssets

/// What app and extension say to a server that gives films to members only. The person's name and password are in the folder that both
/// share, for want of a keychain.
extension SessionLibrary {
    private var membershipFile: URL { folder.appendingPathComponent("membership") }

    public func keepMembership(name: String, password: String) throws {
        try Data("\(name)\n\(password)".utf8).write(to: membershipFile, options: .atomic)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: membershipFile.path)
    }

    /// Only to servers that films are from, and not again when it was refused.
    public func answer(
        _ challenge: URLAuthenticationChallenge
    ) -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        let space = challenge.protectionSpace
        guard space.authenticationMethod == NSURLAuthenticationMethodHTTPBasic, space.receivesCredentialSecurely,
            sessions.contains(where: { $0.url.host == space.host })
        else { return (.performDefaultHandling, nil) }
        let lines = (try? String(contentsOf: membershipFile, encoding: .utf8))?.split(separator: "\n") ?? []
        guard lines.count == 2, challenge.previousFailureCount == 0 else {
            return (.cancelAuthenticationChallenge, nil)
        }
        return (
            .useCredential,
            URLCredential(user: String(lines[0]), password: String(lines[1]), persistence: .forSession)
        )
    }
}

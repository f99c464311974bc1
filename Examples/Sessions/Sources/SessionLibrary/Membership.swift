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

    /// The certificate in DER of the one server that films are taken from; without the file every server that the system trusts
    /// will do.
    private var pinFile: URL { folder.appendingPathComponent("server.der") }

    /// A name and password only to servers that films are from, and not again when they were refused.
    public func answer(
        _ challenge: URLAuthenticationChallenge
    ) -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        let space = challenge.protectionSpace
        if let trust = space.serverTrust {
            guard let pin = try? Data(contentsOf: pinFile) else { return (.performDefaultHandling, nil) }
            return trust.certificates.first == pin
                ? (.useCredential, URLCredential(trust: trust)) : (.cancelAuthenticationChallenge, nil)
        }
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

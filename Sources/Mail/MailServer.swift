// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import CCurlShim
internal import HTTP
package import Kit

/// Why a letter did not go out.
package typealias MailError = RoomError<MailErrorCode>

/// What goes wrong, by kind.
package struct MailErrorCode: ErrorCode {
    package let name: String

    /// The server's address or an address of a letter is none.
    package static let badAddress = Self(name: "mail.bad-address")
    /// The letter was not taken; it may be later.
    package static let notTaken = Self(name: "mail.not-taken")
}

/// A server that takes letters (SMTP, RFC 5321), reached with libcurl.
package struct MailServer: Hashable, Sendable {
    /// `smtp://host:587`, or `smtps://host` for TLS from the first byte.
    package let url: String
    /// With a user nothing is said before TLS protects it; without, TLS is used where the server offers it.
    package var user: String?
    package var password: String?

    /// - Throws: `MailError` when the address is none.
    package init(url: String, user: String? = nil, password: String? = nil) throws(MailError) {
        guard url.hasPrefix("smtp://") || url.hasPrefix("smtps://"),
            url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else {
            throw MailError(
                .badAddress, "\"\(url)\" is no address of a mail server, as smtp://mail.example.com:587.")
        }
        self.url = url
        self.user = user
        self.password = password
    }

    /// Hands a letter over. Blocks, at most a minute.
    /// - Throws: `MailError`, `HTTPClientError` when libcurl is not there.
    package func send(_ message: MailMessage) throws {
        guard MailMessage.isAddress(message.from), !message.to.isEmpty,
            message.to.allSatisfy({ MailMessage.isAddress($0) })
        else { throw MailError(.badAddress, "The letter has no address that can be written on it.") }
        try HTTPClient.checkLibrary()
        guard let handle = larder_curl_easy_init() else { throw MailError(.notTaken, "libcurl has no memory.") }
        defer { larder_curl_easy_cleanup(handle) }
        var recipients: UnsafeMutablePointer<curl_slist>?
        defer { larder_curl_slist_free_all(recipients) }
        for address in message.to {
            guard let longer = larder_curl_slist_append(recipients, "<\(address)>") else {
                throw MailError(.notTaken, "libcurl has no memory.")
            }
            recipients = longer
        }
        larder_curl_set_string(handle, CURLOPT_URL, url)
        larder_curl_set_string(handle, CURLOPT_PROTOCOLS_STR, "smtp,smtps")
        larder_curl_set_string(handle, CURLOPT_PROXY, "")
        larder_curl_set_long(handle, CURLOPT_NOSIGNAL, 1)
        larder_curl_set_long(handle, CURLOPT_CONNECTTIMEOUT, 20)
        larder_curl_set_long(handle, CURLOPT_TIMEOUT, 60)
        larder_curl_set_long(handle, CURLOPT_USE_SSL, user == nil ? useTLSIfOffered : useTLSAlways)
        if let user { larder_curl_set_string(handle, CURLOPT_USERNAME, user) }
        if let password { larder_curl_set_string(handle, CURLOPT_PASSWORD, password) }
        larder_curl_set_string(handle, CURLOPT_MAIL_FROM, "<\(message.from)>")
        larder_curl_set_list(handle, CURLOPT_MAIL_RCPT, recipients)
        larder_curl_set_long(handle, CURLOPT_UPLOAD, 1)
        let body = LetterReader(message.wire)
        let code = withExtendedLifetime(body) {
            larder_curl_set_read(handle, onRead, onSeek, Unmanaged.passUnretained(body).toOpaque())
            return larder_curl_easy_perform(handle)
        }
        guard code == CURLE_OK else {
            let words = larder_curl_easy_strerror(code).map { String(cString: $0) } ?? "error \(code.rawValue)"
            let status = larder_curl_get_long(handle, CURLINFO_RESPONSE_CODE)
            throw MailError(
                .notTaken,
                "The mail server \(url) did not take a letter: \(words)\(status > 0 ? " (\(status))" : "").")
        }
    }
}

// libcurl's CURLUSESSL_TRY and CURLUSESSL_ALL.
private let useTLSIfOffered = 1
private let useTLSAlways = 3

/// What libcurl reads a letter from, on the thread that sends it.
private final class LetterReader {
    let bytes: [UInt8]
    var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }
}

private func onRead(
    _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let context, let buffer else { return 0 }
    let reader = Unmanaged<LetterReader>.fromOpaque(context).takeUnretainedValue()
    let taken = min(size * count, reader.bytes.count - reader.offset)
    reader.bytes.withUnsafeBytes {
        UnsafeMutableRawPointer(buffer).copyMemory(
            from: UnsafeRawBufferPointer(rebasing: $0[reader.offset..<reader.offset + taken]).baseAddress
                ?? .init(buffer),
            byteCount: taken)
    }
    reader.offset += taken
    return taken
}

private func onSeek(_ context: UnsafeMutableRawPointer?, _ offset: curl_off_t, _ origin: CInt) -> CInt {
    guard let context, origin == 0 else { return CURL_SEEKFUNC_CANTSEEK }
    let reader = Unmanaged<LetterReader>.fromOpaque(context).takeUnretainedValue()
    reader.offset = min(max(0, Int(offset)), reader.bytes.count)
    return CURL_SEEKFUNC_OK
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import CCurlShim
internal import Glibc

extension ActiveTransfer {
    /// Tells libcurl the method, and what to send.
    func setMethodAndBody() {
        let request = transfer.request
        larder_curl_set_long(handle, CURLOPT_NOBODY, request.method == .head ? 1 : 0)
        // A body goes to the address it was meant for, and nowhere else.
        if !request.followsRedirects { larder_curl_set_long(handle, CURLOPT_FOLLOWLOCATION, 0) }
        if request.method != .get, request.method != .head {
            larder_curl_set_string(handle, CURLOPT_CUSTOMREQUEST, request.method.rawValue)
        }
        guard let body = request.body else { return }
        let context = Unmanaged.passUnretained(self).toOpaque()
        larder_curl_set_long(handle, CURLOPT_UPLOAD, 1)
        larder_curl_set_long(handle, CURLOPT_INFILESIZE_LARGE, Int(body.length))
        larder_curl_set_long(handle, CURLOPT_UPLOAD_BUFFERSIZE, 512 << 10)
        larder_curl_set_read(handle, onRead, onSeek, context)
    }

    /// Has every address judged before a connection to it is made.
    func setAddressCheck() {
        guard transfer.request.permitsAddress != nil else { return }
        // A proxy would connect in this request's place.
        larder_curl_set_string(handle, CURLOPT_PROXY, "")
        larder_curl_set_open_socket(handle, onSocket, Unmanaged.passUnretained(self).toOpaque())
    }

    /// More of the body; what the read callback must return.
    func send(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard let body = transfer.request.body else { return 0 }
        lastByte = turn.now
        pace = nil
        do {
            let wanted = min(buffer.count, Int(clamping: body.length - sent))
            guard wanted > 0 else { return 0 }
            let count = try body.read(UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]), sent)
            sent += Int64(count)
            body.onProgress?(sent)
            if count <= 0 {
                failure = HTTPClientError(
                    .unreadableBody,
                    "What is to be sent to \(DisplayURL.text(transfer.request.url)) ended after \(sent) of \(body.length) "
                        + "bytes: the file was changed meanwhile.")
                return Int(CURL_READFUNC_ABORT)
            }
            return count
        } catch {
            failure = HTTPClientError(
                .unreadableBody,
                "What is to be sent to \(DisplayURL.text(transfer.request.url)) cannot be read.", cause: error)
            return Int(CURL_READFUNC_ABORT)
        }
    }

    /// The body has to be sent again, from that byte on.
    func rewind(to offset: Int64) { sent = max(0, offset) }

    func mayConnect(to address: NetworkAddress?) -> Bool {
        guard let permits = transfer.request.permitsAddress else { return true }
        if let address, permits(address) { return true }
        refusedAddress = HTTPClientError(
            .forbiddenAddress,
            "\(DisplayURL.text(transfer.request.url)) is at \(address.map(\.description) ?? "an unknown address"), where "
                + "nothing may be sent from here.")
        return false
    }
}

private func onRead(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let context else { return Int(CURL_READFUNC_ABORT) }
    return Unmanaged<ActiveTransfer>.fromOpaque(context).takeUnretainedValue()
        .send(into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
}

private func onSeek(_ context: UnsafeMutableRawPointer?, _ offset: curl_off_t, _ origin: CInt) -> CInt {
    guard let context, origin == SEEK_SET else { return CURL_SEEKFUNC_CANTSEEK }
    Unmanaged<ActiveTransfer>.fromOpaque(context).takeUnretainedValue().rewind(to: Int64(offset))
    return CURL_SEEKFUNC_OK
}

private func onSocket(
    _ context: UnsafeMutableRawPointer?, _: curlsocktype, _ target: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let context, let target, let address = larder_curl_address(target),
        Unmanaged<ActiveTransfer>.fromOpaque(context).takeUnretainedValue()
            .mayConnect(to: NetworkAddress(address))
    else { return -1 }
    return larder_curl_socket(target)
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import CCurlShim
internal import Kit

/// One transfer under way: libcurl's easy handle, and what its callbacks do. Lives and dies on the engine's thread.
final class ActiveTransfer {
    /// Which silence counts against the server.
    enum Phase {
        /// Name, connection and handshake: the connect time-out is libcurl's to watch.
        case connecting
        /// A request was sent: every byte from the server resets the stall clock.
        case exchanging
    }

    let transfer: Transfer
    let handle: UnsafeMutableRawPointer
    let configuration: HTTPClientConfiguration
    let turn: LoopTurn
    var parser: ResponseHeadParser
    var phase = Phase.connecting
    var lastByte: SuspendingClock.Instant
    /// nil until an answer begins.
    var pace: Pace?
    var received: Int64 = 0
    /// Bytes of the request's body that were handed to libcurl.
    var sent: Int64 = 0
    var response: HTTPResponse?
    /// Why a callback broke the transfer off.
    var failure: HTTPClientError?
    /// The last address that was not connected to.
    var refusedAddress: HTTPClientError?
    /// The server's last refusal while libcurl goes on to prove who asks.
    private var refusal: HTTPClientError?
    /// What the handshake shows, when somebody answers for it.
    var watch: OpaquePointer?
    private var isPaused = false
    private var bucket: TokenBucket?
    /// Paused for the rate's sake until then.
    private(set) var resumeAt: SuspendingClock.Instant?
    private var unpublished = 0
    /// When the oldest of that came.
    private var keptSince: SuspendingClock.Instant
    private let started: SuspendingClock.Instant
    private var headerList: UnsafeMutablePointer<curl_slist>?
    let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

    init(_ transfer: Transfer, _ configuration: HTTPClientConfiguration, _ turn: LoopTurn) throws {
        guard let handle = larder_curl_easy_init() else {
            errorText.deallocate()
            throw HTTPClientError(.failed, "libcurl has no memory for another transfer.")
        }
        self.transfer = transfer
        self.configuration = configuration
        self.handle = handle
        parser = ResponseHeadParser(followsRedirects: transfer.request.followsRedirects)
        self.turn = turn
        started = turn.now
        lastByte = turn.now
        keptSince = turn.now
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        try configure()
    }

    deinit {
        larder_curl_easy_cleanup(handle)
        larder_tls_watch_release(watch)
        larder_curl_slist_free_all(headerList)
        errorText.deallocate()
    }

    /// When the transfer must be given up: it is looked at in every turn. Silence does not count while it is paused.
    var deadline: SuspendingClock.Instant? {
        [limit, stall, slowness].compactMap(\.self).min()
    }

    /// What is said when the deadline has come.
    var lateness: HTTPClientError {
        let place = DisplayURL.text(transfer.request.url)
        let deadline = deadline
        if limit == deadline {
            return HTTPClientError(.timedOut, "\(place) was not there within \(transfer.request.timeLimit ?? .zero).")
        }
        if stall != deadline, let pace {
            return HTTPClientError(
                .slow,
                "\(place) is too slow: fewer than \(pace.least) bytes in \(configuration.slowTimeout), after \(received) "
                    + "bytes.")
        }
        return HTTPClientError(
            .stalled, "\(place) stalled: no byte for \(stallTimeout), after \(received) bytes.")
    }

    private var limit: SuspendingClock.Instant? { transfer.request.timeLimit.map { started.advanced(by: $0) } }

    private var stallTimeout: Duration { transfer.request.stallTimeout ?? configuration.stallTimeout }

    private var stall: SuspendingClock.Instant? {
        phase == .exchanging && !isPaused ? lastByte.advanced(by: stallTimeout) : nil
    }

    private var slowness: SuspendingClock.Instant? { phase == .exchanging && !isPaused ? pace?.deadline : nil }

    /// Bytes of an answer came.
    private func noteBytes(_ count: Int) {
        lastByte = turn.now
        if pace == nil, configuration.leastRate > 0, transfer.request.stallTimeout == nil {
            pace = Pace(rate: configuration.leastRate, window: configuration.slowTimeout, now: turn.now)
        }
        pace?.note(count, at: turn.now)
    }

    /// Makes the handle follow the transfer's pause state.
    func applyPause() {
        let paused = transfer.isPaused || resumeAt != nil
        guard paused != isPaused else { return }
        isPaused = paused
        lastByte = turn.now
        pace?.begin(at: turn.now)
        larder_curl_easy_pause(handle, paused ? CURLPAUSE_RECV : CURLPAUSE_CONT)
    }

    /// Follows the transfer's rate limit.
    func applyRate() {
        bucket = transfer.rateLimit.map { TokenBucket(rate: $0, now: turn.now) }
        resumeAt = nil
        applyPause()
    }

    /// Ends a pause for the rate's sake when its time has come.
    func followRate() {
        guard let resumeAt, resumeAt <= turn.now else { return }
        self.resumeAt = nil
        applyPause()
    }

    // MARK: What libcurl reports

    /// The connection stands and the request would go out next; false breaks the transfer off.
    func requestStarts() -> Bool {
        phase = .exchanging
        lastByte = turn.now
        pace = nil
        return mayAsk(ParsedURL(finalURL)?.host ?? "") && isJudged
    }

    private var isJudged: Bool {
        guard transfer.request.authentication?.asksForTrust == true, let challenge = trustChallenge(isTrusted: true)
        else { return true }
        failure = HTTPClientError(
            .trustAsked,
            "\(DisplayURL.text(transfer.request.url)): the system trusts the server, and the app has not been asked yet.",
            challenge: challenge)
        return false
    }

    private func mayAsk(_ host: String) -> Bool {
        guard let permits = transfer.request.permitsHost, !permits(host) else { return true }
        failure = HTTPClientError(
            .forbiddenHost,
            "\(DisplayURL.text(transfer.request.url)) leads to \(host), from where nothing may be fetched.")
        return false
    }

    /// One line of a head; false breaks the transfer off.
    func receive(headerLine line: UnsafeRawBufferPointer) -> Bool {
        noteBytes(line.count)
        if failure?.code == .redirect { return true }
        switch parser.take(line) {
        case .more, .trailer: return true
        case .interim:
            // The server has said "100 Continue", and its silence counts while it is sent something.
            if transfer.request.body == nil { phase = .connecting }
            pace = nil
            return true
        case .redirect(let location):
            phase = .connecting
            // Here, and not only once connected: a host that may not be asked is not looked up in the network either.
            guard let target = ParsedURL(location, relativeTo: finalURL) else { return true }
            guard mayAsk(target.host) else { return false }
            if transfer.request.authentication != nil {
                failure = HTTPClientError(
                    .redirect, "\(DisplayURL.text(finalURL)) redirects to \(DisplayURL.text(target.text)).",
                    location: target.text)
            }
            return true
        case .invalid(let what):
            let place = DisplayURL.text(transfer.request.url)
            failure = HTTPClientError(.badResponse, "\(place) did not answer in HTTP: \(what).")
            return false
        case .head(let status, let headers):
            do throws(HTTPClientError) {
                let response = try ResponseCheck(request: transfer.request).evaluate(
                    status: status, headers: headers, finalURL: finalURL)
                self.response = response
                received = 0
                transfer.deliver(response)
                return true
            } catch {
                if status == 401, transfer.request.authentication?.login?.isDigest == true {
                    // With what this says libcurl asks once more; if it does not, this was the answer.
                    refusal = error
                    return true
                }
                failure = error
                return false
            }
        }
    }

    /// A piece of the body; what the write callback must return.
    func receive(body bytes: UnsafeRawBufferPointer) -> Int {
        noteBytes(bytes.count)
        turn.broughtBytes = true
        if failure?.code == .redirect || (refusal != nil && response == nil) {
            // Nobody reads it, and the connection stays of use if it is short.
            received += Int64(bytes.count)
            return received > Self.discardLimit ? 0 : bytes.count
        }
        if let ready = bucket?.nextPiece(at: turn.now) {
            // The same bytes come again then.
            resumeAt = ready
            isPaused = true
            return Int(CURL_WRITEFUNC_PAUSE)
        }
        if let promised = promisedEnd, received + Int64(bytes.count) > promised {
            failure = HTTPClientError(
                .wrongLength,
                "\(DisplayURL.text(transfer.request.url)) sends more than the \(promised) bytes it was to be.")
            return 0
        }
        let kept = unpublished
        defer { if kept == 0 || unpublished < kept { keptSince = turn.now } }
        switch transfer.accept(bytes, unpublished: &unpublished) {
        case .taken:
            received += Int64(bytes.count)
            bucket?.take(bytes.count)
            return bytes.count
        case .pause:
            isPaused = true
            return Int(CURL_WRITEFUNC_PAUSE)
        case .tooLarge:
            failure = transfer.tooLarge
            return 0
        case .abandoned:
            failure = HTTPClientError(.cancelled, "The transfer was cancelled.")
            return 0
        }
    }

    /// Bytes of bodies that come with redirects and refusals and are passed over.
    private static let discardLimit = Int64(1 << 20)

    /// Whether something has come that the reader does not see yet.
    var hasUnpublished: Bool { unpublished > 0 }

    /// Whether the body goes to a file rather than to a reader.
    var writesFile: Bool { transfer.writesFile }

    /// Lets the reader see what has come, or writes it to the file.
    /// - Parameter patience: how long it may be kept for what comes next.
    func publish(after patience: Duration = .zero) {
        if unpublished > 0, keptSince.duration(to: turn.now) >= patience { transfer.publish(&unpublished) }
    }

    /// Nothing more comes; the reader has all that did.
    func end(_ result: Result<Void, HTTPClientError>) {
        publish()
        transfer.end(result)
    }

    /// Bytes this body must have; nil when neither server nor caller said.
    private var promisedEnd: Int64? {
        if let length = response?.contentLength { return length }
        // Behind the last part anything may stand; whoever reads them bounds each.
        if response?.boundary != nil { return nil }
        guard let expected = transfer.request.expectedLength else { return nil }
        return expected - (response?.startOffset ?? 0)
    }

    var finalURL: String {
        larder_curl_get_string(handle, CURLINFO_EFFECTIVE_URL).map { String(cString: $0) } ?? transfer.request.url
    }

    /// What the end that libcurl reports means.
    func result(_ code: CURLcode) -> Result<Void, HTTPClientError> {
        if let failure { return .failure(failure) }
        if let refusal, response == nil { return .failure(refusal) }
        guard code == CURLE_OK else {
            if response == nil, let refusedAddress { return .failure(refusedAddress) }
            return .failure(certificateDemand ?? certificateRefusal ?? error(for: code))
        }
        guard response != nil else {
            return .failure(
                HTTPClientError(.badResponse, "\(DisplayURL.text(transfer.request.url)) gave no complete answer."))
        }
        if transfer.request.method != .head, let promised = promisedEnd, received != promised {
            return .failure(
                HTTPClientError(
                    .cut,
                    "\(DisplayURL.text(transfer.request.url)) ended after \(received) of \(promised) bytes."))
        }
        return .success(())
    }

    func setHeaderList(_ lines: [String]) throws(HTTPClientError) {
        for line in lines {
            guard let longer = larder_curl_slist_append(headerList, line) else {
                throw HTTPClientError(.failed, "No memory for the request's header.")
            }
            headerList = longer
        }
        larder_curl_set_list(handle, CURLOPT_HTTPHEADER, headerList)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import CMicroHTTPDShim
internal import Crypto
internal import Kit
internal import System

/// Serves over https with libmicrohttpd, which the first server loads: its threads move bytes, a task per request decides what they are.
package final class HTTPServer: Sendable {
    package typealias Handler = @Sendable (HTTPServerRequest) async -> HTTPServerResponse

    /// The port that is listened on.
    package let port: Int
    private let core: ServerCore
    private let daemon: Locked<OpaquePointer?>

    /// Starts to listen and to answer.
    /// - Throws: `HTTPServerError`
    package init(_ configuration: HTTPServerConfiguration, handler: @escaping Handler) throws {
        if let problem = larder_mhd_load() {
            throw HTTPServerError(
                .noLibrary,
                "libmicrohttpd, which serves, cannot be loaded (\(String(cString: problem))). Install the package "
                    + "libmicrohttpd12, then try again.")
        }
        let (socket, port) = try ListeningSocket.open(host: configuration.host, port: configuration.port)
        self.port = port
        core = ServerCore(configuration, handler: handler)
        guard let daemon = HTTPServer.start(socket.rawValue, configuration, core) else {
            _ = try? socket.close()
            if configuration.identity != nil {
                throw HTTPServerError(
                    .identity,
                    "The server cannot use its certificate and key. Both must be PEM, and the key must belong to the "
                        + "first certificate.")
            }
            throw HTTPServerError(.start, "The server could not be started: no threads or memory to be had.")
        }
        self.daemon = Locked(daemon)
    }

    deinit { stop() }

    private static func start(
        _ socket: CInt, _ configuration: HTTPServerConfiguration, _ core: ServerCore
    ) -> OpaquePointer? {
        func text(_ bytes: [UInt8]?) -> [CChar]? { bytes.map { $0.map { CChar(bitPattern: $0) } + [0] } }
        let certificate = text(configuration.identity?.certificates)
        let key = text(configuration.identity?.key)
        func pointer(_ text: [CChar]?, _ body: (UnsafePointer<CChar>?) -> OpaquePointer?) -> OpaquePointer? {
            guard let text else { return body(nil) }
            return text.withUnsafeBufferPointer { body($0.baseAddress) }
        }
        return pointer(certificate) { certificate in
            pointer(key) { key in
                var options = larder_mhd_options(
                    listener: socket, certificate: certificate, key: key,
                    threads: UInt32(clamping: max(1, configuration.threads)),
                    idle_seconds: UInt32(clamping: configuration.idleSeconds),
                    head_size: UInt32(clamping: configuration.headSize))
                // The server keeps the core alive for as long as the daemon may call back: until `stop` has returned.
                return larder_mhd_start(
                    &options, onAccess, onCompleted, onConnection, Unmanaged.passUnretained(core).toOpaque())
            }
        }
    }

    /// Takes no more connections, and waits for the requests that are under way. Blocks.
    /// - Returns: whether all were answered within that time.
    @discardableResult
    package func drain(atMost limit: Duration) -> Bool {
        let listener = daemon.withLock { daemon in daemon.map { larder_mhd_quiesce($0) } }
        if let listener, listener >= 0 { _ = try? FileDescriptor(rawValue: listener).close() }
        return core.waitUntilIdle(atMost: limit)
    }

    /// Stops: requests that wait are answered with 503, bodies on their way are broken off, all threads have ended when
    /// this returns. Blocks. Calling it again does nothing.
    package func stop() {
        let taken = daemon.withLock { $0.take() }
        guard let taken else { return }
        core.stopAccepting()
        larder_mhd_stop(taken)
        core.finish()
    }
}

/// Called once when a request's head is there, which may be answered at once, then once for each piece of its body, once at its end, and again after each
/// resumption.
private func onAccess(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ path: UnsafePointer<CChar>?,
    _ method: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?, _ upload: UnsafePointer<CChar>?,
    _ uploadSize: UnsafeMutablePointer<Int>?, _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let context, let connection, let path, let method, let uploadSize, let slot else { return .NO }
    let core = Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
    guard let known = slot.pointee else {
        let exchange = Exchange(
            ClientConnection(raw: connection), method: String(cString: method), path: String(cString: path))
        slot.pointee = Unmanaged.passRetained(exchange).toOpaque()
        return core.begin(exchange)
    }
    let exchange = Unmanaged<Exchange>.fromOpaque(known).takeUnretainedValue()
    if uploadSize.pointee > 0 {
        exchange.receive(UnsafeRawBufferPointer(start: upload, count: uploadSize.pointee))
        uploadSize.pointee = 0
        return .YES
    }
    return core.proceed(exchange)
}

/// A connection has come, or its socket is about to be closed: keeps a deadline for it in between.
private func onConnection(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ what: MHD_ConnectionNotificationCode
) {
    guard let context, let connection, let slot else { return }
    let watch = Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue().watch
    if what == .CONNECTION_NOTIFY_STARTED {
        let deadline = watch.add(socket: ClientConnection(raw: connection).socket)
        slot.pointee = Unmanaged.passRetained(deadline).toOpaque()
        larder_mhd_join_records(connection)
    } else if let known = slot.pointee {
        slot.pointee = nil
        watch.remove(Unmanaged<ReadingDeadline>.fromOpaque(known).takeRetainedValue())
    }
}

/// Takes back the reference that the first call of `onAccess` gave away; the only place that does.
private func onCompleted(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ how: MHD_RequestTerminationCode
) {
    guard let context, let known = slot?.pointee else { return }
    slot?.pointee = nil
    let exchange = Unmanaged<Exchange>.fromOpaque(known).takeRetainedValue()
    Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
        .completed(exchange, isComplete: how == .REQUEST_TERMINATED_COMPLETED_OK)
}

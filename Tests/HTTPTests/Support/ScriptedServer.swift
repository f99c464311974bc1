// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceSupport
import Glibc
import Kit
import System

/// A server on loopback that says exactly the bytes a test gives it, right or wrong.
final class ScriptedServer: Sendable {
    private let listener: LoopbackListener
    private let accepting: WorkerThread

    var port: Int { listener.port }
    var url: String { "http://127.0.0.1:\(port)" }

    /// `script` runs on a thread of its own for each connection, which is closed when it returns.
    init(_ script: @escaping @Sendable (ScriptedConnection) -> Void) throws {
        let listener = try LoopbackListener(isBlocking: true)
        self.listener = listener
        accepting = try WorkerThread.start(name: "scripted-accept") {
            while let socket = try? systemCall({ accept(listener.descriptor.rawValue, nil, nil) }) {
                _ = try? WorkerThread.start(name: "scripted") {
                    let connection = ScriptedConnection(socket)
                    script(connection)
                    connection.close()
                }
            }
        }
    }

    deinit {
        shutdown(listener.descriptor.rawValue, CInt(SHUT_RDWR))
        accepting.join()
    }
}

/// One connection of a `ScriptedServer`.
final class ScriptedConnection {
    private var socket: CInt

    init(_ socket: CInt) { self.socket = socket }

    /// The next request's head; nil when the client has closed.
    func readRequest() -> String? {
        var bytes: [UInt8] = []
        while !bytes.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            var byte: UInt8 = 0
            guard recv(socket, &byte, 1, 0) == 1 else { return nil }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns how many bytes the kernel took before the client went.
    @discardableResult
    func send(_ text: String) -> Int { send(Array(text.utf8)) }

    @discardableResult
    func send(_ bytes: [UInt8]) -> Int {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Glibc.send(
                    socket, buffer.baseAddress.map { $0 + sent }, buffer.count - sent, CInt(MSG_NOSIGNAL))
            }
            if count <= 0 { return sent }
            sent += count
        }
        return sent
    }

    /// Blocks until the client closes its side.
    func waitForClose() {
        var byte: UInt8 = 0
        while recv(socket, &byte, 1, 0) > 0 {}
    }

    /// Breaks the connection with a TCP reset.
    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    func close() {
        if socket >= 0 { Glibc.close(socket) }
        socket = -1
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import DeviceProtocol
internal import Dispatch
internal import Glibc
internal import Kit
internal import System

/// The life of an extension's process: take the descriptor that the service gave, answer until it is closed, exit.
@MainActor
enum ExtensionProcess {
    /// Where the service says which descriptor its end of the socket pair has.
    static let descriptorVariable = "LARDER_EXTENSION_FD"

    static func run(_ type: (some AppExtension).Type) -> Never {
        guard let channel = inheritedChannel() else {
            complain(
                """
                This program is an extension of an app: the device service starts it when there is something to ask. \
                Install the app with “larder install”; “larder doctor” checks its bundle.
                """)
            exit(2)
        }
        let connection = AppExtensionConnection()
        do {
            // Messages wait until the main thread gets to them, one at a time and in order; meanwhile the extension may
            // ask the service.
            let service = try DeviceConnection(
                conversationOver: channel, onRequest: { message in handle(message, connection) }, onEnd: leave)
            ExtensionService.connection.withLock { $0 = service }
            guard type.init().configuration.accept(connection: connection) else {
                channel.close()
                exit(1)
            }
        } catch {
            complain("The extension cannot start a thread: \(error)")
            exit(1)
        }
        dispatchMain()
    }

    private nonisolated static func handle(_ message: [UInt8], _ connection: AppExtensionConnection) {
        // The main thread is busy when time runs out.
        if (try? WireCodec.header(message))?.method == ExtensionWillTerminateNotice.method {
            connection.termination.withLock { $0 }?()
            return
        }
        DispatchQueue.main.async {
            MainActor.assumeIsolated {
                if connection.suspends(for: message) {
                    Task { await reply { try await connection.answerInTask(message) } }
                    return
                }
                do {
                    let answer = try connection.answer(message)
                    ExtensionService.connection.withLock { $0 }?.answer(answer)
                } catch {
                    leave(error)
                }
            }
        }
    }

    private static func reply(_ answer: () async throws -> [UInt8]) async {
        do {
            let answer = try await answer()
            ExtensionService.connection.withLock { $0 }?.answer(answer)
        } catch {
            leave(error)
        }
    }

    private nonisolated static func leave(_ error: (any Error)?) {
        guard let error else { exit(0) }
        complain("The extension ends: \(error)")
        exit(1)
    }

    private static func inheritedChannel() -> (any MessageChannel)? {
        guard let text = getenv(descriptorVariable).map({ String(cString: $0) }), let number = CInt(text), number > 2
        else { return nil }
        var type: CInt = 0
        var length = socklen_t(MemoryLayout<CInt>.size)
        guard getsockopt(number, SOL_SOCKET, SO_TYPE, &type, &length) == 0 else { return nil }
        unsetenv(descriptorVariable)
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        return FrameChannel(OwnedDescriptor(FileDescriptor(rawValue: number)))
    }

    private nonisolated static func complain(_ text: String) {
        let line = Array((text + "\n").utf8)
        _ = line.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
    }
}

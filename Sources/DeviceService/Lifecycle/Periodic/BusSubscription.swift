// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System

/// A connection to the system's message bus that only listens: what is asked, others ask. It says when NetworkManager has
/// changed a property, came or went.
///
/// That takes a greeting and two calls of the D-Bus protocol, whose messages are put together here; of what comes only the
/// frames are looked at.
final class BusSubscription {
    /// What makes one look at the network anew.
    static let rules = [
        "type='signal',sender='\(networkManager)',path='/org/freedesktop/NetworkManager',"
            + "interface='org.freedesktop.DBus.Properties',member='PropertiesChanged'",
        "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(networkManager)'",
    ]
    static let networkManager = "org.freedesktop.NetworkManager"
    private static let signal: UInt8 = 4
    /// The longest message taken; the bus itself lets 128 MiB pass, and these have a few hundred bytes.
    private static let longest = 1 << 20

    private let socket: OwnedDescriptor
    private var received: [UInt8] = []

    var descriptor: FileDescriptor { socket.borrowed }

    /// Connects and subscribes. Blocks until the bus has taken it on, for a second at most.
    /// - Throws: `KitError`, `Errno`
    init(_ path: FilePath) throws {
        socket = try UnixSocket.connect(path)
        try UnixSocket.setReceiveTimeout(socket.borrowed, milliseconds: 1000)
        let user = "\(CurrentProcess.userID)".utf8.map { "3" + String($0 - 0x30) }.joined()
        _ = try socket.borrowed.writeAll(Array("\0AUTH EXTERNAL \(user)\r\n".utf8))
        var answer: [UInt8] = []
        while answer.last != UInt8(ascii: "\n"), answer.count < 1024 {
            let count = try withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { buffer in
                let count = try socket.borrowed.read(into: buffer)
                if count == 1, let byte = buffer.first { answer.append(byte) }
                return count
            }
            if count == 0 { break }
        }
        guard answer.starts(with: "OK ".utf8) else {
            throw KitError(.socket, "The message bus at \(path) does not take this user.")
        }
        var greeting = Array("BEGIN\r\n".utf8) + Self.call("Hello", serial: 1)
        for (index, rule) in Self.rules.enumerated() {
            greeting += Self.call("AddMatch", serial: UInt32(index) + 2, argument: rule)
        }
        _ = try socket.borrowed.writeAll(greeting)
    }

    /// Takes what has come, when the descriptor is readable.
    /// - Returns: whether something has changed.
    /// - Throws: `KitError` when the bus has gone or talks nonsense; `Errno`
    func read() throws -> Bool {
        let bytes = try withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 8) { buffer in
            Array(UnsafeRawBufferPointer(buffer)[..<(try socket.borrowed.read(into: buffer))])
        }
        guard !bytes.isEmpty else { throw KitError(.socket, "The message bus closed the connection.") }
        received += bytes
        var hasChanged = false
        while let length = try Self.length(received), received.count >= length {
            let message = received[..<length]
            if message[1] == Self.signal, message.firstOccurrence(of: Self.networkManager.utf8) != nil {
                hasChanged = true
            }
            received.removeFirst(length)
        }
        return hasChanged
    }

    /// The length of the message that begins here; nil while too little of it is there.
    /// - Throws: `KitError` for what is no message.
    static func length(_ bytes: [UInt8]) throws -> Int? {
        guard bytes.count >= 16 else { return nil }
        let isLittle = bytes[0] == UInt8(ascii: "l")
        func number(_ start: Int) -> Int {
            let part = bytes[start..<(start + 4)]
            return (isLittle ? part.reversed() : Array(part)).reduce(0) { $0 << 8 | Int($1) }
        }
        let length = 16 + (number(12) + 7) / 8 * 8 + number(4)
        guard isLittle || bytes[0] == UInt8(ascii: "B"), bytes[3] == 1, length <= longest else {
            throw KitError(.socket, "The message bus sent what is no message.")
        }
        return length
    }

    /// A call of the bus itself.
    static func call(_ member: String, serial: UInt32, argument: String? = nil) -> [UInt8] {
        var body = BusBytes()
        if let argument { body.string(argument) }
        var fields = BusBytes()
        fields.field(1, "o", "/org/freedesktop/DBus")
        fields.field(6, "s", "org.freedesktop.DBus")
        fields.field(2, "s", "org.freedesktop.DBus")
        fields.field(3, "s", member)
        if argument != nil { fields.field(8, "g", "s") }
        var message = BusBytes(bytes: [UInt8(ascii: "l"), 1, 0, 1])
        message.number(UInt32(body.bytes.count))
        message.number(serial)
        message.number(UInt32(fields.bytes.count))
        message.bytes += fields.bytes
        message.align(8)
        return message.bytes + body.bytes
    }
}

/// Values as D-Bus writes them, least significant byte first.
struct BusBytes: Hashable, Sendable {
    var bytes: [UInt8] = []

    mutating func align(_ unit: Int) { while bytes.count % unit != 0 { bytes.append(0) } }

    mutating func number(_ value: UInt32) {
        align(4)
        for shift in [0, 8, 16, 24] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
    }

    mutating func string(_ text: String) {
        number(UInt32(text.utf8.count))
        bytes += Array(text.utf8) + [0]
    }

    /// A header field: its code, and a variant of the type.
    mutating func field(_ code: UInt8, _ type: Character, _ text: String) {
        align(8)
        bytes += [code, 1] + Array(String(type).utf8) + [0]
        guard type == "g" else { return string(text) }
        bytes += [UInt8(text.utf8.count)] + Array(text.utf8) + [0]
    }
}

extension Sequence<UInt8> {
    /// Whether the text is anywhere in it.
    func contains(_ text: String) -> Bool {
        let (all, wanted) = (Array(self), Array(text.utf8))
        guard let first = wanted.first, all.count >= wanted.count else { return wanted.isEmpty }
        return (0...(all.count - wanted.count)).contains {
            all[$0] == first && all[$0..<($0 + wanted.count)].elementsEqual(wanted)
        }
    }
}

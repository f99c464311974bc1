// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import HostingModel
internal import Kit
package import Mail
internal import System

/// Through which server a host writes, and to whom.
package struct HostMail: Sendable {
    package var server: MailServer
    package var from: String
    package var to: [String]

    package init(server: MailServer, from: String, to: [String]) {
        self.server = server
        self.from = from
        self.to = to
    }
}

/// Letters that wait to be taken, each a file of the data folder: what is queued outlives the host. One after the other they are
/// handed over; a server that takes none is asked again later, and after three days no more.
final class MailOutbox: Sendable {
    private static let policy = RetryPolicy(first: .seconds(30), longest: .seconds(1800), patience: .seconds(1 << 40))
    /// In seconds.
    private static let patience: Int64 = 3 * 24 * 3600

    private let mail: HostMail
    private let folder: FilePath
    private let log: Logger
    private let wake: AsyncStream<Void>.Continuation
    private let task = Locked<Task<Void, Never>?>(nil)

    /// - Throws: `Errno`
    init(_ mail: HostMail, folder: FilePath, log: Logger) throws {
        self.mail = mail
        self.folder = folder
        self.log = log
        try FileDescriptor.currentDirectory.makeDirectories(at: folder, permissions: .directoryPrivate)
        let (signals, wake) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.wake = wake
        let started = Task { [weak self] in
            for await _ in signals {
                guard let self, !Task.isCancelled else { return }
                await self.sendAll()
            }
        }
        task.withLock { $0 = started }
        // What an earlier host left behind.
        wake.yield()
    }

    /// Writes a letter and sees to it that it goes out. A letter that cannot be written is told to the log: what it is about has
    /// happened all the same.
    func queue(subject: String, text: String, now: Timestamp) async {
        let letter: JSONValue = [
            "subject": .string(subject), "text": .string(text), "seconds": .integer(now.seconds),
            "id": .string(Identifier.random()),
        ]
        // In the order in which they were written.
        let name = "\(now.formatted)-\(Identifier.random()).json"
        do {
            try await offload { [folder] in
                try AtomicFile.write(
                    Array(letter.serialized().utf8), to: folder.appending(name), durable: true,
                    permissions: .filePrivate)
            }
            wake.yield()
        } catch {
            log.error("A letter could not be written.", ["subject": subject, "error": "\(error)"])
        }
    }

    func stop() async {
        wake.finish()
        let running = task.withLock { $0 }
        running?.cancel()
        await running?.value
    }

    private func sendAll() async {
        var attempt = 0
        while !Task.isCancelled {
            do {
                let isEmpty = try await offload { [self] in try sendOldest() }
                if isEmpty { return }
                attempt = 0
            } catch {
                attempt += 1
                log.warning("A letter was not taken and will be tried again.", ["error": "\(error)"])
                try? await Task.sleep(for: Self.policy.wait(attempt: attempt, jitter: .random(in: 0...1)))
            }
        }
    }

    /// Whether nothing is left to send. Blocks.
    private func sendOldest() throws -> Bool {
        let here = FileDescriptor.currentDirectory
        guard let name = try here.entries(at: folder).map(\.name).filter({ $0.hasSuffix(".json") }).min() else {
            return true
        }
        let file = folder.appending(name)
        guard let letter = try? JSONParser.parse(File.read(file, limit: 1 << 20)).value,
            let seconds = letter["seconds"]?.integerValue, Timestamp.now.seconds - seconds < Self.patience
        else {
            log.error("A letter was given up.", ["file": name])
            try here.remove(at: file)
            return false
        }
        try mail.server.send(
            MailMessage(
                from: mail.from, to: mail.to, subject: letter["subject"]?.stringValue ?? "",
                text: letter["text"]?.stringValue ?? "", date: Timestamp(seconds: seconds),
                id: letter["id"]?.stringValue ?? name))
        try here.remove(at: file)
        return false
    }
}

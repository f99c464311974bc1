// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database
internal import HostingModel
internal import Kit
package import Mail

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

/// Hands letters to the mail server; a server that takes none is asked again later, and after three days no more.
struct LetterSender: Sendable {
    private static let policy = RetryPolicy(first: .seconds(30), longest: .seconds(1800), patience: .seconds(1 << 40))
    /// In seconds.
    private static let patience: Int64 = 3 * 24 * 3600

    private let context: HostContext
    private let mail: HostMail

    init(_ context: HostContext, _ mail: HostMail) {
        self.context = context
        self.mail = mail
    }

    /// - Throws: when the host cannot do its work.
    func send(_ job: ClaimedJob) async throws {
        guard let letter = try await context.database.read({ try $0.letter(job.subject) }) else {
            return try await context.database.write { try $0.remove(job) }
        }
        let now = context.clock().seconds
        do {
            guard now - letter.seconds < Self.patience else {
                context.log.error("A letter was given up.", ["subject": letter.subject])
                return try await remove(job)
            }
            try await offload { [mail] in
                try mail.server.send(
                    MailMessage(
                        from: mail.from, to: mail.to, subject: letter.subject, text: letter.text,
                        date: Timestamp(seconds: letter.seconds), id: letter.id))
            }
        } catch let error as MailError {
            context.log.warning("A letter was not taken and will be tried again.", ["error": "\(error)"])
            let pause = Self.policy.wait(attempt: job.attempts + 1, jitter: .random(in: 0...1))
            return try await context.database.write {
                try $0.postpone(job, until: now + Int64(pause / .seconds(1)))
            }
        }
        try await remove(job)
    }

    private func remove(_ job: ClaimedJob) async throws {
        try await context.database.write { store in
            try store.remove(job)
            try store.removeLetter(job.subject)
        }
    }
}

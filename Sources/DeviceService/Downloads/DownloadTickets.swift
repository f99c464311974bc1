// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Calls that scheduled downloads which are no more: the last ones, oldest first.
struct DownloadTickets: Sendable {
    private var order: [String] = []
    private var known: Set<String> = []

    init(_ tickets: [String] = []) { for ticket in tickets { add(ticket) } }

    mutating func add(_ ticket: String) {
        guard known.insert(ticket).inserted else { return }
        order.append(ticket)
        // Amortised: an app repeats a call within seconds.
        guard order.count >= 2 * DownloadTables.ticketLimit else { return }
        known.subtract(order.prefix(DownloadTables.ticketLimit))
        order.removeFirst(DownloadTables.ticketLimit)
    }

    func contains(_ ticket: String) -> Bool { known.contains(ticket) }
}

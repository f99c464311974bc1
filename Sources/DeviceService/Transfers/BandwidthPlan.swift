// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// Bytes a second that transfers may take: all together, those of one app, those from one host. nil is as many as come.
package struct BandwidthLimits: Hashable, Sendable {
    package var total: Int64?
    package var perApp: Int64?
    package var perHost: Int64?

    package init(total: Int64? = nil, perApp: Int64? = nil, perHost: Int64? = nil) {
        self.total = total
        self.perApp = perApp
        self.perHost = perHost
    }

    package var areNone: Bool { total == nil && perApp == nil && perHost == nil }
}

/// Shares limited bandwidth out to running transfers: facts in, a rate for each out. It touches nothing.
///
/// Everyone's share grows at the same pace, times the weight of its class, until a limit is reached; those under it keep what
/// they have, and the others go on growing. Who takes less than its share leaves the rest to the others.
package struct BandwidthPlan: Sendable {
    package struct Transfer: Hashable, Sendable {
        package var app: String
        package var host: String
        package var rankClass: TransferRank.Class
        /// Bytes a second it could take, as far as is known.
        package var demand: Int64?

        package init(app: String, host: String, rankClass: TransferRank.Class, demand: Int64? = nil) {
            self.app = app
            self.host = host
            self.rankClass = rankClass
            self.demand = demand
        }
    }

    /// Nobody is given less: a transfer that may take nothing would look like a server that sends nothing.
    package static let least: Int64 = 1 << 10

    package var limits: BandwidthLimits

    package init(_ limits: BandwidthLimits) { self.limits = limits }

    /// Bytes a second for each of the transfers, in their order; nil for no limit.
    package func rates(_ transfers: [Transfer]) -> [Int64?] {
        var pools = pools(transfers)
        var rates = [Double?](repeating: nil, count: transfers.count)
        // Those outside every pool are not limited, and need no share.
        var growing = Set(pools.flatMap(\.members))
        while !growing.isEmpty {
            // How far one unit of weight can still grow until the first limit, or the first wish, is reached.
            var pace = Double.infinity
            for pool in pools where !pool.members.isEmpty {
                pace = min(pace, pool.left / pool.members.reduce(0) { $0 + weight(transfers[$1]) })
            }
            for index in growing {
                if let demand = transfers[index].demand {
                    pace = min(pace, (Double(max(demand, Self.least)) - (rates[index] ?? 0)) / weight(transfers[index]))
                }
            }
            pace = max(0, pace)
            for index in growing { rates[index] = (rates[index] ?? 0) + pace * weight(transfers[index]) }
            var full: Set<Int> = []
            for place in pools.indices {
                pools[place].left -= pace * pools[place].members.reduce(0) { $0 + weight(transfers[$1]) }
                if pools[place].left < 0.5 { full.formUnion(pools[place].members) }
            }
            for index in growing {
                if let demand = transfers[index].demand, (rates[index] ?? 0) + 0.5 >= Double(demand) {
                    full.insert(index)
                }
            }
            if full.isEmpty { break }
            growing.subtract(full)
            for place in pools.indices { pools[place].members.subtract(full) }
        }
        return rates.map { $0.map { max(Self.least, Int64(min($0, 1e15))) } }
    }

    /// A limit, and who counts against it.
    private struct Pool {
        var left: Double
        var members: Set<Int>
    }

    private func pools(_ transfers: [Transfer]) -> [Pool] {
        var pools: [Pool] = []
        func add(_ limit: Int64?, _ group: (Transfer) -> String) {
            guard let limit else { return }
            for members in Dictionary(grouping: transfers.indices, by: { group(transfers[$0]) }).values {
                pools.append(Pool(left: Double(max(0, limit)), members: Set(members)))
            }
        }
        add(limits.total) { _ in "" }
        add(limits.perApp, \.app)
        add(limits.perHost, \.host)
        return pools
    }

    private func weight(_ transfer: Transfer) -> Double {
        switch transfer.rankClass {
        case .urgent: 32
        case .essential: 8
        case .foreground: 4
        case .background: 1
        }
    }
}

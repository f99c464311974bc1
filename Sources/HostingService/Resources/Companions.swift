// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database
internal import HostingModel

/// The resources that come along with others, because the request includes them.
struct Companions: Sendable {
    /// Each once.
    private(set) var records: [ResourceRecord] = []
    /// By the identifier of the resource they come with, and the relationship's name.
    private(set) var linkages: [String: [String: ResourceDocument.Linkage]] = [:]

    init() {}

    /// - Throws: `DatabaseError`
    init(of owners: [ResourceRecord], _ parsed: QueryParser.Parsed, in store: borrowing Connection) throws {
        var seen: Set<String> = []
        for relationship in parsed.includes {
            switch relationship.kind {
            case .absent: continue
            case .toOne:
                let ids = Set(owners.compactMap { $0.text(relationship.name) })
                for record in try store.records(relationship.target, ids.sorted())
                where seen.insert(record.id).inserted { records.append(record) }
            case .toMany(let inverse):
                let limit = parsed.includedLimits[relationship.name] ?? QueryParser.defaultIncludedLimit
                for owner in owners {
                    var query = ResourceQuery(relationship.target, limit: limit)
                    query.parent = (inverse, owner.id)
                    let page = try store.page(query)
                    linkages[owner.id, default: [:]][relationship.name] = ResourceDocument.Linkage(
                        identifiers: page.records.map(\.id), total: page.total, limit: limit)
                    for record in page.records where seen.insert(record.id).inserted { records.append(record) }
                }
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// A question for a page of resources of one type.
package struct ResourceQuery: Sendable {
    package struct Condition: Sendable {
        package let filter: ResourceSchema.Filter
        package let values: [String]

        package init(filter: ResourceSchema.Filter, values: [String]) {
            self.filter = filter
            self.values = values
        }
    }

    package struct Order: Sendable, Hashable {
        package let attribute: String
        package let isDescending: Bool

        package init(_ attribute: String, isDescending: Bool = false) {
            self.attribute = attribute
            self.isDescending = isDescending
        }
    }

    package var type: ResourceType
    /// Only those whose to-one relationship of that name names this one.
    package var parent: (relationship: String, id: String)?
    /// Only those of these apps; nil for all.
    package var apps: Set<String>?
    package var conditions: [Condition] = []
    /// Whether something is asked for that no resource has.
    package var matchesNothing = false
    /// What they are sorted by: what is alike in the first by the second. The order in which they were made, when there is none.
    package var orders: [Order] = []
    package var limit: Int
    package var cursor: PageCursor?

    package init(_ type: ResourceType, limit: Int = QueryParser.maximumLimit) {
        self.type = type
        self.limit = limit
    }
}

/// A page of resources.
package struct ResourcePage: Sendable {
    package let records: [ResourceRecord]
    /// How many there are on all pages.
    package let total: Int
    /// Where the next page begins; nil on the last.
    package let next: PageCursor?

    package init(records: [ResourceRecord], total: Int, next: PageCursor?) {
        self.records = records
        self.total = total
        self.next = next
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// What kind of resource something is, as it stands in `type`: `backgroundAssets`.
package struct ResourceType: Hashable, Sendable, CustomStringConvertible {
    package let name: String

    package init(_ name: String) { self.name = name }

    package var description: String { name }
}

/// Everything there is to know about a resource to store, filter, sort, include and show it. Reading serves all resources
/// from these descriptions alone.
package struct ResourceSchema: Sendable {
    package let type: ResourceType
    package let attributes: [Attribute]
    package let relationships: [Relationship]
    package let filters: [Filter]
    /// Names of attributes by which lists may be sorted.
    package let sorts: [String]
    /// The hidden attribute that sorts in place of another name.
    package let sortKeys: [String: String]
    /// Attributes and relationships that Apple's resource of this type has beside ours: they may be asked for in a field
    /// set, and are never there.
    package let absentFields: Set<String>
    /// Likewise relationships that may be included, and bring nothing.
    package let absentIncludes: Set<String>
    /// Likewise filters by what no resource here has: nothing passes them.
    package let absentFilters: [Filter]
    /// What `exists` may ask for, and whether every resource has it or none.
    package let presences: [String: Bool]

    package struct Attribute: Sendable {
        package enum Kind: Sendable {
            case text, integer, boolean, json
            /// A whole number in the database, a text of its digits in documents.
            case ordinal
            /// A set of short words without commas.
            case words
            /// Not stored: made when it is shown.
            case computed
        }

        package let name: String
        package let kind: Kind
        /// Stored, and never shown.
        package var isHidden = false

        package static func text(_ name: String) -> Attribute { Attribute(name: name, kind: .text) }
        package static func integer(_ name: String) -> Attribute { Attribute(name: name, kind: .integer) }
        package static func boolean(_ name: String) -> Attribute { Attribute(name: name, kind: .boolean) }
        package static func json(_ name: String) -> Attribute { Attribute(name: name, kind: .json) }
        package static func ordinal(_ name: String) -> Attribute { Attribute(name: name, kind: .ordinal) }
        package static func words(_ name: String) -> Attribute { Attribute(name: name, kind: .words) }
        package static func computed(_ name: String) -> Attribute { Attribute(name: name, kind: .computed) }

        package var hidden: Attribute {
            var copy = self
            copy.isHidden = true
            return copy
        }
    }

    package struct Relationship: Sendable {
        package enum Kind: Sendable, Hashable {
            /// Names one resource, or none.
            case toOne
            /// Those resources whose relationship of that name names this one.
            case toMany(inverse: String)
            /// Apple's resource has it, and ours never: it is shown without anything in it, for clients that count on it.
            case absent
        }

        package let name: String
        package let target: ResourceType
        package let kind: Kind
        /// Whether `include` may name it.
        package var isIncludable = true
        package var isHidden = false
        package var links = Links.none

        /// What a to-one relationship is shown with.
        package enum Links: Sendable {
            case none
            /// Nothing to follow, for clients that count on links.
            case empty
            case full
        }

        /// Without anything in it.
        package static func absent(_ name: String) -> Relationship {
            Relationship(name: name, target: ResourceType(name), kind: .absent, isIncludable: false)
        }

        package static func toOne(_ name: String, _ target: ResourceType) -> Relationship {
            Relationship(name: name, target: target, kind: .toOne)
        }

        package static func toMany(
            _ name: String, _ target: ResourceType, inverse: String, isIncludable: Bool = false
        ) -> Relationship {
            Relationship(name: name, target: target, kind: .toMany(inverse: inverse), isIncludable: isIncludable)
        }

        /// Named in requests to make it, and never shown.
        package var hidden: Relationship {
            var copy = self
            copy.isHidden = true
            copy.isIncludable = false
            return copy
        }

        /// A to-one relationship with links.
        package static func toOne(_ name: String, _ target: ResourceType, links: Links) -> Relationship {
            var relationship = toOne(name, target)
            relationship.links = links
            return relationship
        }

        package var isToOne: Bool { kind == .toOne }
        package var isToMany: Bool { if case .toMany = kind { true } else { false } }
    }

    /// `filter[name]`, and what it compares.
    package struct Filter: Sendable {
        package enum Comparison: Sendable { case isOneOf, isAtLeast, isBelow }

        package let name: String
        /// Names of relationships, then of an attribute or a to-one relationship.
        package let path: [String]
        package let comparison: Comparison
        /// The values that may be asked for; nil for any.
        package let choices: [String]?

        package init(
            _ name: String, path: [String]? = nil, _ comparison: Comparison = .isOneOf, choices: [String]? = nil
        ) {
            self.name = name
            self.path = path ?? name.split(separator: ".").map(String.init)
            self.comparison = comparison
            self.choices = choices
        }

        package init<State: StateMachine>(_ name: String, _: State.Type) {
            self.init(name, choices: State.allCases.map(\.rawValue))
        }
    }

    package init(
        _ type: ResourceType, attributes: [Attribute] = [], relationships: [Relationship] = [], filters: [Filter] = [],
        sorts: [String] = [], sortKeys: [String: String] = [:], absentFields: Set<String> = [],
        absentIncludes: Set<String> = [], absentFilters: [Filter] = [], presences: [String: Bool] = [:]
    ) {
        self.type = type
        self.attributes = attributes
        self.relationships = relationships
        self.filters = filters
        self.sorts = sorts
        self.sortKeys = sortKeys
        self.absentFields = absentFields
        self.absentIncludes = absentIncludes
        self.absentFilters = absentFilters
        self.presences = presences
    }

    package func attribute(_ name: String) -> Attribute? { attributes.first { $0.name == name } }
    package func relationship(_ name: String) -> Relationship? { relationships.first { $0.name == name } }

    /// What a field set may name.
    package var fieldNames: Set<String> {
        Set(attributes.filter { !$0.isHidden }.map(\.name) + relationships.filter { !$0.isHidden }.map(\.name))
            .union(absentFields)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit

/// Why a resource is in its state: a code for programs and a sentence for people.
package struct StateDetail: Hashable, Sendable {
    package let code: String
    package let description: String

    package init(_ code: String, _ description: String) {
        self.code = code
        self.description = description
    }

    /// Those of a list in a document; whatever is no text in one is empty.
    package static func list(_ value: JSONValue?) -> [StateDetail] {
        (value?.arrayValue ?? []).map {
            StateDetail($0["code"]?.stringValue ?? "", $0["description"]?.stringValue ?? "")
        }
    }

    package var json: JSONValue { ["code": .string(code), "description": .string(description)] }

    /// The attribute `stateDetails`.
    package static func details(
        errors: [StateDetail] = [], warnings: [StateDetail] = [], infos: [StateDetail] = []
    ) -> JSONValue {
        [
            "errors": .array(errors.map(\.json)), "warnings": .array(warnings.map(\.json)),
            "infos": .array(infos.map(\.json)),
        ]
    }
}

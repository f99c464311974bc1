// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import AssetPacks
import Kit
import System

/// Reads what the property lists of On-Demand Resources have in common; what is wrong is told with file and key.
struct TagPropertyListReader {
    /// How messages name the file.
    let source: String

    /// A thousand packs with a thousand files each, in paths of usual length, are well below.
    static let limits = PropertyListFile.Limits(size: 64 << 20, objects: 4_000_000)

    func error(_ place: String, _ reason: String) -> ResourceTagsError {
        ResourceTagsError(
            .badPropertyList, "\(source): \(place) \(reason). Build the resources again, or correct the list.")
    }

    func dictionary(_ value: PropertyListValue?, _ place: String) throws -> [String: PropertyListValue] {
        guard let value else { throw error(place, "is missing") }
        guard case .dictionary(let members) = value else {
            throw error(place, "must be a dictionary and is \(value.kind)")
        }
        return members
    }

    func array(_ value: PropertyListValue?, _ place: String) throws -> [PropertyListValue] {
        guard let value else { throw error(place, "is missing") }
        guard case .array(let elements) = value else { throw error(place, "must be an array and is \(value.kind)") }
        return elements
    }

    func string(_ value: PropertyListValue?, _ place: String) throws -> String {
        guard let value else { throw error(place, "is missing") }
        guard case .string(let text) = value else { throw error(place, "must be a string and is \(value.kind)") }
        return text
    }

    func strings(_ value: PropertyListValue?, _ place: String) throws -> [String] {
        try array(value, place).enumerated().map { try string($1, "\(place)[\($0)]") }
    }

    /// An identifier that can be one name in a path.
    func packID(_ text: String, _ place: String) throws -> String {
        if let problem = AssetPackIdentifier.problem(with: text) {
            throw error(place, "names a pack \"\(text.prefix(200))\", which \(problem)")
        }
        return text
    }

    /// A path below the resources' folder.
    func subpath(_ text: String, _ place: String) throws -> String {
        do throws(PackPath.Problem) {
            let path = try PackPath(text)
            guard !path.isRoot else { throw PackPath.Problem.wholeFolder }
            return path.string
        } catch {
            throw self.error(place, "has the path \"\(text.prefix(200))\", which \(error.reason)")
        }
    }
}

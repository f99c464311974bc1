// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Foundation
import OnDemandResources

/// What the app does with on-demand resources; requests have names.
struct ResourceCommands {
    private var requests: [String: NSBundleResourceRequest] = [:]
    private var observer: (any NSObjectProtocol)?

    mutating func run(_ verb: String, _ words: [String]) async throws -> String {
        let name = words.first ?? ""
        switch verb {
        case "make":
            // make <name> <tag>,<tag> [<priority>]
            let request = NSBundleResourceRequest(tags: Set(words[1].split(separator: ",").map(String.init)))
            if words.count > 2 { request.loadingPriority = Self.priority(words[2]) }
            requests[name] = request
            return name
        case "begin":
            do {
                try await request(name).beginAccessingResources()
                return name
            } catch {
                return "failed " + Self.describe(error)
            }
        case "start":
            try request(name).beginAccessingResources { error in
                say("update \(name) " + (error.map { "failed " + Self.describe($0) } ?? "begun"))
            }
            return name
        case "conditionally": return "\(await (try request(name)).conditionallyBeginAccessingResources())"
        case "conditionallyTimed":
            let clock = ContinuousClock()
            let began = clock.now
            let isThere = await (try request(name)).conditionallyBeginAccessingResources()
            return "\(isThere) \(clock.now - began)"
        case "end":
            try request(name).endAccessingResources()
            return name
        case "drop":
            requests[name] = nil
            return name
        case "pause":
            try request(name).progress.pause()
            return name
        case "resume":
            try request(name).progress.resume()
            return name
        case "cancel":
            try request(name).progress.cancel()
            return name
        case "priority":
            try request(name).loadingPriority = Self.priority(words[1])
            return name
        case "progress":
            let progress = try request(name).progress
            return "\(progress.completedUnitCount)/\(progress.totalUnitCount)"
        case "preserve":
            Bundle.main.setPreservationPriority(Double(words[1]) ?? 0, forTags: [name])
            return name
        case "preservation": return "\(Bundle.main.preservationPriority(forTag: name))"
        case "lookup": return Self.lookUp(name)
        case "lookupLocalized": return Self.lookUpLocalized(name)
        case "releaseOnNotice":
            let held = requests[name]
            observer = NotificationCenter.default.addObserver(
                forName: .NSBundleResourceRequestLowDiskSpace, object: nil, queue: nil
            ) { _ in
                held?.endAccessingResources()
                say("update notice")
            }
            return name
        default: throw Commands.Unknown()
        }
    }

    private func request(_ name: String) throws -> NSBundleResourceRequest {
        guard let request = requests[name] else { throw Commands.Unknown() }
        return request
    }

    private static func priority(_ word: String) -> Double {
        word == "urgent" ? NSBundleResourceRequestLoadingPriorityUrgent : Double(word) ?? 0.5
    }

    private static func describe(_ error: any Error) -> String {
        let error = error as NSError
        return "\(error.domain) \(error.code)"
    }

    /// `Levels/1/map.txt` by each of the ways in which a bundle is asked, which must agree.
    private static func lookUp(_ path: String) -> String {
        let url = URL(fileURLWithPath: path)
        let (name, type) = (url.deletingPathExtension().lastPathComponent, url.pathExtension)
        let folder = path.contains("/") ? String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)]) : nil
        let found = Bundle.main.url(forResource: name, withExtension: type, subdirectory: folder)
        let other = Bundle.main.path(forResource: name, ofType: type, inDirectory: folder)
        let all = Bundle.main.urls(forResourcesWithExtension: type, subdirectory: folder) ?? []
        let isListed = all.contains { $0.lastPathComponent == url.lastPathComponent }
        guard found?.path == other, (found != nil) == isListed else {
            return "unlike: \(String(describing: found)) \(String(describing: other)) \(all)"
        }
        guard let found, let data = try? Data(contentsOf: found) else { return "nil" }
        return Commands.summary(data)
    }

    /// A resource that may lie in a folder of a language.
    private static func lookUpLocalized(_ path: String) -> String {
        let url = URL(fileURLWithPath: path)
        let found = Bundle.main.url(
            forResource: url.deletingPathExtension().lastPathComponent, withExtension: url.pathExtension)
        guard let found, let data = try? Data(contentsOf: found) else { return "nil" }
        return "\(found.deletingLastPathComponent().lastPathComponent) \(Commands.summary(data))"
    }
}

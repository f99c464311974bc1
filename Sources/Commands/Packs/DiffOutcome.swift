// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppleArchive
import AssetPacks
import Kit
import PackUpdates
import System

/// What `diff` shows.
enum DiffOutcome: Sendable {
    case difference(PackDifference)
    /// One of the two can have no index, so that the archive is fetched whole.
    case whole(Whole)

    struct Whole: Sendable {
        /// In bytes.
        let archiveSize: Int64
        let installedSize: Int64
        let reason: String
        /// Whether it may be less: it is the old one that can have no index, and what a device has of it counts all the same.
        let isMost: Bool

        init(_ archive: FilePath, reason: String, isMost: Bool, isCancelled: () -> Bool) throws {
            let pack = try PackInspector.inspect(archive, isCancelled: isCancelled)
            archiveSize = pack.archiveSize
            installedSize = pack.installedSize
            self.reason = reason
            self.isMost = isMost
        }
    }

    /// What a person reads.
    var text: String {
        switch self {
        case .difference(let difference): difference.text
        case .whole(let whole):
            """
            patch   none: there is none without an index
            blocks  \(whole.isMost ? "not known" : "none"): an index says what is in them
            whole   \(ByteCount.formatted(whole.archiveSize)) in 1 request, \(ByteCount.formatted(whole.installedSize)) written
            \(whole.reason)
            A device would take\(whole.isMost ? " at most" : ""): the whole archive.

            """
        }
    }

    var json: JSONValue {
        switch self {
        case .difference(let difference): difference.json
        case .whole(let whole):
            [
                "methods": [
                    "whole": [
                        "bytesToFetch": .integer(whole.archiveSize), "requests": 1,
                        "bytesToWrite": .integer(whole.installedSize),
                    ]
                ],
                "best": "whole", "isMost": .bool(whole.isMost), "reason": .string(whole.reason),
            ]
        }
    }
}

extension PackDifference {
    private static let shownFiles = 10

    /// What a person reads.
    var text: String {
        func bytes(_ count: Int64) -> String { ByteCount.formatted(count) }
        func line(_ plan: UpdatePlan) -> String {
            let cost = cost(plan)
            return "\(bytes(cost.bytesToFetch)) in \(PackSupport.count(cost.requests, "request")), "
                + "\(bytes(cost.bytesToWrite)) written"
        }
        var lines = [
            "patch   " + (patch.map(line) ?? "none given; --make-patch shows what one would be"),
            "blocks  " + line(blocks), "whole   " + line(whole), summary,
        ]
        if isPatchOutdone { lines.append("Blocks take less than the patch: do not publish it.") }
        func count(_ change: Change) -> Int { files.count { $0.change == change } }
        lines.append(
            "\(PackSupport.count(unchangedCount, "file")) unchanged, \(count(.changed)) changed, "
                + "\(count(.added)) added, \(count(.moved)) moved, \(count(.removed)) removed")
        lines += others.lines
        if let advice {
            lines += [
                "",
                "Packed with --compression \(advice.compression.rawValue) --block-size \(advice.blockSize >> 10)k it would take "
                    + "about \(bytes(advice.bytesToFetch)) in blocks, and the archive would be about "
                    + "\(bytes(advice.archiveBytes)).\(advice.caution)",
            ]
        }
        let usesPatch = best.patch != nil
        let costly = files.filter { $0.bytes(withPatch: usesPatch) > 0 }
        let twins = Dictionary(files.compactMap(\.twin).map { ($0, 1) }, uniquingKeysWith: +)
        if !costly.isEmpty {
            lines += ["", "What costs most, \(usesPatch ? "by patch" : "in blocks"):"]
            for file in costly.prefix(Self.shownFiles) {
                let stamps = file.hasOnlyOtherStamps ? ", only times differ" : ""
                let places = twins[file.path].map { ", at \($0 + 1) paths" } ?? ""
                lines.append(
                    "  \(bytes(file.bytes(withPatch: usesPatch)))  \(PackSupport.printable(file.path)) "
                        + "(\(file.change.rawValue), \(bytes(file.size))\(places)\(stamps))")
            }
            if costly.count > Self.shownFiles { lines.append("  and \(costly.count - Self.shownFiles) more") }
        }
        let stamped = files.count(where: \.hasOnlyOtherStamps)
        if stamped > 0 {
            lines += [
                "",
                "\(PackSupport.count(stamped, "file")) of these \(stamped == 1 ? "differs" : "differ") only in embedded times; "
                    + "'ba-package package --normalize' leaves the times out.",
            ]
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private var summary: String {
        switch best.method {
        case .nothing where isSame: "A device would fetch nothing: the two are the same archive."
        case .nothing: "A device would fetch only the \(listSize == nil ? "index" : "list"): it has every file."
        case .patch: "A device would take: the patch."
        case .patchAndBlocks: "A device would take: the patch, and blocks."
        case .blocks: "A device would take: blocks."
        case .whole: "A device would take: the whole archive."
        }
    }

    var json: JSONValue {
        func members(_ plan: UpdatePlan) -> JSONValue {
            let cost = cost(plan)
            return [
                "bytesToFetch": .integer(cost.bytesToFetch), "requests": .integer(Int64(cost.requests)),
                "bytesToWrite": .integer(cost.bytesToWrite),
            ]
        }
        var methods: [String: JSONValue] = ["blocks": members(blocks), "whole": members(whole)]
        methods["patch"] = patch.map(members)
        var all: [String: JSONValue] = [
            "methods": .object(methods), "best": .string(best.method.rawValue), "indexBytes": .integer(indexSize),
            "unchangedFiles": .integer(Int64(unchangedCount)),
            "onlyStampsDiffer": .integer(Int64(files.count(where: \.hasOnlyOtherStamps))),
            "files": .array(
                files.map { file in
                    var members: [String: JSONValue] = [
                        "path": .string(file.path), "change": .string(file.change.rawValue),
                        "size": .integer(file.size), "blockBytes": .integer(file.blockBytes),
                        "onlyStampsDiffer": .bool(file.hasOnlyOtherStamps),
                    ]
                    members["patchBytes"] = file.patchBytes.map { .integer($0) }
                    members["from"] = file.origin.map { .string($0) }
                    members["sameAs"] = file.twin.map { .string($0) }
                    return .object(members)
                }),
        ]
        all["listBytes"] = listSize.map { .integer($0) }
        if patch != nil { all["isPatchOutdone"] = .bool(isPatchOutdone) }
        all.merge(others.json) { $1 }
        all["advice"] = advice.map { advice in
            [
                "compression": .string(advice.compression.rawValue), "blockSize": .integer(Int64(advice.blockSize)),
                "bytesToFetch": .integer(advice.bytesToFetch), "archiveBytes": .integer(advice.archiveBytes),
            ]
        }
        return .object(all)
    }
}

extension PackDifference.Others {
    /// What a person reads; nothing when nothing became another.
    fileprivate var lines: [String] {
        var lines: [String] = []
        func told(_ name: String, _ counts: [PackDifference.Change: Int], _ changes: [PackDifference.Change]) {
            guard counts.values.contains(where: { $0 > 0 }) else { return }
            lines.append(name + ": " + changes.map { "\(counts[$0] ?? 0) \($0.rawValue)" }.joined(separator: ", "))
        }
        told("links", links, [.changed, .added, .removed])
        told("empty folders", emptyFolders, [.added, .removed])
        if executables > 0 {
            lines.append(
                "executable in one of the two: \(PackSupport.count(executables, "file")); on devices no file of a pack is"
            )
        }
        if isManifestChanged { lines.append("the pack's manifest changed; devices do not fetch it") }
        return lines
    }

    fileprivate var json: [String: JSONValue] {
        func members(_ counts: [PackDifference.Change: Int], _ changes: [PackDifference.Change]) -> JSONValue {
            .object(
                Dictionary(uniqueKeysWithValues: changes.map { ($0.rawValue, .integer(Int64(counts[$0] ?? 0))) }))
        }
        return [
            "links": members(links, [.added, .changed, .removed]),
            "emptyFolders": members(emptyFolders, [.added, .removed]),
            "executableChanged": .integer(Int64(executables)), "manifestChanged": .bool(isManifestChanged),
        ]
    }
}

extension PackingAdvice {
    fileprivate var caution: String {
        compression == .lzma ? " LZMA takes several times as long to pack and to unpack as LZFSE." : ""
    }
}

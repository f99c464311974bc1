// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import AssetPacks
import Crypto
import DevelopmentServer
import DeviceProtocol
import FuzzSupport
import Glibc
import HTTP
import Kit
import Languages
import ResourceTags
import System
import TestSupport

/// Mutated texts for every parser of text: JSON, manifests, property lists, messages, patterns, faults, ranges. None may
/// trap, and what is read must read the same again after it was written.
@main
enum TextFuzz {
    static func main() throws {
        let fuzzer = Fuzzer(name: "fuzz-text")
        let words = [
            "\"assetPackID\"", "\"downloadPolicy\"", "{\"essential\":", "\"onDemand\":{}", "\\u0000", "\\ud800", "/*",
            "*/",
            "//", "1e999", "-0", "9223372036854775808", "[[[[[[[[", "{{{{", "**/", "[!a-", "bytes=", "-", ",",
            "\"id\":",
            "<key>", "</dict>", "<integer>", "&#0;", "asset=", "redirect=", "after=1MiB", "\u{FEFF}",
        ]
        let file = try ServedFile("/dev/null")
        try fuzzer.run(corpus: TextCorpus.all, dictionary: words.map { Array($0.utf8) }) { input, _ in
            try json(input)
            try downloadManifest(input)
            packManifest(input)
            try propertyList(input)
            try xcodeProject(input)
            messages(input)
            try frames(input)
            try heads(input)
            _ = try? TLSIdentity(certificates: input, key: input)
            try shortTexts(String(decoding: input.prefix(300), as: UTF8.self), file)
        }
    }

    private static func json(_ input: [UInt8]) throws {
        guard let value = try? JSONParser.parse(input).value else { return }
        let again = try JSONParser.parse(value.serialized()).value
        try Finding.require(again == value, "JSON changes when it is written: \(value.serialized())")
    }

    private static func downloadManifest(_ input: [UInt8]) throws {
        guard let manifest = try? DownloadManifest.decode(input, source: "fuzz") else { return }
        let again = try DownloadManifest.decode(manifest.serialized, source: "again")
        try Finding.require(again == manifest, "a manifest changes when it is written")
        for pack in manifest.assetPacks {
            try Finding.require(
                !pack.id.isEmpty && !pack.id.contains("/") && !pack.id.hasPrefix("."),
                "the id \"\(pack.id)\" came through")
            try Finding.require(DownloadURL.isEncrypted(pack.url), "the URL \(pack.url) came through")
        }
    }

    private static func packManifest(_ input: [UInt8]) {
        _ = try? PackManifest.decode(input, source: "fuzz")
        _ = try? PackManifest.decodeArchived(input, source: "fuzz")
    }

    private static func propertyList(_ input: [UInt8]) throws {
        guard let file = try? PropertyListFile(bytes: input, path: "Info.plist") else { return }
        if let bytes = try? PropertyListValue.dictionary(file.values).binary() {
            let again = try PropertyListFile(bytes: bytes, path: "again")
            try Finding.require(
                try again.values == file.values || PropertyListValue.dictionary(again.values).binary() == bytes,
                "a property list changes when it is written")
        }
        if let tags = try? OnDemandResourcesPlist(bytes: input, source: "fuzz") {
            let again = try OnDemandResourcesPlist(bytes: try tags.serialized(), source: "again")
            try Finding.require(again == tags, "a list of tags changes when it is written")
            for path in tags.subpathsByPackID.values.joined() {
                try Finding.require(
                    !path.hasPrefix("/") && !path.split(separator: "/").contains(".."), "the path \(path) came through")
            }
        }
        if let manifest = try? AssetPackManifestPlist(bytes: input, source: "fuzz") {
            let again = try AssetPackManifestPlist(bytes: try manifest.serialized(), source: "again")
            try Finding.require(again == manifest, "a manifest of tagged packs changes when it is written")
        }
    }

    private static func xcodeProject(_ input: [UInt8]) throws {
        guard let project = try? XcodeProject(input, source: "fuzz") else { return }
        for item in project.items {
            try Finding.require(
                !item.path.components.contains("..") && !item.path.string.hasPrefix("/"),
                "the path \(item.path) came through")
        }
    }

    private static func messages(_ input: [UInt8]) {
        _ = try? WireCodec.header(input)
        _ = try? WireCodec.parameters(InstallRequest.self, input)
        _ = try? WireCodec.parameters(EnsureLocalAvailabilityRequest.self, input)
        _ = try? WireCodec.event(InstallEvent.self, input)
        _ = try? WireCodec.result(PacksRequest.Reply.self, input)
    }

    /// The bytes as they would come over the socket of an app or the command line.
    private static func frames(_ input: [UInt8]) throws {
        let (receiving, sending) = try UnixSocket.pair()
        let channel = FrameChannel(OwnedDescriptor(receiving))
        let sender = OwnedDescriptor(sending)
        // No more than a socket holds: nobody reads meanwhile.
        try input.prefix(64 << 10).withUnsafeBytes { try sender.borrowed.writeFully($0) }
        try systemCall { shutdown(sending.rawValue, CInt(SHUT_WR)) }
        var total = 0
        while let message = try? channel.receive() {
            total += message.count + 4
            messages(message)
        }
        try Finding.require(total <= input.count, "more was received than was sent")
    }

    /// The heads of an exchange, line by line, and the ranges they name.
    private static func heads(_ input: [UInt8]) throws {
        var parser = ResponseHeadParser()
        for line in input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            guard case .head(let status, let headers) = Array(line).withUnsafeBytes({ parser.take($0) }) else {
                continue
            }
            try Finding.require((200...999).contains(status), "the status \(status) came through")
            guard let bounds = headers["Content-Range"].flatMap({ ContentRange($0) })?.bounds else { continue }
            try Finding.require(bounds.lowerBound >= 0, "a range before the beginning")
        }
    }

    private static func shortTexts(_ text: String, _ file: ServedFile) throws {
        if let path = try? PackPath(text) {
            try Finding.require(
                !path.components.contains("..") && !path.string.hasPrefix("/"), "the path \(path.string) came through")
        }
        if let glob = try? Glob(text), let path = try? PackPath("a/bc/d.txt") { _ = glob.matches(path) }
        _ = try? LanguageTag(text)
        _ = DownloadURL.problem(with: text)
        if let bounds = ContentRange(text)?.bounds {
            try Finding.require(bounds.lowerBound >= 0 && bounds.upperBound < .max, "the range \(bounds) came through")
        }
        _ = try? FaultOption(text)
        let size: Int64 = 1000
        let request = HTTPServerRequest(method: "GET", path: "/", headers: ["Range": text])
        let answer = FileAnswer(file: file, size: size, etag: "\"e\"", contentType: "text/plain").response(to: request)
        try Finding.require(
            [200, 206, 416].contains(answer.status), "the range \(text) is answered with \(answer.status)")
        for case .file(_, let offset, let count) in answer.body {
            try Finding.require(
                offset >= 0 && count >= 0 && offset + count <= size, "the range \(text) leaves the file")
        }
    }
}

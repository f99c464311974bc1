// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import FuzzSupport
import HostingModel
import Kit

/// Mutated texts for everything a publisher sends to a host: tokens, arguments of requests, cursors, documents. None may trap,
/// and what comes through must keep what the host counts on.
@main
enum HostingFuzz {
    private static let now: Int64 = 1_800_000_000
    private static let issuer = "57246542-96fe-1a63-e053-0824d011072a"

    static func main() throws {
        let fuzzer = Fuzzer(name: "fuzz-hosting")
        let key = try SigningKey()
        let verifying = try VerifyingKey(pem: key.publicPEM())
        let claims: JSONValue = [
            "iss": .string(issuer), "aud": "appstoreconnect-v1", "iat": .integer(now), "exp": .integer(now + 600),
            "scope": ["GET /v1/apps", "GET /v1/builds?limit=3"],
        ]
        let text = BearerToken.text(keyID: "2X9R4HXF34", claims: claims)
        let token = text + "." + Base64URL.encode(try key.sign(text.utf8))
        let corpus =
            [token, claims.serialized(), PageCursor(values: ["Küste"], sequence: 7).text] + documents + queries
        let words =
            ResourceCatalog.standard.schemas.flatMap { [$0.type.name] + $0.filters.map { "filter[\($0.name)]=" } } + [
                "include=", "sort=-", "limit=", "limit[items]=", "cursor=", "exists[", "fields[apps]=", "\"data\":",
                "\"attributes\":", "\"relationships\":", "\"id\":", "\"type\":", "null", "9223372036854775808",
                "\\u0000",
                "\"alg\":\"none\"", "ES256", "\"exp\":1e99", "[[[[[[", "%5B", "%00", "%", "&", "=", ",", ".",
            ]
        try fuzzer.run(
            corpus: corpus.map { Array($0.utf8) }, dictionary: words.map { Array($0.utf8) }
        ) { input, _ in
            let text = String(decoding: input, as: UTF8.self)
            try self.token(text, token, verifying)
            try query(text)
            try cursor(text)
            try document(input)
            try order(text)
        }
    }

    private static let documents = [
        """
        {"data":{"type":"backgroundAssets","attributes":{"assetPackIdentifier":"Coast"},
        "relationships":{"app":{"data":{"type":"apps","id":"1234567890"}}}}}
        """,
        """
        {"data":{"type":"backgroundAssetUploadFiles","id":"f","attributes":{"uploaded":true,"fileSize":9007199254740991,
        "sourceFileChecksums":{"file":{"algorithm":"SHA_256","hash":"00ff"},"composite":{"algorithm":"MD5","hash":"aa-3"}}}}}
        """,
        #"{"data":{"type":"webhooks","attributes":{"enabled":false,"eventTypes":["BACKGROUND_ASSET_VERSION_STATE_UPDATED"]}}}"#,
        #"{"data":{"type":"builds","id":"b"}}"#, #"{"data":null}"#,
    ]

    private static let queries = [
        "filter[archived]=false&filter[versions.platforms]=IOS,LINUX&sort=-createdDate&limit=7&include=app",
        "filter[app]=1&include=items&limit[items]=50&fields[reviewSubmissions]=state,items&cursor=WyJhIiw3XQ",
        "filter[createdDateLessThan]=2026-01-02T03:04:05Z&exists[usesNonExemptEncryption]=true&sort=version",
    ]

    /// Only what was signed comes through, and only within its time.
    private static func token(_ text: String, _ good: String, _ key: VerifyingKey) throws {
        guard let token = try? BearerToken(text) else { return }
        for (method, path) in [("GET", "/v1/apps"), ("", ""), ("DELETE", text)] {
            _ = token.covers(method: method, path: path)
        }
        let holds = (try? token.check(issuer: issuer, now: now)) != nil
        _ = try? token.check(issuer: issuer, now: .max - 3600)
        _ = try? token.check(issuer: issuer, now: 0)
        let isSigned = key.verifies(token.signature, of: token.signedText)
        // Base64 without padding has no two spellings that mean the same signed bytes.
        let signed = good.prefix(good.utf8.count - (good.split(separator: ".").last?.utf8.count ?? 0) - 1)
        try Finding.require(
            !(holds && isSigned) || token.signedText == Array(signed.utf8), "a token that nobody signed came through")
    }

    private static func query(_ text: String) throws {
        let arguments = text.split(separator: "&", omittingEmptySubsequences: false).prefix(40).map { argument in
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (name: String(parts.first ?? ""), value: parts.count > 1 ? String(parts[1]) : "")
        }
        for schema in ResourceCatalog.standard.schemas {
            for form in [QueryParser.Form.one, .list, .linkages] {
                guard
                    let parsed = try? QueryParser(schema.type, form, catalog: .standard).parse(arguments)
                else { continue }
                try check(parsed, schema)
            }
        }
    }

    /// What becomes part of a statement must be what the catalogue knows.
    private static func check(_ parsed: QueryParser.Parsed, _ schema: ResourceSchema) throws {
        try Finding.require(
            (1...QueryParser.maximumLimit).contains(parsed.query.limit), "the limit \(parsed.query.limit)")
        for condition in parsed.query.conditions {
            try Finding.require(
                schema.filters.contains { $0.name == condition.filter.name } && !condition.values.isEmpty,
                "the filter \(condition.filter.name) came through")
            if let choices = condition.filter.choices {
                try Finding.require(condition.values.allSatisfy(choices.contains), "the values \(condition.values)")
            }
        }
        for order in parsed.query.orders {
            try Finding.require(schema.attribute(order.attribute) != nil, "the order \(order.attribute)")
        }
        for relationship in parsed.includes {
            try Finding.require(relationship.isIncludable && !relationship.isHidden, "\(relationship.name) is included")
        }
        for limit in parsed.includedLimits.values {
            try Finding.require((1...QueryParser.maximumIncludedLimit).contains(limit), "the limit \(limit)")
        }
    }

    private static func cursor(_ text: String) throws {
        guard let cursor = PageCursor(text: text) else { return }
        try Finding.require(PageCursor(text: cursor.text) == cursor, "a cursor changes: \(cursor.text)")
    }

    private static func document(_ input: [UInt8]) throws {
        _ = try? RequestDocument.linkage(input, to: .builds)
        for schema in ResourceCatalog.standard.schemas {
            let names = Set(
                schema.attributes.map(\.name) + ["uploaded", "submitted", "canceled", "removed", "resolved"])
            let links = Set(schema.relationships.map(\.name))
            guard
                let body = try? RequestDocument(
                    input, type: schema.type, attributes: names, relationships: links)
            else { continue }
            for name in names {
                if let text = try? body.text(name) {
                    try Finding.require(
                        (1...1024).contains(text.utf8.count) && !text.utf8.contains(0), "the text \(text) came through")
                }
                if let number = try? body.integer(name, in: 1...100) {
                    try Finding.require((1...100).contains(number), "the number \(number) came through")
                }
                _ = try? body.flag(name)
                _ = try? body.choice(name, of: ["x"])
            }
            for relationship in schema.relationships { _ = try? body.link(relationship.name, to: relationship.target) }
        }
    }

    private static func order(_ text: String) throws {
        let key = VersionOrder.key(String(text.prefix(100)))
        try Finding.require(VersionOrder.key(key) == key, "the order of \(text.prefix(100)) is none")
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HostingModel
import HostingService
import Kit
import Testing

/// Reading: the same code for every resource.
@Suite(.timeLimit(.minutes(5))) struct ResourceTests {
    @Test(arguments: TestDatabase.allCases)
    func everyResourceOfTheCatalogueCanBeAskedFor(on database: TestDatabase) async throws {
        try await HostFixture.with(on: database) { fixture in
            // Some are read only beside others.
            let others: [ResourceType: String] = [
                .reviewSubmissionItems: "METHOD_NOT_ALLOWED", .webhookDeliveries: "PATH_ERROR",
                .webhookEvents: "PATH_ERROR", .actors: "PATH_ERROR",
            ]
            // A column that the schema names and the table has not would be an error of the host.
            for schema in ResourceCatalog.standard.schemas {
                let answer = try await fixture.publisher.send("GET", "/v1/\(schema.type)/none")
                #expect(answer.code == others[schema.type] ?? "NOT_FOUND", "\(schema.type)")
                for path in schema.relationships.filter(\.isToMany).map(\.name) {
                    let related = try await fixture.publisher.send("GET", "/v1/\(schema.type)/none/\(path)")
                    #expect(related.status == 404, "\(schema.type) \(path)")
                }
            }
        }
    }

    @Test(arguments: TestDatabase.allCases)
    func listsArePagedFilteredAndSorted(on database: TestDatabase) async throws {
        try await HostFixture.with(on: database) { fixture in
            let publisher = fixture.publisher
            for name in ["B", "D", "A", "C", "E"] { _ = try await publisher.pack(name, app: fixture.appID) }
            let list = "/v1/apps/\(fixture.appID)/backgroundAssets"
            func names(_ document: JSONValue) -> [String] {
                document["data"]?.arrayValue?.compactMap { $0["attributes"]?["assetPackIdentifier"]?.stringValue } ?? []
            }
            #expect(names(try await publisher.send("GET", list).json) == ["B", "D", "A", "C", "E"])
            for (sort, expected) in [("assetPackIdentifier", "ABCDE"), ("-assetPackIdentifier", "EDCBA")] {
                var found: [String] = []
                var next: String? = "\(list)?sort=\(sort)&limit=2"
                while let path = next {
                    let page = try await publisher.send("GET", path).json
                    #expect(page["meta"]?["paging"]?["total"] == 5)
                    found += names(page)
                    next = page["links"]?["next"]?.stringValue
                }
                #expect(found.joined() == expected)
            }
            let some = try await publisher.send("GET", "\(list)?filter[assetPackIdentifier]=A,E,Z").json
            #expect(names(some) == ["A", "E"])
            #expect(names(try await publisher.send("GET", "\(list)?filter[archived]=true").json) == [])
            let id = try #require(some["data"]?.arrayValue?.first?["id"]?.stringValue)
            let patch = Publisher.document(.backgroundAssets, id: id, ["archived": true])
            #expect(try await publisher.send("PATCH", "/v1/backgroundAssets/\(id)", patch).status == 200)
            #expect(names(try await publisher.send("GET", "\(list)?filter[archived]=true").json) == ["A"])
            let links = try await publisher.send(
                "GET", "/v1/apps/\(fixture.appID)/relationships/backgroundAssets?limit=1")
            #expect(try links.json["data"]?.arrayValue?.first?.objectValue?.keys.sorted() == ["id", "type"])
        }
    }

    @Test(arguments: TestDatabase.allCases)
    func listsAreSortedByManyNames(on database: TestDatabase) async throws {
        let now = Locked(Timestamp.now)
        try await HostFixture.with(on: database, { $0.clock = { now.withLock { $0 } } }) { fixture in
            for name in ["B", "D", "A", "C", "E"] {
                if name == "A" { now.withLock { $0.seconds += 10 } }
                _ = try await fixture.publisher.pack(name, app: fixture.appID)
            }
            for (sort, expected) in [
                ("createdDate,assetPackIdentifier", "BDACE"), ("createdDate,-assetPackIdentifier", "DBECA"),
                ("-createdDate,assetPackIdentifier", "ACEBD"), ("-createdDate,-assetPackIdentifier", "ECADB"),
                ("-createdDate", "ECADB"), ("createdDate", "BDACE"),
            ] {
                for limit in 1...3 {
                    var found = ""
                    var next: String? =
                        "/v1/apps/\(fixture.appID)/backgroundAssets?sort=\(sort)&limit=\(limit)"
                    while let path = next {
                        let page = try await fixture.publisher.send("GET", path).json
                        let names = page["data"]?.arrayValue?.compactMap {
                            $0["attributes"]?["assetPackIdentifier"]?.stringValue
                        }
                        found += names?.joined() ?? "?"
                        next = page["links"]?["next"]?.stringValue
                    }
                    #expect(found == expected, "\(sort), \(limit) on a page")
                }
            }
        }
    }

    @Test(arguments: TestDatabase.allCases)
    func fieldSetsAndInclusions(on database: TestDatabase) async throws {
        try await HostFixture.with(on: database) { fixture in
            let publisher = fixture.publisher
            let pack = try await publisher.pack("Coast", app: fixture.appID)
            _ = try await publisher.publish(try fixture.archive(content: [1], platforms: #"["iOS"]"#), to: pack)
            let document = try await publisher.send(
                "GET",
                "/v1/backgroundAssets/\(pack)?include=app,internalBetaVersion,appStoreVersion"
                    + "&fields[backgroundAssets]=archived,app&fields[apps]=bundleId&fields[backgroundAssetVersions]=version"
            ).json
            #expect(document["data"]?["attributes"] == ["archived": false])
            #expect(document["data"]?["relationships"]?.objectValue?.keys.sorted() == ["app"])
            let included = document["included"]?.arrayValue ?? []
            #expect(
                included.map { $0["attributes"] } == [["bundleId": .string(HostFixture.bundleID)], ["version": "1"]])
            for (filter, count) in [
                ("filter[versions.platforms]=IOS", 1), ("filter[versions.platforms]=MAC_OS,TV_OS", 0),
                ("filter[versions.locale]=de", 0),
            ] {
                let list = try await publisher.send("GET", "/v1/apps/\(fixture.appID)/backgroundAssets?\(filter)").json
                #expect(list["data"]?.arrayValue?.count == count, "\(filter)")
            }
            for (filter, count) in [
                ("filter[state]=COMPLETE", 1), ("filter[state]=FAILED,PROCESSING", 0), ("filter[version]=1", 1),
                ("filter[version]=x", 0), ("filter[internalBetaRelease.state]=READY_FOR_TESTING", 1),
                ("filter[appStoreRelease.state]=ACCEPTED", 0), ("filter[platforms]=IOS", 1),
            ] {
                let list = try await publisher.send("GET", "/v1/backgroundAssets/\(pack)/versions?\(filter)").json
                #expect(list["data"]?.arrayValue?.count == count, "\(filter)")
            }
        }
    }

    @Test(arguments: TestDatabase.allCases)
    func numbersOfVersionsAreGivenOnceAndSortAsNumbers(on database: TestDatabase) async throws {
        try await HostFixture.with(on: database) { fixture in
            let pack = try await fixture.publisher.pack("Coast", app: fixture.appID)
            for _ in 0..<11 { _ = try await fixture.publisher.version(of: pack) }
            let list = try await fixture.publisher.send("GET", "/v1/backgroundAssets/\(pack)/versions?sort=-version")
                .json
            let numbers = list["data"]?.arrayValue?.compactMap { $0["attributes"]?["version"]?.stringValue }
            #expect(numbers == (1...11).reversed().map { "\($0)" })
        }
    }

    @Test(arguments: TestDatabase.allCases)
    func packsAreLimitedAndArchivingMakesRoom(on database: TestDatabase) async throws {
        try await HostFixture.with(on: database, { $0.limits.packsPerApp = 1 }) { fixture in
            let publisher = fixture.publisher
            let first = try await publisher.pack("A", app: fixture.appID)
            func make(_ name: String) async throws -> Publisher.Answer {
                try await publisher.send(
                    "POST", "/v1/backgroundAssets",
                    Publisher.document(
                        .backgroundAssets, ["assetPackIdentifier": .string(name)], ["app": (.apps, fixture.appID)]))
            }
            #expect(try await make("B").code == "STATE_ERROR.LIMIT_REACHED")
            let patch = Publisher.document(.backgroundAssets, id: first, ["archived": true])
            #expect(try await publisher.send("PATCH", "/v1/backgroundAssets/\(first)", patch).status == 200)
            #expect(try await make("A").code == "ENTITY_ERROR.ATTRIBUTE.INVALID.DUPLICATE")
            #expect(try await make("B").status == 201)
        }
    }

    @Test(arguments: TestDatabase.allCases)
    func methodsThatAPathHasNotAreNamed(on database: TestDatabase) async throws {
        try await HostFixture.with(on: database) { fixture in
            let answer = try await fixture.publisher.send("DELETE", "/v1/apps")
            #expect(answer.status == 405)
            #expect(answer.headers["allow"] == "GET")
        }
    }
}

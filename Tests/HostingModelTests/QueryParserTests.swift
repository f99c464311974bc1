// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HostingModel
import Kit
import Testing

@Suite struct QueryParserTests {
    private func parse(
        _ arguments: KeyValuePairs<String, String>, _ type: ResourceType = .backgroundAssets,
        _ form: QueryParser.Form = .list, required: [String] = []
    ) throws -> QueryParser.Parsed {
        try QueryParser(type, form, catalog: .standard, required: required)
            .parse(arguments.map { (name: $0.key, value: $0.value) })
    }

    @Test func readsEveryKindOfArgument() throws {
        let parsed = try parse([
            "filter[archived]": "false", "filter[versions.platforms]": "IOS,LINUX", "sort": "-createdDate",
            "limit": "7", "include": "app,internalBetaVersion", "fields[backgroundAssets]": "archived,app",
            "fields[somethingElse]": "anything",
        ])
        #expect(parsed.query.conditions.map(\.filter.name) == ["archived", "versions.platforms"])
        #expect(parsed.query.conditions.last?.values == ["IOS", "LINUX"])
        #expect(parsed.query.orders == [.init("createdDate", isDescending: true)])
        #expect(parsed.query.limit == 7)
        #expect(parsed.includes.map(\.name) == ["app", "internalBetaVersion"])
        #expect(parsed.fields["backgroundAssets"] == ["archived", "app"])
    }

    @Test(arguments: [
        ("limit", "0"), ("limit", "201"), ("limit", "x"), ("sort", "usedBytes"), ("include", "versions"),
        ("include", "nothing"), ("filter[archived]", "maybe"), ("filter[archived]", ""),
        ("fields[backgroundAssets]", "colour"), ("cursor", "%%"), ("cursor", "AAAA"),
        ("sort", ""), ("sort", "-"), ("sort", ","), ("sort", "createdDate,usedBytes"),
        ("filter[assetPackIdentifier]", "a\u{0}b"), ("cursor", PageCursor(values: [], sequence: 1).text + "\u{0}"),
        ("cursor", PageCursor(values: ["a\u{0}"], sequence: 1).text),
        ("cursor", PageCursor(values: ["a"], sequence: 1).text),
    ])
    func refusesInvalidValues(name: String, value: String) {
        let error = #expect(throws: APIError.self) { try parse([name: value]) }
        #expect(error?.code == "PARAMETER_ERROR.INVALID")
        #expect(error?.status == 400)
        #expect(error?.source == .parameter(name))
    }

    @Test(arguments: ["colour", "filter[colour]", "limit[versions]", "filter[]", "filter[archived", "page[size]"])
    func refusesArgumentsWithoutAPlace(name: String) {
        let error = #expect(throws: APIError.self) { try parse([name: "1"]) }
        #expect(error?.code == "PARAMETER_ERROR.ILLEGAL")
    }

    @Test func oneResourceTakesNoListArguments() throws {
        #expect(throws: APIError.self) { try parse(["limit": "1"], .backgroundAssets, .one) }
        #expect(throws: APIError.self) { try parse(["filter[archived]": "true"], .backgroundAssets, .one) }
        #expect(try parse(["include": "app"], .backgroundAssets, .one).includes.count == 1)
    }

    @Test func identifiersAloneTakeNoFieldSets() throws {
        #expect(throws: APIError.self) { try parse(["fields[apps]": "name"], .backgroundAssets, .linkages) }
        #expect(try parse(["limit": "3"], .backgroundAssets, .linkages).query.limit == 3)
    }

    @Test func anArgumentMayBeGivenOnce() {
        #expect(throws: APIError.self) { try parse(["limit": "1", "limit": "2"]) }
    }

    @Test func aRequiredFilterIsMissed() {
        let error = #expect(throws: APIError.self) { try parse([:], .apps, required: ["bundleId"]) }
        #expect(error?.code == "PARAMETER_ERROR.REQUIRED")
    }

    @Test func whatNothingHereHasMayBeAskedForAndIsNeverThere() throws {
        let included = try parse(["include": "betaGroups,app", "limit[betaGroups]": "3"], .builds)
        #expect(included.includes.map(\.name) == ["app"])
        #expect(!included.query.matchesNothing)
        #expect(
            try !parse(["filter[betaAppReviewSubmission.betaReviewState]": "APPROVED"], .builds).query.matchesNothing)
        #expect(try parse(["filter[betaGroups]": "x"], .builds).query.matchesNothing)
        #expect(try !parse(["exists[usesNonExemptEncryption]": "true"], .builds).query.matchesNothing)
        #expect(try parse(["exists[usesNonExemptEncryption]": "false"], .builds).query.matchesNothing)
        for (name, value) in [("exists[version]", "true"), ("exists[usesNonExemptEncryption]", "perhaps")] {
            #expect(throws: APIError.self) { try parse([name: value], .builds) }
        }
    }

    @Test func buildsSortByTheirNumbers() throws {
        #expect(try parse(["sort": "-version"], .builds).query.orders == [.init("versionOrder", isDescending: true)])
        let sorted = ["1.10", "1.9", "2", "1.9.1", "10", "1.9b", ""].sorted {
            VersionOrder.key($0) < VersionOrder.key($1)
        }
        #expect(sorted == ["", "1.9", "1.9.1", "1.9b", "1.10", "2", "10"])
        #expect(VersionOrder.key("007") == VersionOrder.key("7"))
    }

    @Test func listsSortByManyNames() throws {
        let parsed = try parse(
            ["sort": "-preReleaseVersion,version", "cursor": PageCursor(values: ["2", "1"], sequence: 3).text], .builds)
        #expect(
            parsed.query.orders == [
                .init("preReleaseVersionOrder", isDescending: true), .init("versionOrder"),
            ])
        #expect(try parse(["sort": "name,-name,sku"], .apps).query.orders == [.init("name"), .init("sku")])
    }

    @Test func cursorsComeBackAsTheyWent() {
        for cursor in [
            PageCursor(values: [], sequence: 7), PageCursor(values: [.string("Küste,%\"")], sequence: 1),
            PageCursor(values: [.integer(-3), .null, true], sequence: .max),
        ] {
            #expect(PageCursor(text: cursor.text) == cursor)
        }
    }
}

@Suite struct UploadPlanTests {
    @Test(arguments: [1, 8 << 20, (8 << 20) + 1, 3_850_000_000, 200_000_000_000] as [Int64])
    func partsCoverTheFileOnceInOrder(size: Int64) {
        let plan = UploadPlan(fileSize: size)
        var end: Int64 = 0
        for (index, part) in plan.parts.enumerated() {
            #expect(part.number == index + 1)
            #expect(part.offset == end)
            #expect(part.length > 0 && part.length <= plan.partSize)
            end += part.length
        }
        #expect(end == size)
        #expect(plan.partCount <= Int(UploadPlan.maximumPartCount))
        #expect(plan.part(0) == nil)
        #expect(plan.part(plan.partCount + 1) == nil)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HostingClient
import Kit
import Testing

/// Which version takes a file, and what operations of a host are believed.
@Suite struct ReservationTests {
    private static func version(_ id: String, file: String? = nil, state: String = "AWAITING_UPLOAD") -> JSONValue {
        var json: [String: JSONValue] = ["id": .string(id), "attributes": ["state": .string(state)]]
        if let file { json["relationships"] = ["assetFile": ["data": ["id": .string(file)]]] }
        return .object(json)
    }

    private static func file(
        _ id: String, _ name: String = "A.aar", _ size: Int64 = 10, state: String = "AWAITING_UPLOAD"
    ) -> JSONValue {
        [
            "id": .string(id),
            "attributes": [
                "fileName": .string(name), "fileSize": .integer(size), "assetDeliveryState": ["state": .string(state)],
            ],
        ]
    }

    private static func choose(_ versions: [JSONValue], _ files: [JSONValue] = []) -> UploadReservation {
        UploadReservation.choose(versions: versions, files: files, fileName: "A.aar", fileSize: 10)
    }

    @Test func whatWasBegunWithTheSameFileGoesOn() {
        #expect(Self.choose([]) == .makeVersion)
        #expect(Self.choose([Self.version("v")]) == .addFile(version: "v"))
        #expect(Self.choose([Self.version("v", file: "f")], [Self.file("f")]) == .goOn(version: "v", file: "f"))
        #expect(Self.choose([Self.version("v", file: "f")], [Self.file("f", "B.aar")]) == .makeVersion)
        #expect(Self.choose([Self.version("v", file: "f")], [Self.file("f", "A.aar", 11)]) == .makeVersion)
        #expect(
            Self.choose([Self.version("v", file: "f")], [Self.file("f", state: "UPLOAD_COMPLETE")]) == .makeVersion)
        #expect(Self.choose([Self.version("v", file: "f")], []) == .makeVersion)
        #expect(Self.choose([Self.version("v", state: "FAILED")]) == .makeVersion)
        let several = [Self.version("new", file: "other"), Self.version("old", file: "f")]
        #expect(
            Self.choose(several, [Self.file("other", "B.aar"), Self.file("f")]) == .goOn(version: "old", file: "f"))
    }

    private static func operations(_ parts: [(offset: Int64, length: Int64)]) -> JSONValue {
        let list: [JSONValue] = parts.map { part in
            ["url": "https://host/part", "offset": .integer(part.offset), "length": .integer(part.length)]
        }
        return ["attributes": ["uploadOperations": .array(list)]]
    }

    @Test func operationsMustMakeUpTheFile() throws {
        let sound = Self.operations([(6, 4), (0, 6)])
        #expect(try UploadOperation.all(of: sound, fileSize: 10).map(\.offset) == [0, 6])
        for bad in [
            Self.operations([]), Self.operations([(0, 9)]), Self.operations([(0, 11)]),
            Self.operations([(0, 5), (6, 4)]), Self.operations([(0, 6), (5, 5)]), Self.operations([(-1, 11)]),
            Self.operations([(0, 0), (0, 10)]), Self.operations([(0, 10), (10, Int64.max)]), [:],
        ] {
            #expect(throws: HostingClientError.self) { try UploadOperation.all(of: bad, fileSize: 10) }
        }
    }
}

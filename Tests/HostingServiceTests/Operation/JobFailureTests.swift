// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Database
import HostingModel
import Kit
import System
import TestSupport
import Testing

@testable import HostingService

/// What becomes of a job that the host, or its storage, fails at.
@Suite(.timeLimit(.minutes(5))) struct JobFailureTests {
    /// A clock that stands still, or is put back, must not leave a version where it is.
    @Test func aJobIsDoneAgainWhateverTheHostsClockSays() async throws {
        let now = Timestamp.now
        let log = MemoryLogSink()
        try await HostFixture.with({
            $0.clock = { now }
            $0.log = Logger(label: "host", level: .info, sink: log)
        }) { fixture in
            let here = FileDescriptor.currentDirectory
            // A file stands where the folder of archives is to be.
            let folder = fixture.scratch("data/archives")
            try here.removeTree(at: folder)
            try fixture.scratch.write("", to: "data/archives")
            let pack = try await fixture.publisher.pack("Coast", app: fixture.appID)
            let version = try await fixture.publisher.version(of: pack)
            let bytes = try fixture.archive(content: [1])
            let file = try await fixture.publisher.reserve(version, size: bytes.count)
            try await fixture.publisher.put(bytes, to: file)
            _ = try await fixture.publisher.commit(try #require(file["id"]?.stringValue))
            _ = try await eventually { log.records.contains { $0.message.contains("A job failed") } ? true : nil }
            try here.remove(at: folder)
            #expect(try await fixture.publisher.processed(version)["attributes"]?["state"] == "COMPLETE")
        }
    }

    /// What was checked to be there when the upload ended may be lost before it is read; nothing brings it back then.
    @Test(arguments: TestStorage.allCases)
    func anUploadThatTheStorageHasLostFails(storage: TestStorage) async throws {
        try await HostFixture.with(in: storage) { fixture in
            let pack = try await fixture.publisher.pack("Coast", app: fixture.appID)
            let version = try await fixture.publisher.version(of: pack)
            _ = try await fixture.publisher.reserve(version, size: 1000)
            let database = try await fixture.configuration.openDatabase()
            try await database.write { store in
                var record = try #require(try store.record(.backgroundAssetVersions, version))
                try store.step(&record, VersionState.self, .uploaded)
                try store.add(Job(kind: .processVersion, subject: version))
                // It has been looked for often enough.
                try store.execute(#"UPDATE "jobs" SET "attempts" = 12"#)
            }
            await database.close()
            let attributes = try await fixture.publisher.processed(version)["attributes"]
            #expect(attributes?["state"] == "FAILED")
            let error = attributes?["stateDetails"]?["errors"]?.arrayValue?.first
            #expect(error?["code"] == "UPLOAD_LOST")
            #expect(error?["description"]?.stringValue?.contains("Upload it again") == true, "\(attributes ?? .null)")
        }
    }
}

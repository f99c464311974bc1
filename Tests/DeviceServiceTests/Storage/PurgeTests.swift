// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit
import System
import TestSupport
import Testing

@testable import DeviceService

@Suite(.timeLimit(.minutes(5))) struct PurgePlanTests {
    private func candidate(
        _ name: String, _ size: Int64 = 10, kind: Preservation.Kind = .whole, priority: Double = 0,
        lastUse: Int64 = 0, isInUse: Bool = false
    ) -> PurgePlan.Candidate {
        PurgePlan.Candidate(
            key: TransferKey(app: "a", pack: name), allocated: size,
            preservation: Preservation(kind, priority: priority), lastUse: Timestamp(seconds: lastUse),
            isInUse: isInUse)
    }

    @Test func theLeastPreservedGoesFirstThenTheLeastUsed() {
        let all = [
            candidate("kept", priority: 0.5, lastUse: 1), candidate("young", lastUse: 9),
            candidate("old", lastUse: 2), candidate("rest", kind: .rest, priority: 1, lastUse: 99),
            candidate("open", isInUse: true), candidate("empty", 0),
        ]
        func names(_ bytes: Int64) -> [String] { PurgePlan.choose(all, toFree: bytes).map(\.key.pack) }
        #expect(names(0) == [])
        #expect(names(-1) == [])
        #expect(names(1) == ["rest"])
        #expect(names(11) == ["rest", "old"])
        #expect(names(21) == ["rest", "old", "young"])
        #expect(names(.max) == ["rest", "old", "young", "kept"])
    }

    @Test func nothingGoesUnlessItHelps() {
        let all = [candidate("one", 10, lastUse: 1), candidate("two", 10, lastUse: 2)]
        func decide(_ wanted: Int64, _ needed: Int64) -> PurgePlan.Decision {
            PurgePlan.decide(PurgePlan.Missing(wanted: wanted, needed: needed), all)
        }
        #expect(decide(0, 0) == .goOn)
        #expect(decide(-5, -9) == .goOn)
        #expect(decide(10, -5) == .purge([all[0]]))
        #expect(decide(20, 20) == .purge(all))
        #expect(decide(21, 21) == .refuse)
        #expect(decide(21, 0) == .goOn, "what would help does not, and it may go without")
        #expect(decide(21, 10) == .purge([all[0]]), "enough for what it cannot go without")
        #expect(decide(.max, .max) == .refuse)
        #expect(PurgePlan.decide(PurgePlan.Missing(wanted: 1, needed: 1), []) == .refuse)
        #expect(PurgePlan.decide(PurgePlan.Missing(wanted: 1, needed: 2), all) == .purge([all[0]]))
    }

    @Test func essentialDownloadsAreKeptLongestAndOthersByTheirPriority() {
        func preservation(_ priority: Int, essential: Bool = false) -> Preservation {
            Preservation(
                DownloadDescription(
                    identifier: "d", uniqueIdentifier: "u", url: "https://localhost/d", priority: priority,
                    isEssential: essential, fileSize: 1, appGroup: "g"))
        }
        #expect(preservation(0).priority == 0.5)
        #expect(preservation(.min) == preservation(-100) && preservation(-100).priority == 0)
        #expect(preservation(.max) == preservation(100) && preservation(-100, essential: true) == preservation(100))
        #expect(preservation(-1) < preservation(0) && preservation(0) < preservation(1))
        #expect(Preservation(.rest, priority: 7) < preservation(-100))
        #expect(Preservation(.rest, priority: .nan).priority.isFinite)
    }

    @Test func theWatermarkIsATwentiethOrOneGiB() {
        func shortage(_ available: Int64, _ total: Int64) -> Int64 {
            PurgePlan.shortage(FileSystemSpace(available: available, total: total, blockSize: 4096))
        }
        #expect(shortage(5, 100) == 0)
        #expect(shortage(2, 100) == 3)
        #expect(shortage(0, 1 << 40) == 1 << 30)
        #expect(shortage(1 << 30, 1 << 40) == 0)
    }
}

/// Finished files in the service's place (C10).
@Suite(.timeLimit(.minutes(5))) struct PurgeTests {
    @Test func finishedFilesGoUnlessSomebodyHasThemOpen() async throws {
        try await ServiceHarness.withUnmanagedApp { harness, connection in
            let places = DownloadPlaces(paths: harness.paths, app: ServiceHarness.app)
            var files: [FilePath] = []
            for (number, name) in ["one", "two"].enumerated() {
                harness.server.serve([UInt8](repeating: 7, count: 100_000), as: name)
                try await harness.schedule(harness.download(name), connection)
                files.append(places.file(Int64(number + 1), group: ServiceHarness.group))
            }
            try await eventually { try await harness.current(connection).isEmpty ? () : nil }
            let sizes = try await connection.send(StorageRequest()).apps.first?.downloads
            #expect(sizes?.map(\.identifier) == ["one", "two"])
            #expect(sizes?.allSatisfy { $0.isFinished && $0.size == 100_000 && $0.allocatedSize >= 100_000 } == true)

            let open = try OwnedDescriptor(files[0], .readOnly)
            let purged = try await connection.send(StoragePurgeRequest(bytes: 1 << 30)).purged
            #expect(purged.map(\.download) == ["two"])
            #expect(FileDescriptor.currentDirectory.exists(at: files[0]))
            #expect(!FileDescriptor.currentDirectory.exists(at: files[1]))
            try open.close()
            #expect(try await connection.send(StoragePurgeRequest(bytes: 1)).purged.map(\.download) == ["one"])
            #expect(try await harness.current(connection).isEmpty, "what is gone is in no list")
            #expect(try await connection.send(StorageRequest()).apps.first?.downloads == [])
            #expect(try await harness.packs()["one"] == nil)
            // What is gone is missing, no error: it can be scheduled again.
            try await harness.schedule(harness.download("two"), connection)
            var ears = DownloadEars(connection)
            #expect(try await ears.end().change == .finished)
        }
    }

    @Test func whatWasUsedLastIsKeptLonger() async throws {
        try await ServiceHarness.withUnmanagedApp { harness, connection in
            let places = DownloadPlaces(paths: harness.paths, app: ServiceHarness.app)
            for name in ["one", "two"] {
                harness.server.serve([UInt8](repeating: 7, count: 100_000), as: name)
                try await harness.schedule(harness.download(name), connection)
                try await eventually { try await harness.current(connection).isEmpty ? () : nil }
            }
            try FileDescriptor.currentDirectory.setAccessTime(at: places.file(1, group: ServiceHarness.group))
            let purged = try await connection.send(StoragePurgeRequest(bytes: 1)).purged
            #expect(purged.map(\.download) == ["two"], "the first one was used since")
        }
    }

    @Test func whatAnAppIsBeingToldOfStays() async throws {
        try await ServiceHarness.withUnmanagedApp { harness, connection in
            harness.server.serve([UInt8](repeating: 7, count: 100_000), as: "one")
            try await harness.schedule(harness.download("one"), connection)
            var ears = DownloadEars(connection)
            let step = try await ears.next(.finished)
            #expect(try await connection.send(StoragePurgeRequest(bytes: 1)).purged == [])
            #expect(FileDescriptor.currentDirectory.exists(at: FilePath(step.file ?? "")))
        }
    }
}

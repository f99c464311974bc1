// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit
import System
import TestSupport
import Testing

@testable import DeviceService

@Suite struct PurgePlanTests {
    private func candidate(
        _ name: String, _ size: Int64 = 10, preservation: Int = 0, lastUse: Int64 = 0, isInUse: Bool = false
    ) -> PurgePlan.Candidate {
        PurgePlan.Candidate(
            key: TransferKey(app: "a", pack: name), allocated: size, preservation: preservation, lastUse: lastUse,
            isInUse: isInUse)
    }

    @Test func theLeastPreservedGoesFirstThenTheLeastUsed() {
        let all = [
            candidate("kept", preservation: 5, lastUse: 1), candidate("young", lastUse: 9),
            candidate("old", lastUse: 2),
            candidate("open", preservation: -9, isInUse: true), candidate("empty", 0),
        ]
        func names(_ bytes: Int64) -> [String] { PurgePlan.choose(all, toFree: bytes).map(\.key.pack) }
        #expect(names(0) == [])
        #expect(names(-1) == [])
        #expect(names(1) == ["old"])
        #expect(names(11) == ["old", "young"])
        #expect(names(.max) == ["old", "young", "kept"])
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
            while try await !harness.current(connection).isEmpty { await Task.yield() }
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
            // What is gone is missing, no error: it can be scheduled again.
            try await harness.schedule(harness.download("two"), connection)
            var ears = DownloadEars(connection)
            #expect(try await ears.end().change == .finished)
        }
    }
}

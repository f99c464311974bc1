// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit
import System
import TestSupport
import Testing

@testable import BackgroundAssets

/// What an app does with unmanaged downloads, against a service that does as told (BA 1.3, 1.4, 1.8).
@Suite(.timeLimit(.minutes(5))) struct DownloadManagerTests {
    private func manager(
        _ service: FakeService, isInBackground: Bool = false, control: FilePath? = nil
    ) -> BADownloadManager {
        BADownloadManager(
            client: DownloadClient(app: .success("org.example.Game"), control: control) {
                try service.connectAndWait(as: "test")
            }, isInBackground: isInBackground)
    }

    private func download(_ name: String = "map", essential: Bool = false) throws -> BAURLDownload {
        let url = try #require(URL(string: "https://example.org/\(name)"))
        return BAURLDownload(
            identifier: name, request: URLRequest(url: url), essential: essential, fileSize: 10,
            applicationGroupIdentifier: "group.org.example", priority: .max)
    }

    @Test func whatIsScheduledIsWhatTheAppMade() async throws {
        let service = FakeService()
        let seen = Locked<DownloadDescription?>(nil)
        service.on(ScheduleDownloadRequest.self) { request in
            seen.withLock { $0 = request.download }
            #expect(request.app == "org.example.Game")
            return EmptyReply()
        }
        let manager = manager(service)
        let url = try #require(URL(string: "https://example.org/a?b=c"))
        var request = URLRequest(url: url)
        request.setValue("Bearer x", forHTTPHeaderField: "Authorization")
        let download = BAURLDownload(
            identifier: "a", request: request, fileSize: 7, applicationGroupIdentifier: "group.x")
        try await onOwnThread { try manager.scheduleDownload(download) }
        let sent = try #require(seen.withLock { $0 })
        #expect(sent.url == "https://example.org/a?b=c" && sent.headers == ["Authorization": "Bearer x"])
        #expect(sent.fileSize == 7 && sent.appGroup == "group.x" && !sent.isEssential && sent.priority == 0)
        #expect(sent.uniqueIdentifier == download.uniqueIdentifier && download.state == .created)
    }

    @Test(arguments: DownloadProblem.allCases) func refusalsAreApples(_ problem: DownloadProblem) async throws {
        let service = FakeService()
        service.on(ScheduleDownloadRequest.self) { _ in throw DeviceError(problem, "no, because") }
        let manager = manager(service)
        let download = try download()
        let error = await #expect(throws: BAError.self) {
            try await onOwnThread { try manager.scheduleDownload(download) }
        }
        #expect(error?.code.rawValue == problem.rawValue)
        let bridged = try #require(error.map { $0 as NSError })
        #expect(bridged.domain == BAErrorDomain && bridged.code == problem.rawValue)
        #expect(bridged.localizedDescription == "no, because")
    }

    @Test func errorsMatchByName() {
        do {
            throw BAError(.downloadAlreadyScheduled)
        } catch BAError.downloadAlreadyScheduled {
        } catch {
            Issue.record("\(error)")
        }
    }

    @Test func aScheduleThatTheServiceDiedOverIsNotRefused() async throws {
        let service = FakeService()
        let taken = Locked<DownloadDescription?>(nil)
        service.on(ScheduleDownloadRequest.self) { request in
            let isFirst = taken.withLock { taken in
                defer { taken = request.download }
                return taken == nil
            }
            guard isFirst else { throw DeviceError(.alreadyScheduled, "again") }
            service.die()
            return EmptyReply()
        }
        service.on(CurrentDownloadsRequest.self) { _ in
            CurrentDownloadsRequest.Reply(downloads: taken.withLock { $0 }.map { [$0] } ?? [])
        }
        let (manager, download) = (manager(service), try download())
        try await onOwnThread { try manager.scheduleDownload(download) }
        #expect(service.methods.filter { $0 == ScheduleDownloadRequest.method }.count == 2)
    }

    @Test func theForegroundIsRefusedInTheBackgroundByTheService() async throws {
        let service = FakeService()
        let inFront = Locked<[Bool]>([])
        service.on(StartForegroundDownloadRequest.self) { request in
            inFront.withLock { $0.append(request.isInFront) }
            return EmptyReply()
        }
        service.onStream(DownloadEventsRequest.self) { request, _ in #expect(!request.isListening) }
        let download = try download()
        for isInBackground in [true, false] {
            let manager = manager(service, isInBackground: isInBackground)
            try await onOwnThread { try manager.startForegroundDownload(download) }
        }
        #expect(inFront.withLock { $0 } == [false, true])
    }

    private final class Delegate: BADownloadManagerDelegate, Sendable {
        let heard = Monitor<[String]>([])
        private let look: @Sendable () -> Void

        init(look: @escaping @Sendable () -> Void = {}) { self.look = look }

        private func hear(_ what: String) {
            look()
            heard.withLock { $0.append(what) }
        }
        func downloadDidBegin(_ download: BADownload) { hear("began \(download.identifier)") }
        func downloadDidPause(_ download: BADownload) { hear("paused \(download.identifier)") }
        func download(
            _ download: BADownload, didWriteBytes bytesWritten: Int64, totalBytesWritten: Int64,
            totalBytesExpectedToWrite: Int64
        ) { hear("\(bytesWritten) \(totalBytesWritten) \(totalBytesExpectedToWrite)") }
        func download(_ download: BADownload, failedWithError error: any Error) {
            hear("failed \((error as? URLError)?.code.rawValue ?? 0) \(download.state.rawValue)")
        }
        func download(_ download: BADownload, finishedWithFileURL fileURL: URL) {
            hear("finished \(fileURL.path) \(download is BAURLDownload)")
        }
    }

    @Test func whatComesPausesWhileTheServiceIsGone() async throws {
        let service = FakeService()
        let streams = Monitor<[FakeService.Stream<DownloadStep>]>([])
        service.onStream(DownloadEventsRequest.self) { _, stream in streams.withLock { $0.append(stream) } }
        let (manager, delegate) = (manager(service), Delegate())
        func stream(_ number: Int) async throws -> FakeService.Stream<DownloadStep> {
            try await onOwnThread { streams.wait { $0.count >= number ? $0[number - 1] : nil } }
        }
        manager.delegate = delegate
        let (map, tune) = (try download("map").content, try download("tune").content)
        let first = try await stream(1)
        try first.send(DownloadStep(.began, map))
        try first.send(DownloadStep(.began, tune))
        try first.send(DownloadStep(.paused, tune))
        try await onOwnThread { delegate.heard.wait { $0.count >= 3 ? () : nil } }
        service.die()
        try await stream(2).send(DownloadStep(.began, map))
        try await onOwnThread { delegate.heard.wait { $0.count >= 5 ? () : nil } }
        #expect(
            delegate.heard.peek { $0 } == ["began map", "began tune", "paused tune", "paused map", "began map"])
        manager.delegate = nil
    }

    @Test func theDelegateHearsOfEachEndOnce() async throws {
        try await Scratch.with { scratch in
            let file = try scratch.write("map", to: "4").string
            let service = FakeService()
            let streams = Monitor<[FakeService.Stream<DownloadStep>]>([])
            let acknowledged = Monitor<[Int64]>([])
            service.onStream(DownloadEventsRequest.self) { request, stream in
                #expect(request.isListening)
                streams.withLock { $0.append(stream) }
            }
            service.on(AcknowledgeDownloadRequest.self) { request in
                acknowledged.withLock { $0.append(request.number) }
                return EmptyReply()
            }
            let (manager, delegate) = (manager(service), Delegate())
            manager.delegate = delegate
            let map = DownloadDescription(
                identifier: "map", uniqueIdentifier: "u", url: "https://example.org/map", fileSize: 10, appGroup: "g",
                state: .failed)
            func stream(_ number: Int) async throws -> FakeService.Stream<DownloadStep> {
                try await onOwnThread { streams.wait { $0.count >= number ? $0[number - 1] : nil } }
            }
            let first = try await stream(1)
            try first.send(DownloadStep(.began, map))
            try first.send(DownloadStep(.progress, map, written: 3, total: 5, expected: 10))
            try first.send(DownloadStep(.finished, map, number: 4, file: file))
            try first.send(DownloadStep(.failed, map, number: 5, error: DeviceError(.cancelled, "it was")))
            try await onOwnThread { acknowledged.wait { $0.count >= 2 ? () : nil } }
            // A service that was killed before it had the acknowledgement tells it again.
            service.die()
            let second = try await stream(2)
            try second.send(DownloadStep(.finished, map, number: 4, file: file))
            try await onOwnThread { acknowledged.wait { $0.count >= 3 ? () : nil } }
            #expect(acknowledged.peek { $0 } == [4, 5, 4])
            // What was purged before this process could take it is not told, nor is it said to have been.
            try second.send(DownloadStep(.finished, map, number: 6, file: file + ".gone"))
            try second.send(DownloadStep(.finished, map, number: 7, file: file))
            try await onOwnThread { acknowledged.wait { $0.count >= 4 ? () : nil } }
            #expect(acknowledged.peek { $0 } == [4, 5, 4, 7])
            #expect(
                delegate.heard.peek { $0 } == [
                    "began map", "3 5 10", "finished \(file) true", "failed \(URLError.Code.cancelled.rawValue) -1",
                    "finished \(file) true",
                ])
        }
    }

    @Test func aReceiptIsLeftBetweenTheDelegateAndTheAcknowledgement() async throws {
        try await Scratch.with { scratch in
            let service = FakeService()
            let streams = Monitor<[FakeService.Stream<DownloadStep>]>([])
            let receipt = scratch("group/.downloads/4.heard")
            let begun = scratch("group/.downloads/4.heard.begun")
            let busy = Locked<[Bool]>([])
            @Sendable func isLocked(_ path: FilePath) -> Bool {
                guard let file = try? OwnedDescriptor(path, .readOnly) else { return false }
                return (try? file.borrowed.tryLock(.shared)) == false
            }
            let seen = Monitor<[Bool]>([])
            service.onStream(DownloadEventsRequest.self) { _, stream in streams.withLock { $0.append(stream) } }
            service.on(AcknowledgeDownloadRequest.self) { _ in
                seen.withLock { $0.append(FileDescriptor.currentDirectory.exists(at: receipt)) }
                return EmptyReply()
            }
            let (manager, delegate) = (manager(service), Delegate { busy.withLock { $0.append(isLocked(begun)) } })
            manager.delegate = delegate
            let map = DownloadDescription(
                identifier: "map", uniqueIdentifier: "u", url: "", fileSize: nil, appGroup: "g")
            let stream = try await onOwnThread { streams.wait { $0.first } }
            try stream.send(DownloadStep(.failed, map, number: 4, receipt: receipt.string))
            try await onOwnThread { seen.wait { $0.isEmpty ? nil : () } }
            #expect(seen.peek { $0 } == [true] && delegate.heard.peek { $0.count } == 1)
            #expect(busy.withLock { $0 } == [true], "while the method runs it shows")
            #expect(!FileDescriptor.currentDirectory.exists(at: begun))
        }
    }

    @Test func anEndThatTheServiceIsThroughWithLeavesNoReceipt() async throws {
        try await Scratch.with { scratch in
            let service = FakeService()
            let streams = Monitor<[FakeService.Stream<DownloadStep>]>([])
            let folder = scratch("group/.downloads")
            let acknowledged = Monitor<[Int64]>([])
            service.onStream(DownloadEventsRequest.self) { _, stream in streams.withLock { $0.append(stream) } }
            service.on(AcknowledgeDownloadRequest.self) { request in
                acknowledged.withLock { $0.append(request.number) }
                return EmptyReply()
            }
            // What the service does when the method schedules the failed download again.
            let delegate = Delegate {
                try? FileDescriptor.currentDirectory.remove(at: folder.appending("4.heard.begun"))
            }
            let manager = manager(service)
            manager.delegate = delegate
            let map = DownloadDescription(
                identifier: "map", uniqueIdentifier: "u", url: "", fileSize: nil, appGroup: "g")
            let stream = try await onOwnThread { streams.wait { $0.first } }
            try stream.send(DownloadStep(.failed, map, number: 4, receipt: folder.appending("4.heard").string))
            try await onOwnThread { acknowledged.wait { $0.isEmpty ? nil : () } }
            #expect(try FileDescriptor.currentDirectory.entries(at: folder).isEmpty)
            withExtendedLifetime(manager) {}
        }
    }

    @Test func aServiceThatStartsAnewIsToldWhatIsInFront() async throws {
        let service = FakeService()
        let opened = Monitor<[(request: DownloadEventsRequest, stream: FakeService.Stream<DownloadStep>)]>([])
        service.onStream(DownloadEventsRequest.self) { request, stream in
            opened.withLock { $0.append((request, stream)) }
        }
        service.on(StartForegroundDownloadRequest.self) { _ in EmptyReply() }
        service.on(ScheduleDownloadRequest.self) { _ in EmptyReply() }
        service.on(AcknowledgeDownloadRequest.self) { _ in EmptyReply() }
        func stream(_ number: Int) async throws -> FakeService.Stream<DownloadStep> {
            try await onOwnThread { opened.wait { $0.count >= number ? $0[number - 1].stream : nil } }
        }
        let (manager, delegate) = (manager(service), Delegate())
        let (map, tune, sign) = (try download("map"), try download("tune"), try download("sign"))
        manager.delegate = delegate
        _ = try await stream(1)
        try await onOwnThread {
            for download in [map, tune, sign] { try manager.startForegroundDownload(download) }
            // Scheduled again it is no more in front.
            try manager.scheduleDownload(sign)
        }
        service.die()
        try await stream(2).send(
            DownloadStep(.failed, map.content, number: 4, error: DeviceError(.cancelled, "it was")))
        try await service.asked(AcknowledgeDownloadRequest.method)
        service.die()
        _ = try await stream(3)
        // Without a delegate the app is still there.
        manager.delegate = nil
        _ = try await stream(4)
        let requests = opened.peek { $0.map(\.request) }
        #expect(requests.map(\.foreground) == [nil, ["map", "tune"], ["tune"], ["tune"]])
        #expect(requests.map(\.isListening) == [true, true, true, false])
    }

    @Test func aDelegateThatIsGoneHearsNothingAndAcknowledgesNothing() async throws {
        let service = FakeService()
        let streams = Monitor<[FakeService.Stream<DownloadStep>]>([])
        service.onStream(DownloadEventsRequest.self) { _, stream in streams.withLock { $0.append(stream) } }
        let manager = manager(service)
        do {
            let delegate = Delegate()
            manager.delegate = delegate
            withExtendedLifetime(delegate) {}
        }
        let stream = try await onOwnThread { streams.wait { $0.first } }
        let map = DownloadDescription(identifier: "map", uniqueIdentifier: "u", url: "", fileSize: nil, appGroup: "g")
        try stream.send(DownloadStep(.finished, map, number: 4, file: "/x/4"))
        // Letting go of the stream leaves the end to others.
        try await service.letGo(stream.id)
        #expect(!service.methods.contains(AcknowledgeDownloadRequest.method))
        #expect(manager.delegate == nil)
    }

    @Test func exclusiveControlIsHeldForTheBodyAndGivenBack() async throws {
        let service = FakeService()
        let streams = Monitor<[FakeService.Stream<EmptyReply>]>([])
        let patience = Locked<[Int64?]>([])
        service.onStream(ExclusiveControlRequest.self) { request, stream in
            patience.withLock { $0.append(request.patience) }
            streams.withLock { $0.append(stream) }
            if request.patience == 0 {
                try stream.fail(DeviceError(.controlHeld, "held"))
            } else {
                try stream.send(EmptyReply())
            }
        }
        let manager = manager(service)
        let value = try await manager.withExclusiveControl { 42 }
        #expect(value == 42)
        try await service.letGo(try #require(streams.peek { $0.first }).id)
        await #expect(throws: (any Error).self) {
            try await manager.withExclusiveControl(before: .distantPast) { Issue.record("control was not to be had") }
        }
        let had = try await onOwnThread {
            var had: [Bool] = []
            manager.withExclusiveControl { acquired, error in had.append(acquired && error == nil) }
            manager.withExclusiveControl(beforeDate: Date()) { acquired, error in had.append(acquired || error == nil) }
            return had
        }
        #expect(had == [true, false])
        #expect(patience.withLock { $0 } == [nil, 0, nil, 0])
        try await service.letGo(try #require(streams.peek { $0.count > 2 ? $0[2] : nil }).id)
    }

    /// A service that is restarted meanwhile looks at the lock.
    @Test func exclusiveControlIsSaidOnTheDisk() async throws {
        try await Scratch.with { scratch in
            let file = scratch("control")
            @Sendable func isFree() throws -> Bool {
                // Named, because an unnamed one is closed before the lock is tried.
                let other = try OwnedDescriptor(file, .readOnly)
                return try other.borrowed.tryLock(.exclusive)
            }
            // A program that another test starts just then has the lock until it is itself.
            func becomesFree() async throws { try await eventually { try isFree() ? () : nil } }
            let service = FakeService()
            service.onStream(ExclusiveControlRequest.self) { _, stream in try stream.send(EmptyReply()) }
            let manager = manager(service, control: file)
            #expect(try await manager.withExclusiveControl { try isFree() } == false)
            try await becomesFree()
            struct Failed: Error {}
            await #expect(throws: Failed.self) { try await manager.withExclusiveControl { throw Failed() } }
            try await becomesFree()
            let wasFree = try await onOwnThread {
                var wasFree = true
                manager.withExclusiveControl { _, _ in wasFree = (try? isFree()) ?? true }
                return wasFree
            }
            #expect(!wasFree)
            try await becomesFree()
            // Where it cannot be said, control is had all the same.
            let other = self.manager(service, control: scratch("none/control"))
            #expect(try await other.withExclusiveControl { 42 } == 42)
        }
    }

    @Test func codingKeepsADownload() throws {
        let download = try download(essential: true)
        let data = try NSKeyedArchiver.archivedData(withRootObject: download, requiringSecureCoding: true)
        let copy = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: BAURLDownload.self, from: data))
        #expect(copy == download && copy.identifier == "map" && copy.isEssential && copy.priority == .max)
    }
}

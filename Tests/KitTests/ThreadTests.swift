// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Glibc
import Kit
import TestSupport
import Testing

@Suite("Threads")
struct ThreadTests {
    @Test("A bounded queue keeps the order and holds back its writer")
    func boundedQueue() async throws {
        let queue = BoundedQueue<Int>(capacity: 4)
        let pushed = Locked(0)
        let writer = try WorkerThread.start(name: "writer") {
            for number in 0..<10_000 {
                queue.push(number)
                pushed.withLock { $0 = number }
            }
            queue.close()
        }
        let (numbers, ahead) = try await offload {
            var numbers: [Int] = []
            var ahead = 0
            while let number = queue.pop() {
                numbers.append(number)
                ahead = max(ahead, pushed.withLock { $0 } - number)
            }
            return (numbers, ahead)
        }
        writer.join()
        #expect(numbers == Array(0..<10_000))
        #expect(ahead <= 5)
        #expect(queue.push(1) == false)
    }

    @Test("Closing a queue frees a writer that is blocked")
    func closeFreesWriter() throws {
        let queue = BoundedQueue<Int>(capacity: 1)
        queue.push(1)
        let result = Monitor<Bool?>(nil)
        let writer = try WorkerThread.start(name: "writer") {
            let taken = queue.push(2)
            result.withLock { $0 = taken }
        }
        queue.close()
        #expect(result.wait { $0 } == false)
        writer.join()
        #expect(queue.pop() == 1)
        #expect(queue.pop() == nil)
    }

    @Test("Waiting with a limit ends with it")
    func timedWait() {
        let monitor = Monitor(0)
        let started = ContinuousClock.now
        #expect(monitor.wait(atMost: .milliseconds(20)) { $0 > 0 ? $0 : nil } == nil)
        #expect(started.duration(to: .now) >= .milliseconds(19))
        monitor.withLock { $0 = 7 }
        #expect(monitor.wait(atMost: .seconds(60)) { $0 > 0 ? $0 : nil } == 7)
    }

    @Test("Work that blocks does not hold up the cooperative pool, however much there is of it")
    func offloadsMany() async throws {
        let gate = Monitor(false)
        // More blocked jobs than the pool has threads; a task must still get through to open the gate.
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<32 {
                group.addTask { try await offload { gate.wait { $0 ? number : nil } } }
            }
            group.addTask {
                gate.withLock { $0 = true }
                return 32
            }
            var sum = 0
            for try await number in group { sum += number }
            #expect(sum == (0...32).reduce(0, +))
        }
    }

    @Test("More blocking jobs than the pool has threads all get done")
    func offloadsMoreThanThreads() async throws {
        let count = Locked(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<500 { group.addTask { try await offload { count.withLock { $0 += 1 } } } }
            try await group.waitForAll()
        }
        #expect(count.withLock { $0 } == 500)
    }

    @Test("What comes of work elsewhere is the caller's alone: what he lets go of is gone")
    func resultsAreTheCallersAlone() async throws {
        final class Held: Sendable {}
        func expectGone(_ make: () async throws -> Held) async rethrows {
            weak var held: Held?
            do {
                let made = try await make()
                held = made
            }
            #expect(held == nil)
        }
        for _ in 0..<300 { try await expectGone { try await offload { Held() } } }
        for _ in 0..<100 { try await expectGone { try await onOwnThread { Held() } } }
    }

    @Test("offload hands on what its body throws")
    func offloadThrows() async {
        struct Failure: Error {}
        await #expect(throws: Failure.self) { try await offload { throw Failure() } }
    }

    private actor Counter {
        private let executor: BlockingExecutor
        private var value = 0

        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

        init() throws { executor = try BlockingExecutor(name: "counter") }

        func add() -> Int {
            value += 1
            return value
        }
    }

    @Test("An actor on its own thread runs one call at a time")
    func blockingExecutor() async throws {
        let counter = try Counter()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<1000 { group.addTask { _ = await counter.add() } }
        }
        #expect(await counter.add() == 1001)
    }

    @Test("A lent thread does what comes of the work at once, and leaves what comes later")
    func lentThread() async throws {
        let executor = try BlockingExecutor(name: "lent")
        let later = Monitor<CheckedContinuation<Void, Never>?>(nil)
        let (here, now, whole) = (Locked<[Bool]>([]), Locked(false), Monitor(false))
        try await offload {
            let thread = CurrentThread()
            executor.lendThread {
                Task(executorPreference: executor) {
                    here.withLock { $0.append(thread.isCurrent) }
                    await Task.yield()
                    here.withLock { $0.append(thread.isCurrent) }
                    await withCheckedContinuation { continuation in later.withLock { $0 = continuation } }
                    whole.withLock { $0 = true }
                }
            }
            // All that needs no one else is done.
            now.withLock { $0 = later.peek { $0 != nil } }
            later.wait { $0 }.resume()
            whole.wait { $0 ? () : nil }
        }
        #expect(here.withLock { $0 } == [true, true])
        #expect(now.withLock { $0 })
    }

    @Test("Threads that are lent at the same time run one job at a time, and every job")
    func lentThreads() async throws {
        let executor = try BlockingExecutor(name: "lent")
        let counts = Locked((running: 0, most: 0, done: 0))
        let done = Monitor(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    try await offload {
                        for _ in 0..<500 {
                            executor.lendThread {
                                Task(executorPreference: executor) {
                                    counts.withLock {
                                        $0.running += 1
                                        $0.most = max($0.most, $0.running)
                                    }
                                    counts.withLock { $0.running -= 1 }
                                    done.withLock { $0 += 1 }
                                }
                            }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        try await offload { done.wait { $0 == 2000 ? () : nil } }
        #expect(counts.withLock { $0.most } == 1)
    }

    /// Which thread this is.
    private struct CurrentThread: Sendable {
        private let thread = pthread_self()
        var isCurrent: Bool { pthread_equal(pthread_self(), thread) != 0 }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import Database
import DeviceProtocol
import Kit
import System
import TestSupport
import Testing

@testable import DeviceService

/// The pure parts of unmanaged downloads: one download's life, the rules, and who has control.
@Suite(.timeLimit(.minutes(5))) struct DownloadMachineTests {
    private func description(
        _ name: String = "map", size: Int64? = 100, essential: Bool = false,
        url: String = "https://cdn.example.org/map",
        group: String = "group.x"
    ) -> DownloadDescription {
        DownloadDescription(
            identifier: name, uniqueIdentifier: "u-\(name)", url: url, isEssential: essential, fileSize: size,
            appGroup: group)
    }

    private func download(_ state: Download.State = .waiting) -> Download {
        Download(app: "a", description: description(), state: state)
    }

    /// A full disk may keep the row of a download that is over; another of its name must not be refused for it.
    @Test func aRowThatWasLeftBehindGivesWay() async throws {
        try await Scratch.with { scratch in
            let database = try await SQLiteDatabase(path: scratch("database"), migrations: Schema.migrations)
            let (left, next) = (download(.failed), download())
            _ = try await database.write { try $0.add(left) }
            let number = try await database.write { try $0.add(next) }
            let rows = try await database.read { try $0.downloads() }
            #expect(rows.map(\.number) == [number])
            #expect(rows.map(\.state) == [.waiting])
            await database.close()
        }
    }

    @Test func aHeldDownloadWaitsForItsRelease() {
        var held = download(.held)
        #expect(held.handle(.began) == [] && held.told.state == .waiting)
        #expect(held.handle(.released) == [.save, .enqueue] && held.state == .waiting)
        #expect(held.handle(.released) == [], "once")
    }

    @Test func fromWaitingToAcknowledged() {
        var map = download()
        map.number = 7
        #expect(map.handle(.began).count == 1 && map.told.state == .downloading)
        guard case .tell(let step)? = map.handle(.progress(total: 40, expected: nil)).first else {
            Issue.record("progress is not told")
            return
        }
        #expect(step.written == 40 && step.total == 40 && step.expected == 100)
        #expect(map.handle(.progress(total: 40, expected: nil)) == [], "no news")
        #expect(map.handle(.arrived(size: 100)) == [.save, .deliver])
        #expect(
            map.end(file: "/f", receipt: "/r")
                == DownloadStep(
                    .finished, map.told, number: 7, total: 100, expected: 100, file: "/f", receipt: "/r"))
        #expect(map.handle(.cancelled) == [], "it is over")
        #expect(map.handle(.acknowledged) == [.forget, .deleteFile])
    }

    @Test func promotionRanksAndNothingElse() {
        var map = download()
        _ = map.handle(.began)
        #expect(map.rankClass == .background)
        #expect(map.handle(.foreground(true)) == [.save, .rerank] && map.rankClass == .foreground)
        #expect(map.state == .downloading && map.handle(.foreground(true)) == [])
        #expect(map.handle(.foreground(false)) == [.save, .rerank] && map.rankClass == .background)
    }

    @Test(arguments: 0..<20) func noFactsLeadAstray(_ round: Int) {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            var map = download(Bool.random(using: &random) ? .held : .waiting)
            var forgotten = 0
            var ends = 0
            for _ in 0..<30 where forgotten == 0 {
                let facts: [Download.Fact] = [
                    .released, .began, .interrupted, .paused, .resumed, .foreground(.random(using: &random)),
                    .progress(total: .random(in: 0...100, using: &random), expected: nil), .arrived(size: 100),
                    .broke(DeviceError(.downloadNetwork, "x")), .cancelled, .acknowledged, .vanished,
                ]
                let before = map.state
                guard let fact = facts.randomElement(using: &random) else { continue }
                let actions = map.handle(fact)
                if before.hasEnded { #expect(map.state == before, "what has ended stays so, seed \(seed)") }
                forgotten += actions.filter { $0 == .forget }.count
                ends += actions.filter { $0 == .deliver }.count
                if let save = actions.firstIndex(of: .save), let deliver = actions.firstIndex(of: .deliver) {
                    #expect(save < deliver, "nothing is told before it is written down, seed \(seed)")
                }
                if actions.contains(.deliver) { #expect(map.state.hasEnded, "seed \(seed)") }
            }
            #expect(forgotten <= 1 && ends <= 1, "an end is delivered once, seed \(seed)")
        }
    }

    // MARK: - Rules

    private func facts(
        launched: Bool = false, allowance: Int64? = nil, essentialAllowance: Int64? = nil, domains: [String]? = nil,
        maxInstall: Int64? = nil
    ) -> DownloadRules.Facts {
        var keys = BackgroundAssetsKeys()
        var restrictions = DownloadRestrictions()
        restrictions.downloadAllowance = allowance
        restrictions.essentialDownloadAllowance = essentialAllowance
        restrictions.domainAllowList = domains?.compactMap { DomainPattern($0) }
        keys.restrictions = restrictions
        keys.maxInstallSize = maxInstall
        return DownloadRules.Facts(keys: keys, wasLaunched: launched, isGroup: { $0.hasPrefix("group.") })
    }

    private func problem(_ body: () throws -> Void) -> DownloadProblem? {
        do {
            try body()
            return nil
        } catch {
            return (error as? DeviceError)?.downloadProblem
        }
    }

    @Test func essentialDownloadsOnlyComeInAnAnswer() {
        let vital = description(essential: true)
        let askers: [(DownloadRules.Asker, DownloadProblem?)] = [
            (.app(isInFront: true), .essentialNotPermitted), (.extension, .essentialNotPermitted),
            (.answer(mayBeEssential: false), .essentialNotPermitted), (.answer(mayBeEssential: true), nil),
        ]
        for (asker, expected) in askers {
            #expect(problem { try DownloadRules.check(vital, by: asker, facts()) } == expected, "\(asker)")
        }
        for size in [nil, 0] as [Int64?] {
            let unsized = description(size: size, essential: true)
            #expect(
                problem { try DownloadRules.check(unsized, by: .answer(mayBeEssential: true), facts()) } == .invalid)
        }
    }

    @Test func allowancesAreUsedUpAndLifted() {
        var limited = facts(allowance: 250, essentialAllowance: 100)
        #expect(problem { try DownloadRules.restrict(description("1"), &limited) } == nil)
        #expect(problem { try DownloadRules.restrict(description("2"), &limited) } == nil)
        #expect(DownloadRules.remaining(essential: false, limited) == 50)
        #expect(problem { try DownloadRules.restrict(description("3"), &limited) } == .wouldExceedAllowance)
        #expect(problem { try DownloadRules.restrict(description("4", size: 300), &limited) } == .disallowedByAllowance)
        #expect(problem { try DownloadRules.restrict(description("5", size: 50), &limited) } == nil)
        let vital = description("6", essential: true)
        #expect(problem { try DownloadRules.restrict(vital, &limited) } == nil, "essential ones have their own")
        #expect(DownloadRules.remaining(essential: true, limited) == 0)
        #expect(
            problem { try DownloadRules.restrict(description("7", size: .max), &limited) } == .disallowedByAllowance)
        var launched = facts(launched: true, allowance: 0)
        #expect(problem { try DownloadRules.restrict(description(), &launched) } == nil)
        #expect(DownloadRules.remaining(essential: false, launched) == nil)
        var small = facts(maxInstall: 99)
        #expect(problem { try DownloadRules.restrict(description(), &small) } == .disallowedByAllowance)
    }

    @Test func hostsAreLimitedUntilTheFirstLaunch() {
        for (domains, expected) in [
            (["cdn.example.org"], nil), (["*.example.org"], nil), (["example.org"], .disallowedByDomain),
            ([], .disallowedByDomain),
        ] as [([String], DownloadProblem?)] {
            var limited = facts(domains: domains)
            #expect(problem { try DownloadRules.restrict(description(), &limited) } == expected, "\(domains)")
        }
    }

    // MARK: - Exclusive control

    @Test func theServiceLocksForWhoCannot() async throws {
        try await Scratch.with { scratch in
            let (control, file) = (ExclusiveControl(), scratch("control"))
            try await control.with("a", patience: nil, file: file, locksItself: false) {
                let other = try OwnedDescriptor(file, .readOnly)
                let isFree = try other.borrowed.tryLock(.exclusive)
                #expect(!isFree)
            }
            let other = try OwnedDescriptor(file, .readOnly)
            let isFree = try other.borrowed.tryLock(.exclusive)
            #expect(isFree)
            // Where nothing can be locked, nobody has.
            try await control.with("a", patience: .zero, file: scratch("none/control")) {}
        }
    }

    @Test func controlGoesFromOneToTheNextInOrder() async throws {
        let control = ExclusiveControl()
        let order = Monitor<[Int]>([])
        try await control.with("a", patience: nil) {
            await #expect(throws: DeviceError.self) { try await control.with("a", patience: .zero) {} }
            await #expect(throws: DeviceError.self) { try await control.with("a", patience: .milliseconds(20)) {} }
            try await control.with("b", patience: .zero) {}
            let cancelled = Task { try await control.with("a", patience: nil) { Issue.record("it was cancelled") } }
            cancelled.cancel()
            await #expect(throws: CancellationError.self) { try await cancelled.value }
        }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    try? await control.with("a", patience: nil) {
                        order.withLock { $0.append(number) }
                        await Task.yield()
                        order.withLock { $0.append(number) }
                    }
                }
            }
        }
        let seen = order.peek { $0 }
        #expect(seen.count == 40)
        for index in stride(from: 0, to: seen.count, by: 2) { #expect(seen[index] == seen[index + 1], "two at once") }
        try await control.with("a", patience: .zero) {}
    }
}

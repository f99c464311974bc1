// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HostingService
import TestSupport
import Testing

/// What is swept, decided from facts alone.
struct SweepPlanTests {
    private static let now: Int64 = 1_000_000
    private static let grace: Int64 = 100_000

    private func plan(
        uploads: [SweepPlan.Upload] = [], archives: [String] = [], needed: Set<String> = [],
        marks: [String: SweepPlan.Mark] = [:], grace: Int64 = grace
    ) -> SweepPlan {
        SweepPlan(
            uploads: uploads, archives: archives.map { SweepPlan.Archive(digest: $0, size: 10) }, needed: needed,
            marks: marks, now: Self.now, grace: grace)
    }

    private func upload(_ record: SweepPlan.Upload.Record, age: Int64) -> SweepPlan.Upload {
        SweepPlan.Upload(id: "u", record: record, changed: Self.now - age, size: 7)
    }

    @Test func anUploadIsGivenUpWhenItStoodStillForTheGrace() {
        let old = upload(.awaiting, age: Self.grace)
        #expect(plan(uploads: [old]).actions == [.abandon(old)])
        #expect(plan(uploads: [upload(.awaiting, age: Self.grace - 1)]).actions.isEmpty)
    }

    @Test func whatWaitsForItsCheckStays() {
        #expect(plan(uploads: [upload(.committed, age: Self.now)]).actions.isEmpty)
    }

    @Test func remainsGoAfterAnHour() {
        let old = upload(.none, age: SweepPlan.remainsLife)
        #expect(plan(uploads: [old]).actions == [.discard(old)])
        #expect(plan(uploads: [upload(.none, age: SweepPlan.remainsLife - 1)]).actions.isEmpty)
        // Times that lie ahead, as by another machine's clock, are no age.
        #expect(plan(uploads: [upload(.none, age: -Self.now)]).actions.isEmpty)
    }

    @Test func anArchiveIsNotedFirstAndRemovedAfterTheGrace() {
        let archive = SweepPlan.Archive(digest: "a", size: 10)
        #expect(plan(archives: ["a"]).actions == [.mark(archive)])
        let young = ["a": SweepPlan.Mark(since: Self.now - Self.grace + 1)]
        #expect(plan(archives: ["a"], marks: young).actions.isEmpty)
        let old = ["a": SweepPlan.Mark(since: Self.now - Self.grace)]
        #expect(plan(archives: ["a"], marks: old).actions == [.remove(archive)])
    }

    @Test func aRemovalThatWasBegunIsEnded() {
        let going = ["a": SweepPlan.Mark(since: Self.now, isGoing: true)]
        #expect(plan(archives: ["a"], marks: going).actions == [.remove(.init(digest: "a", size: 10))])
    }

    @Test func whatIsNeededStaysHoweverOldItsNoteIs() {
        for isGoing in [false, true] {
            let marks = ["a": SweepPlan.Mark(since: 0, isGoing: isGoing)]
            #expect(plan(archives: ["a"], needed: ["a"], marks: marks).actions == [.unmark("a")])
        }
        #expect(plan(archives: ["a"], needed: ["a", "b"]).actions.isEmpty)
    }

    @Test func aNoteAboutNothingIsForgotten() {
        #expect(plan(marks: ["gone": SweepPlan.Mark(since: 0, isGoing: true)]).actions == [.unmark("gone")])
    }

    @Test func freedBytesAreThoseOfWhatGoes() {
        let marks = ["a": SweepPlan.Mark(since: 0)]
        let all = plan(uploads: [upload(.none, age: Self.now)], archives: ["a", "b"], marks: marks)
        #expect(all.freedBytes == 17)
    }

    /// Whatever the facts are: nothing needed and nothing that waits for its check goes, and nothing goes before its time.
    @Test func noFactsHaveSomethingGoThatMustStay() {
        var generator = SeededGenerator.forTest()
        for _ in 0..<2000 {
            let digests = (0..<6).map { "d\($0)" }
            func some() -> [String] { digests.filter { _ in Bool.random(using: &generator) } }
            let needed = Set(some())
            let marks = Dictionary(
                some().map {
                    ($0, SweepPlan.Mark(since: Self.now - Int64.random(in: -10...2 * Self.grace, using: &generator)))
                }
            ) { $1 }
            let records: [SweepPlan.Upload.Record] = [.none, .awaiting, .committed]
            let uploads = (0..<4).map { number in
                SweepPlan.Upload(
                    id: "u\(number)", record: records.randomElement(using: &generator) ?? .none,
                    changed: Self.now - Int64.random(in: -10...2 * Self.grace, using: &generator), size: 1)
            }
            for action in plan(uploads: uploads, archives: some(), needed: needed, marks: marks).actions {
                switch action {
                case .abandon(let upload):
                    #expect(upload.record == .awaiting && Self.now - upload.changed >= Self.grace)
                case .discard(let upload):
                    #expect(upload.record == .none && Self.now - upload.changed >= SweepPlan.remainsLife)
                case .mark(let archive): #expect(!needed.contains(archive.digest))
                case .unmark(let digest): #expect(marks[digest] != nil)
                case .remove(let archive):
                    #expect(!needed.contains(archive.digest))
                    #expect(marks[archive.digest].map { Self.now - $0.since >= Self.grace } == true)
                }
            }
        }
    }
}

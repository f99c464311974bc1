// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Crypto
import Testing

@testable import HostingService

/// What is made next for a version, from what is known: a pure decision.
@Suite struct UpdateStepsTests {
    private let bases = [3, 2, 1].map { number in
        PatchSelection.Version(id: "v\(number)", number: number, digest: "d\(number)", live: [], former: [])
    }

    private func file(_ base: Int64?, _ state: UpdateFile.State, attempts: Int = 0) -> UpdateFile {
        UpdateFile(
            version: "v4", app: "app", base: base.map { .init(id: "v\($0)", number: $0, digest: "d\($0)") },
            state: state, attempts: attempts,
            stored: [.listed, .retired].contains(state)
                ? .init(digest: TreeDigest.hash([UInt8(base ?? 0)]), size: 1, sha256: "") : nil)
    }

    private func next(
        _ index: UpdateFile?, _ patches: UpdateFile..., tried: Set<String> = []
    ) -> UpdateSteps.Step {
        UpdateSteps.next(
            bases: bases, index: index, patches: Dictionary(patches.map { ($0.base?.id ?? "", $0) }) { $1 },
            tried: tried)
    }

    @Test func theIndexComesFirstAndThenPatchesInTheirOrder() {
        let index = file(nil, .listed)
        #expect(next(nil) == .makeIndex)
        #expect(next(index) == .makePatch(from: bases[0]))
        #expect(next(index, file(3, .listed)) == .makePatch(from: bases[1]))
        #expect(next(index, file(3, .notSmaller), file(2, .tooSlow)) == .makePatch(from: bases[2]))
        #expect(next(index, file(3, .listed), file(2, .impossible), file(1, .failed)) == .done)
    }

    /// Room may have come since: each job tries once more.
    @Test func whatThereWasNoRoomForIsTriedByEachJob() {
        let index = file(nil, .listed)
        let known = [file(3, .listed), file(2, .noRoom), file(1, .noRoom)]
        #expect(next(index, known[0], known[1], known[2]) == .makePatch(from: bases[1]))
        #expect(next(index, known[0], known[1], known[2], tried: ["v2"]) == .makePatch(from: bases[2]))
        #expect(next(index, known[0], known[1], known[2], tried: ["v2", "v1"]) == .done)
        #expect(next(file(nil, .noRoom)) == .makeIndex)
        #expect(next(file(nil, .noRoom), tried: [""]) == .done)
    }

    @Test func withoutAnIndexThereAreNoPatches() {
        #expect(next(file(nil, .impossible)) == .done)
        #expect(next(file(nil, .failed)) == .done)
    }

    /// What ends the host each time must not do so for ever.
    @Test func whatWasBegunAndNotEndedIsBegunSoOften() {
        let index = file(nil, .listed)
        for attempts in 0..<UpdateSteps.attempts {
            #expect(next(index, file(3, .pending, attempts: attempts)) == .makePatch(from: bases[0]))
        }
        let ended = file(3, .pending, attempts: UpdateSteps.attempts)
        #expect(next(index, ended) == .giveUp(ended))
        let endedIndex = file(nil, .pending, attempts: UpdateSteps.attempts)
        #expect(next(endedIndex) == .giveUp(endedIndex))
    }

    @Test func whatWasGivenUpIsListedAgain() {
        let retired = file(3, .retired)
        #expect(next(file(nil, .listed), retired) == .relist(retired))
        #expect(next(file(nil, .retired)) == .relist(file(nil, .retired)))
    }

    @Test func aBaseWithoutArchiveIsPassedOver() {
        let gone = PatchSelection.Version(id: "v9", number: 9, digest: nil, live: [], former: [])
        #expect(UpdateSteps.next(bases: [gone], index: file(nil, .listed), patches: [:], tried: []) == .done)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System
import TestSupport
import Testing

@testable import DeviceService

@Suite(.timeLimit(.minutes(5))) struct SweeperTests {
    private static let here = FileDescriptor.currentDirectory

    private func makeFolder(_ path: FilePath) throws {
        try Self.here.makeDirectories(at: path.appending("below"))
        try AtomicFile.write([1, 2, 3], to: path.pushing("below/file"), durable: false)
    }

    @Test func whatIsDiscardedIsGoneFromItsPlaceAtOnceAndThenForGood() throws {
        try Scratch.with { scratch in
            let sweeper = Sweeper(below: scratch.path)
            for round in 0..<20 {
                let folder = scratch.path.appending("version-\(round)")
                try makeFolder(folder)
                try sweeper.discard(folder)
                #expect(!Self.here.exists(at: folder))
            }
            sweeper.wait()
            #expect(try Self.here.entries(at: scratch.path).isEmpty)
        }
    }

    @Test func whatAnEarlierProcessLeftGoesToo() throws {
        try Scratch.with { scratch in
            try makeFolder(scratch.path.pushing("discarded/77-0"))
            let sweeper = Sweeper(below: scratch.path)
            sweeper.sweep()
            sweeper.wait()
            #expect(try Self.here.entries(at: scratch.path).isEmpty)
        }
    }

    @Test func whatCannotBeTakenAwayStays() throws {
        try Scratch.with { scratch in
            let sweeper = Sweeper(below: scratch.path)
            #expect(throws: Errno.noSuchFileOrDirectory) { try sweeper.discard(scratch.path.appending("none")) }
            sweeper.wait()
        }
    }
}

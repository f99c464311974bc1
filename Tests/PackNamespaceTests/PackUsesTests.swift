// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System
import TestSupport
import Testing

@testable import PackNamespace

/// Two objects stand for two processes: locks belong to the open file.
@Suite struct PackUsesTests {
    @Test func whatIsUsedIsNotTakenAway() throws {
        try Scratch.with { scratch in
            let layout = AppRootLayout(root: scratch.path)
            let (app, other, service) = try (PackUses(of: layout), PackUses(of: layout), PackUses(of: layout))
            #expect(try !service.isUsed("a"))
            #expect(try app.hold("a"))
            #expect(try other.hold("a"))
            #expect(try service.isUsed("a"))
            #expect(try !service.isUsed("b"))
            app.letGo("a")
            #expect(try service.whileUnused("a") { true } == nil)
            other.letGo("a")
            #expect(try service.whileUnused("a") { true } == true)
            #expect(try !service.isUsed("a"))
        }
    }

    @Test func nobodyBeginsToUseWhatIsBeingTakenAway() throws {
        try Scratch.with { scratch in
            let layout = AppRootLayout(root: scratch.path)
            let (app, service) = try (PackUses(of: layout), PackUses(of: layout))
            let refused = try service.whileUnused("a") { try (app.hold("a"), app.hold("b")) }
            #expect(refused?.0 == false && refused?.1 == true)
            #expect(try app.hold("a"))
        }
    }

    @Test func whoWaitsGetsItAfterwards() throws {
        try Scratch.with { scratch in
            let layout = AppRootLayout(root: scratch.path)
            let (app, service) = try (PackUses(of: layout), PackUses(of: layout))
            let had = Monitor(false)
            try service.whileUnused("a") {
                try WorkerThread.start(name: "waits") {
                    let isHeld = (try? app.hold("a", waiting: true)) ?? false
                    had.withLock { $0 = isHeld }
                }
                #expect(!had.withLock { $0 })
            }
            #expect(had.wait(atMost: .seconds(60)) { $0 ? true : nil } == true)
            #expect(try service.isUsed("a"))
        }
    }

    @Test func theLimitIsSeenByAll() throws {
        try Scratch.with { scratch in
            let layout = AppRootLayout(root: scratch.path)
            let (app, service) = try (PackUses(of: layout), PackUses(of: layout))
            #expect(try app.limit == nil)
            try service.setLimit(5 << 30)
            #expect(try app.limit == 5 << 30)
            // A lock on any of the bytes is none of its business.
            #expect(try app.hold("a") && app.limit == 5 << 30)
            try service.setLimit(0)
            #expect(try app.limit == 0)
            try service.setLimit(nil)
            #expect(try app.limit == nil)
            try scratch.write("abc", to: "uses")
            #expect(try app.limit == nil)
        }
    }

    @Test func nothingOutlivesWhoUsesIt() throws {
        try Scratch.with { scratch in
            let layout = AppRootLayout(root: scratch.path)
            let service = try PackUses(of: layout)
            do {
                let app = try PackUses(of: layout)
                #expect(try app.hold("a"))
                #expect(try service.isUsed("a"))
            }
            #expect(try !service.isUsed("a"))
        }
    }
}

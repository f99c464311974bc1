// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System
import TestSupport
import Testing

struct NewFileTests {
    @Test func hasNoNameBeforeItIsPublished() throws {
        try Scratch.with { scratch in
            var file = try NewFile(at: scratch("new"))
            try file.descriptor.writeAll("content".utf8)
            #expect(!(try scratch.tree().contains("new")))
            try file.publish()
            #expect(try scratch.tree() == ["new"])
            #expect(try File.read(scratch("new")) == Array("content".utf8))
            #expect(
                try FileDescriptor.currentDirectory.status(at: scratch("new")).permissions.rawValue & 0o700 == 0o600)
        }
    }

    @Test func isGoneWhenItIsNotPublished() throws {
        try Scratch.with { scratch in
            do {
                let file = try NewFile(at: scratch("new"))
                try file.descriptor.writeAll("content".utf8)
            }
            #expect(try scratch.tree().isEmpty)
        }
    }

    @Test func neverReplaces() throws {
        try Scratch.with { scratch in
            try scratch.write("old", to: "taken")
            #expect(throws: Errno.fileExists) { _ = try NewFile(at: scratch("taken")) }
            var late = try NewFile(at: scratch("late"))
            try scratch.write("first", to: "late")
            do {
                try late.publish()
                Issue.record("published over another file")
            } catch {
                #expect(error as? Errno == .fileExists)
            }
            #expect(try File.read(scratch("late")) == Array("first".utf8))
        }
    }

    @Test func anotherNameStandsInWhereFilesMustHaveOne() throws {
        try Scratch.with { scratch in
            do {
                let file = try NewFile(at: scratch("new"), unnamed: false)
                try file.descriptor.writeAll("content".utf8)
                #expect(try scratch.tree().count == 1)
            }
            #expect(try scratch.tree().isEmpty)
            var file = try NewFile(at: scratch("new"), unnamed: false)
            try file.publish()
            #expect(try scratch.tree() == ["new"])
        }
    }

    @Test func needsItsFolder() throws {
        try Scratch.with { scratch -> Void in
            #expect(throws: Errno.noSuchFileOrDirectory) { _ = try NewFile(at: scratch("none/new")) }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import DeviceProtocol
import Kit
import System
import TestSupport
import Testing

@testable import DeviceService

/// How much extensions may write (C6, C7).
@Suite(.timeLimit(.minutes(5))) struct FolderBoundTests {
    private static let storage: Int64 = 1 << 20

    private static let small: [String: String?] = [
        "BAMaxInstallSize": "<integer>1000000</integer>", "BAEssentialMaxInstallSize": "<integer>1000000</integer>",
    ]

    /// Has the extension of an app that restricts itself fill a folder with files of so many KiB each.
    private func fill(
        _ folder: FolderBound.Folder, files: Int, of kibibytes: Int, stays: Bool = true, launched: Bool = false,
        storage: Int64? = storage
    ) async throws -> (trouble: String?, notes: [String]) {
        try await ExtensionHarness.with(storage: storage) { harness in
            let probe = try harness.subject()
            let path = folder == .scratch ? probe.scratch : try #require(probe.group)
            let words = "probe fill \(path) \(files) \(stays ? "" : "0 ")\(kibibytes)"
            let subject = try harness.probe(words) { $0.keys.merge(Self.small) { $1 } }
            if launched { try await harness.usage.change(ExtensionHarness.app) { $0.history.launched(at: 1) } }
            let trouble = await harness.ask(subject).trouble
            #expect(!FileDescriptor.currentDirectory.exists(at: subject.scratch), "it goes in any case")
            return (trouble, harness.notes.all.map(\.message))
        }
    }

    @Test func anExtensionThatOverfillsItsScratchIsEnded() async throws {
        let (trouble, notes) = try await fill(.scratch, files: 20, of: 100)
        #expect(trouble?.contains("in its scratch folder and was ended") == true, "\(String(describing: trouble))")
        #expect(notes == [trouble])
    }

    @Test func emptyFilesAreNotFree() async throws {
        let (trouble, _) = try await fill(.scratch, files: 300, of: 0)
        #expect(trouble?.contains("in its scratch folder and was ended") == true, "\(String(describing: trouble))")
    }

    @Test func whatIsWrittenAtTheLastMomentCounts() async throws {
        let (trouble, _) = try await fill(.scratch, files: 20, of: 100, stays: false)
        #expect(trouble?.contains("in its scratch folder") == true, "\(String(describing: trouble))")
    }

    @Test func withinItsBoundItIsLeftAlone() async throws {
        #expect(try await fill(.scratch, files: 5, of: 100, stays: false).trouble == nil)
        #expect(try await fill(.scratch, files: 20, of: 100, stays: false, storage: nil).trouble == nil)
    }

    @Test func beforeTheFirstLaunchTheGroupsFolderIsBounded() async throws {
        // Two megabytes by its install sizes, and one by the setting.
        let (trouble, _) = try await fill(.group, files: 40, of: 100)
        #expect(trouble?.contains("its app group's folder") == true, "\(String(describing: trouble))")
        #expect(try await fill(.group, files: 20, of: 100, stays: false).trouble == nil)
        #expect(try await fill(.group, files: 40, of: 100, stays: false, launched: true).trouble == nil)
    }

    @Test func oneLargeFileIsStoppedByTheKernel() async throws {
        try await ExtensionHarness.with(storage: Self.storage) { harness in
            let group = try harness.group
            let subject = try harness.probe("probe fill \(group) 1 8000") { $0.keys.merge(Self.small) { $1 } }
            let trouble = await harness.ask(subject).trouble
            #expect(trouble?.contains("its app group's folder") == true, "\(String(describing: trouble))")
            let size = try FileDescriptor.currentDirectory.status(at: group.appending("0")).size
            #expect(size == 2_000_000 + Self.storage, "not a byte more, however fast it writes")
        }
    }

    @Test func whatOthersPutIntoAGroupIsNoReasonToEndAnExtension() throws {
        try Scratch.with { scratch in
            var fixture = AppFixture()
            fixture.keys = AppFixture.managedKeys(manifestURL: "https://localhost/manifest").merging(Self.small) { $1 }
            let bundle = try AppBundleReader.bundle(at: try fixture.write(in: scratch.path))
            let paths = LarderPaths(state: scratch("s"), runtime: scratch("r"), configuration: scratch("c"))
            let subject = try #require(ExtensionSubject(bundle, paths: paths))
            func group(present: Int64, launched: Bool = false) -> Int64? {
                FolderBound.all(of: subject, storage: 10, wasLaunched: launched) { _ in present }
                    .first { $0.folder == .group }?.limit
            }
            #expect(group(present: 0) == 2_000_010)
            #expect(group(present: 2_000_000) == 2_000_010)
            #expect(group(present: 5_000_000) == 5_000_010)
            #expect(group(present: 0, launched: true) == nil)
            #expect(FolderBound.all(of: subject, storage: nil, wasLaunched: false) { _ in 0 } == [])
            var keys = bundle.backgroundAssets
            (keys.maxInstallSize, keys.essentialMaxInstallSize) = (.max, nil)
            #expect(FolderBound.allowance(keys) == .max, "the allowance stands in")
            keys.restrictions = nil
            #expect(FolderBound.allowance(keys) == nil)
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import BackgroundAssets
import Kit
import PackNamespace
import System
import TestSupport

/// Reads everything, over and over: one generation held open from end to end, then the same paths as an app reads them. It
/// begins again when something changes in the app's folder, and after a moment anyhow.
struct PackReading {
    let state: Monitor<ReaderState>
    let root: FilePath
    private let manager = AssetPackManager.shared
    /// What files must hold, once worked out.
    private let contents = Locked<[StampedFile: [UInt8]]>([:])

    init(state: Monitor<ReaderState>, root: FilePath) {
        self.state = state
        self.root = root
    }

    private struct Known: Hashable {
        var pack: String
        var path: String
    }

    func run() throws {
        let changes = try FolderChanges()
        var known: Set<Known> = []
        var round = 0
        while true {
            let before = state.withLock { $0 }
            let isWatched = (try? changes.add(root)) != nil
            let isThere = readGeneration(&known, before)
            for (number, file) in known.enumerated() where number % 3 == round % 3 {
                readAsApp(file, withDescriptor: number % 2 == 0, before)
            }
            round += 1
            state.withLock { $0.passes += 1 }
            // Whoever waits for passes gets them at once.
            if state.peek({ $0.wantedPasses > $0.passes }) { continue }
            if isWatched, isThere { changes.wait(milliseconds: 25) } else { usleep(2000) }
        }
    }

    // MARK: - One generation

    /// False when the app has none.
    private func readGeneration(_ known: inout Set<Known>, _ before: ReaderState) -> Bool {
        let handle: NamespaceHandle
        do {
            handle = try NamespaceHandle.openCurrent(of: AppRootLayout(root: root))
        } catch Errno.noSuchFileOrDirectory {
            missing(before.required.sorted(), "no generation", before)
            return false
        } catch {
            complain("the generation cannot be opened: \(error)", before)
            return false
        }
        let packs = handle.table.allPacks
        missing(
            before.required.subtracting(packs.map(\.id)).sorted(), "not in generation \(handle.table.generation)",
            before)
        for index in 0..<handle.table.entryCount {
            guard let entry = handle.table.entry(at: index) else {
                complain("generation \(handle.table.generation) has no entry \(index)", before)
                continue
            }
            let pack = packs[entry.pack]
            let path = String(decoding: entry.path, as: UTF8.self)
            known.insert(Known(pack: pack.id, path: path))
            let place = "generation \(handle.table.generation), pack \(pack.id) \(pack.version)"
            do {
                let file = try handle.open(entry)
                defer { try? file.close() }
                let bytes = try file.readAll()
                guard let found = check(bytes, path, place, before) else { continue }
                if found.pack != pack.id || found.version != Int(pack.version) || found.size != Int(entry.size) {
                    complain("\(place): \(path) is of \(found.pack) \(found.version)", before)
                }
            } catch {
                complain("\(place): \(path) cannot be read: \(error)", before)
            }
        }
        return true
    }

    // MARK: - As an app

    private func readAsApp(_ file: Known, withDescriptor: Bool, _ before: ReaderState) {
        do {
            let bytes: [UInt8]
            if withDescriptor {
                let descriptor = try manager.descriptor(for: FilePath(file.path), searchingInAssetPackWithID: file.pack)
                bytes = try descriptor.closeAfter { try descriptor.readAll() }
            } else {
                bytes = Array(try manager.contents(at: FilePath(file.path), searchingInAssetPackWithID: file.pack))
            }
            if let found = check(bytes, file.path, "read by the app", before), found.pack != file.pack {
                complain("\(file.path) of \(file.pack) came from \(found.pack)", before)
            }
        } catch let error as ManagedBackgroundAssetsError {
            guard case .fileNotFound = error else { return complain("\(file.path): \(error)", before) }
            if before.required.contains(file.pack) { missing([file.pack], "\(file.path) not found", before) }
        } catch {
            complain("\(file.path) of \(file.pack): \(error)", before)
        }
    }

    private func check(_ bytes: [UInt8], _ path: String, _ place: String, _ before: ReaderState) -> StampedFile? {
        state.withLock {
            $0.files += 1
            $0.bytes += bytes.count
        }
        switch bytes.withUnsafeBytes({ StampedFile.read($0, at: path, content: content) }) {
        case .success(let file): return file
        case .failure(let fault):
            // Whole files are whole even while the app goes: nothing excuses these.
            say("violation \(place): \(fault)")
            return nil
        }
    }

    private func content(_ file: StampedFile) -> [UInt8] {
        contents.withLock { contents in
            if let bytes = contents[file] { return bytes }
            // A damaged stamp may say anything.
            guard file.size < 1 << 20 else { return [] }
            let bytes = file.bytes
            contents[file] = bytes
            return bytes
        }
    }

    // MARK: - Telling

    /// What was allowed to happen at any time since `before` is no violation.
    private func missing(_ packs: [String], _ what: String, _ before: ReaderState) {
        let now = state.withLock { $0 }
        for pack in packs where now.required.contains(pack) && !now.isLoose && !before.isLoose {
            say("violation pack \(pack) is gone: \(what)")
        }
    }

    private func complain(_ what: String, _ before: ReaderState) {
        if before.isLoose || state.withLock({ $0.isLoose }) { return }
        say("violation \(what)")
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// What is to be done next for the updates to a version. Pure.
enum UpdateSteps {
    enum Step: Hashable {
        case makeIndex
        case makePatch(from: PatchSelection.Version)
        /// A file that was of no more use is so again.
        case relist(UpdateFile)
        /// The hosts that made it have ended in the middle too often.
        case giveUp(UpdateFile)
        case done
    }

    /// How often a file is begun: what ends a host must not do so for ever.
    static let attempts = 3

    /// - Parameters:
    ///   - bases: the versions from which there should be patches, the first to be made first.
    ///   - index: what is known of the version's index.
    ///   - patches: likewise of patches, by the identifiers of their bases.
    ///   - tried: the bases of patches that this job tried to make, and "" for the index: what there was no room for is tried
    ///     once more by each job.
    static func next(
        bases: [PatchSelection.Version], index: UpdateFile?, patches: [String: UpdateFile], tried: Set<String>
    ) -> Step {
        switch state(of: index, tried) {
        case .missing: return .makeIndex
        case .step(let step): return step
        case .settled: break
        }
        // Without an index devices cannot use a patch.
        guard index?.state == .listed else { return .done }
        for base in bases {
            switch state(of: patches[base.id], tried) {
            case .missing: if base.digest != nil { return .makePatch(from: base) }
            case .step(let step): return step
            case .settled: continue
            }
        }
        return .done
    }

    private enum Condition {
        case missing
        case settled
        case step(Step)
    }

    private static func state(of file: UpdateFile?, _ tried: Set<String>) -> Condition {
        switch file?.state {
        case nil: .missing
        case .pending: if let file, file.attempts >= attempts { .step(.giveUp(file)) } else { .missing }
        case .retired: file.map { .step(.relist($0)) } ?? .missing
        case .noRoom: tried.contains(file?.base?.id ?? "") ? .settled : .missing
        case .listed, .notSmaller, .tooSlow, .impossible, .failed: .settled
        }
    }
}

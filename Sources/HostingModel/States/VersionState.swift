// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// A version of a pack, from its announcement to what devices can have (BA 4.4).
package enum VersionState: String, StateMachine {
    case awaitingUpload = "AWAITING_UPLOAD"
    case processing = "PROCESSING"
    case failed = "FAILED"
    case complete = "COMPLETE"

    package enum Event: CaseIterable, Hashable, Sendable {
        /// All its files are there.
        case uploaded
        /// The files were checked and found sound.
        case processed
        /// They were not, or never came.
        case failed
    }

    package static let initial = VersionState.awaitingUpload

    package func next(_ event: Event) -> VersionState? {
        switch (self, event) {
        case (.awaitingUpload, .uploaded): .processing
        case (.processing, .processed): .complete
        case (.awaitingUpload, .failed), (.processing, .failed): .failed
        default: nil
        }
    }
}

/// One file of a version, from its reservation to its check (BA 4.4).
package enum UploadFileState: String, StateMachine {
    case awaitingUpload = "AWAITING_UPLOAD"
    case uploadComplete = "UPLOAD_COMPLETE"
    case complete = "COMPLETE"
    case failed = "FAILED"

    package enum Event: CaseIterable, Hashable, Sendable {
        /// The uploader says that all parts were sent, and they are there.
        case committed
        case processed
        case failed
    }

    package static let initial = UploadFileState.awaitingUpload

    package func next(_ event: Event) -> UploadFileState? {
        switch (self, event) {
        case (.awaitingUpload, .committed): .uploadComplete
        case (.uploadComplete, .processed): .complete
        case (.awaitingUpload, .failed), (.uploadComplete, .failed): .failed
        default: nil
        }
    }
}

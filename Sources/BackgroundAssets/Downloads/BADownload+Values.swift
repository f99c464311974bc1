// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

extension BADownload {
    /// How far a download has come.
    public enum State: Int, Sendable {
        /// It ended with an error.
        case failed = -1
        /// It was made and not yet scheduled.
        case created = 0
        /// It is scheduled.
        case waiting = 1
        /// Bytes arrive.
        case downloading = 2
        /// The file is there.
        case finished = 3
    }

    /// The place of a download among the app's own; it means nothing across apps.
    public struct Priority: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) { self.rawValue = rawValue }

        public init(_ rawValue: Int) { self.rawValue = rawValue }

        /// The lowest priority.
        public static let min = Priority(-100)
        /// The priority of a download that names none.
        public static let `default` = Priority(0)
        /// The highest priority.
        public static let max = Priority(100)
    }
}

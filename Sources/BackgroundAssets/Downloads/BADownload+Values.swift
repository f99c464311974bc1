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

    /// The place of a download among the app's own; it means nothing across apps. Apple publishes no numbers for the three
    /// names; those here are Larder's, so compare with the names.
    public struct Priority: RawRepresentable, Hashable, Sendable {
        /// The value as a number or a name.
        public let rawValue: Int

        /// Makes the value that this raw value stands for.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Makes the value that this raw value stands for.
        public init(_ rawValue: Int) { self.rawValue = rawValue }

        /// The lowest priority.
        public static let min = Priority(-100)
        /// The priority of a download that names none.
        public static let `default` = Priority(0)
        /// The highest priority.
        public static let max = Priority(100)
    }
}

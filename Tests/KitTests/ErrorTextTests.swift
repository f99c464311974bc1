// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Kit
import System
import Testing

/// Errors as parts of sentences.
@Suite struct ErrorTextTests {
    private struct Trouble: LarderError {
        let codeName = "test.trouble"
        let message: String
        let cause: (any Error)?

        init(_ message: String, cause: (any Error)? = nil) {
            self.message = message
            self.cause = cause
        }
    }

    @Test func aSentenceEndsOnce() {
        let inner = Trouble("The disk is full.")
        #expect("It could not be written: \(inner.clause)." == "It could not be written: The disk is full.")
        #expect("\(Errno.noSuchFileOrDirectory.clause)." == "No such file or directory.")
        #expect("And so on...".clause == "And so on...")
        #expect("".clause == "")
    }

    @Test func aCauseIsSaidOnce() {
        let cause = Errno.noSuchFileOrDirectory
        #expect(
            Trouble("Could not read \"a\": \(cause.clause).", cause: cause).description
                == "Could not read \"a\": No such file or directory.")
        #expect(
            Trouble("Could not read \"a\".", cause: cause).description
                == "Could not read \"a\". (No such file or directory)")
        let inner = Trouble("The disk is full.")
        #expect(Trouble("It is not there.", cause: inner).description == "It is not there. (The disk is full)")
    }
}

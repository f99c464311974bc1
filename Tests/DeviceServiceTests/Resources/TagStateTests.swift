// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Testing

@testable import DeviceService

@Suite struct TagStateTests {
    private typealias Pack = TagState.Pack

    @Test func everyStateHasItsFacts() {
        let local = Pack(isLocal: true)
        let used = Pack(isLocal: true, isUsed: true)
        let missing = Pack(isLocal: false)
        #expect(TagState.state([missing, missing]) == .notDownloaded)
        #expect(TagState.state([local, local]) == .downloaded)
        #expect(TagState.state([local, missing]) == .partiallyDownloaded)
        #expect(TagState.state([Pack(isLocal: false, downloaded: 1), missing]) == .partiallyDownloaded)
        #expect(TagState.state([local, Pack(isLocal: false, isDownloading: true)]) == .downloading)
        #expect(TagState.state([used, used]) == .inUse)
        // A pack that another tag's request uses makes no use of this one.
        #expect(TagState.state([used, local]) == .downloaded)
        #expect(TagState.state([missing, Pack(isLocal: false, wasPurged: true)]) == .purged)
        #expect(TagState.state([]) == .downloaded)
    }

    /// What is waited for counts as used before it is there.
    @Test func whatIsUsedAndNotThereIsNotInUse() {
        #expect(TagState.state([Pack(isLocal: false, isDownloading: true, isUsed: true)]) == .downloading)
        #expect(TagState.state([Pack(isLocal: false, isUsed: true)]) == .notDownloaded)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import DeviceProtocol
internal import Kit
internal import System

extension DownloadStep {
    /// Puts the receipt down: app or extension has heard of this end, whatever becomes of it or of the service from here on.
    /// What keeps it from that is passed over, since the acknowledgement follows.
    func leaveReceipt() {
        guard let path = receipt.map({ FilePath($0) }) else { return }
        let here = FileDescriptor.currentDirectory
        try? here.makeDirectories(at: path.removingLastComponent(), permissions: .directoryPrivate)
        _ = try? OwnedDescriptor(path, .writeOnly, options: [.create, .noFollow], permissions: .filePrivate)
    }
}

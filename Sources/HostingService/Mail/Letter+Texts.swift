// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import HostingModel
internal import Kit

extension Letter {
    /// Tells those who are to know that a version was refused.
    init(
        refusing version: ResourceRecord, of pack: ResourceRecord, _ app: ResourceRecord?, _ detail: StateDetail,
        seconds: Int64
    ) {
        let (name, number) = (pack.text("assetPackIdentifier") ?? "", version.integer("version") ?? 0)
        let bundleID = app?.text("bundleId") ?? ""
        id = Identifier.random()
        subject = "\(name) \(number) of \(bundleID) was refused"
        text = """
            Version \(number) of the asset pack "\(name)" of \(app?.text("name") ?? "") (\(bundleID)) was uploaded and found \
            unsound:

            \(detail.description) (\(detail.code))

            The version's identifier is \(version.id). Correct the pack, and upload it again as a new version.
            """
        self.seconds = seconds
    }

    /// Tells them that a rollout was halted.
    init(halted rollout: HaltedRollout, of bundleID: String, _ channel: Channel, seconds: Int64) {
        id = Identifier.random()
        subject = "The rollout of \(rollout.pack) \(rollout.number) of \(bundleID) was halted"
        text = """
            Version \(rollout.number) of the asset pack "\(rollout.pack)" of \(bundleID) was being rolled out in the channel \
            \(channel.rawValue), and too many devices could not use it:

            \(rollout.detail.description) (\(rollout.detail.code))

            Devices that have it keep it; no other device gets it. The rollout's identifier is \(rollout.id). Take the version \
            back with 'larder rollout rollback', or go on with 'larder rollout resume'.
            """
        self.seconds = seconds
    }
}

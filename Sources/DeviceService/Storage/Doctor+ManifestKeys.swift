// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import AssetPacks
import DeviceProtocol
import Kit

extension Doctor {
    /// Whose manifests an app takes, and how long the last one is good.
    func manifestKeys(of record: AppRecord, _ bundle: AppBundle) async throws -> DoctorFinding? {
        guard let anchor = bundle.backgroundAssets.manifestKeys?.keySet(app: record.id) else { return nil }
        let subject = "\(record.id): manifest keys"
        let remembered = try await registry.manifestTrust(record.id)
        let trust = ManifestTrust.current(remembered, anchor: anchor)
        let role = trust.keySet.manifest
        let keys =
            "Manifests need \(role.threshold) of \(role.keys.count) "
            + "\(role.keys.count == 1 ? "signature" : "signatures") "
            + "(keys of version \(trust.keySet.version))"
        if try await settings.urlOverride() != nil {
            return DoctorFinding(
                severity: "warning", subject: subject,
                message: "\(keys), but are not checked while a developer's server stands in for the app's own.",
                advice: "For normal use run `ba-serve url-override --clear`.")
        }
        if let refusal = await refusal(record.id) {
            return DoctorFinding(
                severity: "warning", subject: subject,
                message: "\(keys). What the server gave last was refused: \(refusal)",
                advice: "Run `larder check \(record.id)`. If it is refused again, tell the app's publisher.")
        }
        guard remembered != nil else {
            return DoctorFinding(severity: "ok", subject: subject, message: "\(keys); none was accepted yet.")
        }
        // An extension of unmanaged downloads is handed its manifest, which is not kept.
        guard let (body, source) = try await registry.manifestBody(record.id),
            let publication = try? SignedManifest(body, source: source).publication
        else {
            return DoctorFinding(
                severity: "ok", subject: subject,
                message: "\(keys). None below generation \(trust.leastGeneration) is accepted.")
        }
        let end = ManifestPublication.text(of: publication.expires)
        guard publication.expires > now() else {
            return DoctorFinding(
                severity: "warning", subject: subject,
                message:
                    "\(keys). That of generation \(publication.generation) expired on \(end), and no newer one "
                    + "was accepted. "
                    + "This device's clock says \(ManifestPublication.text(of: now())).",
                advice: "Run `larder check \(record.id)`. If the clock is right and it fails, tell the app's publisher."
            )
        }
        return DoctorFinding(
            severity: "ok", subject: subject,
            message: "\(keys). That of generation \(publication.generation) is good until \(end).")
    }
}

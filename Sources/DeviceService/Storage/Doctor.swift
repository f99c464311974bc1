// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import AppBundles
package import DeviceProtocol
import HTTP
import Kit
import System

/// Looks at the service and the installed apps and says what is wrong and what to put where (B7).
struct Doctor: Sendable {
    let registry: AppRegistry
    let bundles: BundleStore
    let settings: SettingsStore
    let trust: TrustStore
    let paths: LarderPaths
    let space: SpaceKeeper
    let sandbox: @Sendable () -> ExtensionSandbox
    let now: @Sendable () -> Timestamp
    /// Why the last manifest of an app was refused, if it was.
    let refusal: @Sendable (_ app: String) async -> String?

    func examine(_ app: String?) async throws -> [DoctorFinding] {
        if let app { return try await examine(app: try await registry.existing(app)) }
        var findings = try await examineService()
        for record in try await registry.apps() { findings += try await examine(app: record) }
        return findings
    }

    private func examineService() async throws -> [DoctorFinding] {
        let paths = paths
        let space = try await space.measure()
        var findings = [
            space.available < 1 << 30
                ? DoctorFinding(
                    severity: "warning", subject: paths.state.string,
                    message: "Only \(ByteCount.formatted(space.available)) are free.", advice: "Free some space.")
                : DoctorFinding(
                    severity: "ok", subject: paths.state.string,
                    message: "\(ByteCount.formatted(space.available)) are free.")
        ]
        if let finding = try await offload({ Self.downloads() }) { findings.append(finding) }
        let sandbox = sandbox()
        findings.append(
            try await offload { sandbox.trouble() }.map {
                DoctorFinding(
                    severity: sandbox.mode == .required ? "error" : "warning", subject: "extensions",
                    message: $0.message, advice: $0.advice)
            } ?? DoctorFinding(severity: "ok", subject: "extensions", message: "Extensions run in a sandbox."))
        if let override = try await settings.urlOverride() {
            findings.append(
                DoctorFinding(
                    severity: "warning", subject: "url-override",
                    message: "Every app's packs come from \(override) instead of the app's own server.",
                    advice: "For normal use run `ba-serve url-override --clear`."))
        }
        let names = try await trust.names()
        if !names.isEmpty {
            findings.append(
                DoctorFinding(
                    severity: "ok", subject: "trust",
                    message: "Trusted besides the system's: \(names.joined(separator: ", "))."))
        }
        return findings
    }

    /// What keeps everything from being fetched.
    private static func downloads() -> DoctorFinding? {
        do throws(HTTPClientError) {
            try HTTPClient.checkLibrary()
            return nil
        } catch {
            return DoctorFinding(
                severity: "error", subject: "downloads", message: "\(error)",
                advice: "Install the package libcurl4; the service need not be started again.")
        }
    }

    private func examine(app record: AppRecord) async throws -> [DoctorFinding] {
        let path = paths.appRoot(record.id).appending(record.basePath)
        do {
            let result = try await offload { try AppBundleReader.read(path) }
            var findings = result.findings.map { DoctorFinding($0, of: record.id) }
            if findings.isEmpty {
                findings = [
                    DoctorFinding(severity: "ok", subject: record.id, message: "The bundle is as it should be.")
                ]
            }
            if let bundle = result.bundle, let finding = try await manifestKeys(of: record, bundle) {
                findings.append(finding)
            }
            return findings
        } catch {
            return [
                DoctorFinding(
                    severity: "error", subject: record.id, message: "\(error)", advice: "Install the app again.")
            ]
        }
    }
}

extension DoctorFinding {
    /// A finding about a bundle, under the name of what it belongs to.
    package init(_ finding: BundleFinding, of name: String) {
        self.init(
            severity: finding.severity.rawValue, subject: "\(name): \(finding.subject)", message: finding.message,
            advice: finding.advice)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import DeviceProtocol
import Kit
import System

extension DeviceCommands {
    static let doctor = Command(
        "doctor", summary: "Look for what is wrong, and say what to put where",
        discussion: """
            Given a bundle, it is checked without the service, before installing. Given an installed app's id, or nothing, \
            the service checks its state and the apps' set-up. Ends with 0 when nothing is wrong, 4 when something is.
            """,
        examples: [
            .init("larder doctor TheCoast.app", "checks a bundle's Info.plist and extension"),
            .init("larder doctor", "checks the service and every installed app"),
        ],
        options: [.json],
        arguments: [
            CommandArgument(
                "subject", "A Name.app folder, or an app's bundle id.", isOptional: true, completion: .directory)
        ]
    ) { arguments, context in
        let subject = arguments.argument("subject")
        let findings: [DoctorFinding]
        if let subject, subject.contains("/") || subject.hasSuffix(".app") {
            findings = try await offload { try check(bundle: context.absolute(context.resolve(subject))) }
        } else {
            findings =
                environmentFindings(context) + (try await Device.send(DoctorRequest(app: subject), context)).findings
        }
        return try report(findings, context)
    }

    /// What is wrong with a bundle that need not be installed.
    static func check(bundle path: FilePath) throws -> [DoctorFinding] {
        let result = try AppBundleReader.read(path)
        let findings = result.findings.map {
            DoctorFinding(severity: $0.severity.rawValue, subject: $0.subject, message: $0.message, advice: $0.advice)
        }
        if let bundle = result.bundle, findings.isEmpty {
            return [DoctorFinding(severity: "ok", subject: bundle.identifier, message: "The bundle may be installed.")]
        }
        return findings
    }

    /// What only the person's own process can see.
    private static func environmentFindings(_ context: CommandContext) -> [DoctorFinding] {
        guard context.environment["LARDER_HOME"] == nil, context.environment["LARDER_SYSTEM"] != "1",
            context.environment["XDG_RUNTIME_DIR"]?.isEmpty ?? true
        else { return [] }
        return [
            DoctorFinding(
                severity: "warning", subject: "XDG_RUNTIME_DIR",
                message: "It is not set, so the service's socket is in /tmp.",
                advice: "Log in through a session that sets it, as systemd's does, or set LARDER_HOME.")
        ]
    }

    private static func report(_ findings: [DoctorFinding], _ context: CommandContext) throws -> ExitCode {
        for finding in findings {
            if context.json {
                try context.print(encoding: finding)
            } else {
                context.print("\(finding.severity): \(finding.subject): \(finding.message)")
                if let advice = finding.advice, !advice.isEmpty { context.print("    \(advice)") }
            }
        }
        if !context.json { context.print(summary(of: findings)) }
        return findings.contains { $0.severity == "error" } ? .badInput : .success
    }

    /// What is well counts for nothing.
    static func summary(of findings: [DoctorFinding]) -> String {
        func count(_ severity: String) -> Int { findings.count { $0.severity == severity } }
        let (errors, warnings) = (count("error"), count("warning"))
        func things(_ count: Int) -> String { count == 1 ? "1 thing is" : "\(count) things are" }
        return switch (errors, warnings) {
        case (0, 0): "Nothing is wrong."
        case (0, _): "Nothing is broken; \(things(warnings)) worth a look."
        default: "\(things(errors)) wrong."
        }
    }
}

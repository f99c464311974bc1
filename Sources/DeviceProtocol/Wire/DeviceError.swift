// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit

/// What went wrong between a client and the device service, on either side of the socket.
///
/// It is also what travels: a code a program can act on, a message for a person, and details such as figures or ids.
package struct DeviceError: LarderError, Codable, Hashable {
    /// A stable, dotted name. Codes this version does not know are kept as they came.
    package struct Code: RawRepresentable, Codable, Hashable, Sendable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }

        package init(from decoder: any Decoder) throws {
            rawValue = try decoder.singleValueContainer().decode(String.self)
        }

        package func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(rawValue)
        }
    }

    package var code: Code
    package var message: String
    /// Figures, ids and paths that belong to the message, as strings.
    package var details: [String: String]

    package init(_ code: Code, _ message: String, details: [String: String] = [:]) {
        self.code = code
        self.message = message
        self.details = details
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        code = try container.decode(Code.self, forKey: .code)
        message = try container.decodeIfPresent(String.self, forKey: .message) ?? code.rawValue
        details = try container.decodeIfPresent([String: String].self, forKey: .details) ?? [:]
    }

    package var codeName: String { code.rawValue }
    package var cause: (any Error)? { nil }

    /// A server that is not trusted is that before it is a server that cannot be asked.
    package var exitCode: ExitCode {
        let own = ExitCode(codeName: codeName)
        guard own == .network, let cause = details["cause"], ExitCode(codeName: cause) == .refused else { return own }
        return .refused
    }
}

extension DeviceError.Code {
    /// No service answers on the socket.
    package static let unavailable = Self(rawValue: "device.unavailable")
    /// The other end went away while an answer was due.
    package static let disconnected = Self(rawValue: "device.disconnected")
    /// The two sides speak protocol versions that do not meet.
    package static let incompatible = Self(rawValue: "device.incompatible")
    /// The service does not know the request's name.
    package static let unknownMethod = Self(rawValue: "device.unknownMethod")
    /// A message that is not of the protocol, or whose parameters do not fit its method.
    package static let badMessage = Self(rawValue: "device.badMessage")
    /// The peer's user is not the service's, or an app asked for another app's packs.
    package static let refused = Self(rawValue: "device.refused")
    package static let cancelled = Self(rawValue: "device.cancelled")
    /// A fault inside the service; the message names it.
    package static let failed = Self(rawValue: "device.failed")

    package static let appNotFound = Self(rawValue: "app.notFound")
    package static let appBusy = Self(rawValue: "app.busy")
    package static let badBundle = Self(rawValue: "app.badBundle")
    package static let notLaunchable = Self(rawValue: "app.notLaunchable")
    package static let packNotFound = Self(rawValue: "pack.notFound")
    package static let manifestUnavailable = Self(rawValue: "manifest.unavailable")
    package static let badManifest = Self(rawValue: "manifest.bad")
    /// The app takes signed manifests only, and this one's signatures, app, generation or time are not what they must be.
    package static let refusedManifest = Self(rawValue: "manifest.refused")
    package static let noSpace = Self(rawValue: "store.noSpace")
    package static let restricted = Self(rawValue: "restriction.exceeded")
    package static let domainNotAllowed = Self(rawValue: "restriction.domain")
    /// Extensions cannot be confined here, so none is run.
    package static let noSandbox = Self(rawValue: "extension.noSandbox")
    /// No trusted authority has this name.
    package static let authorityNotFound = Self(rawValue: "trust.notFound")
    package static let badSetting = Self(rawValue: "setting.bad")
}

extension DeviceError {
    /// Any error as it goes over the wire: errors of the house keep code and message, others become `device.failed`.
    package init(wrapping error: any Error) {
        switch error {
        case let error as DeviceError: self = error
        case let error as any LarderError:
            self.init(Code(rawValue: error.codeName), error.description)
        case is CancellationError: self.init(.cancelled, "The request was cancelled.")
        default: self.init(.failed, "\(error)")
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import HostingModel
package import Kit

/// Why a host did not do what it was asked for.
package struct HostingClientError: LarderError {
    /// The kind of failure; more may be added.
    package struct Code: Hashable, Sendable {
        package let name: String

        /// Who asks, and with which key, is not known, or not as it must be.
        package static let credentials = Code(name: "hosting.credentials")
        /// The host does not let this key do that.
        package static let refused = Code(name: "hosting.refused")
        package static let notFound = Code(name: "hosting.notFound")
        /// What was asked for is wrong, or not possible as things stand.
        package static let badRequest = Code(name: "hosting.bad-request")
        /// The host has trouble of its own, or does not answer as App Store Connect does.
        package static let host = Code(name: "hosting.host")
        /// What was uploaded was found unsound.
        package static let failed = Code(name: "hosting.processing-failed")
    }

    package let code: Code
    package let message: String
    package let cause: (any Error)?
    /// The status of the host's answer, when that is the failure.
    package let status: Int?
    /// The host's code of its first error: `ENTITY_ERROR.ATTRIBUTE.REQUIRED`.
    package let apiCode: String?

    package init(
        _ code: Code, _ message: String, status: Int? = nil, apiCode: String? = nil, cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.status = status
        self.apiCode = apiCode
        self.cause = cause
    }

    package var codeName: String { code.name }

    package var exitCode: ExitCode {
        switch code {
        case .credentials, .refused: .refused
        case .notFound: .notFound
        case .badRequest, .failed: .badInput
        default: .network
        }
    }

    /// What an answer that is no success means.
    init(status: Int, body: [UInt8], _ request: String) {
        let errors = (try? JSONParser.parse(body).value)?["errors"]?.arrayValue ?? []
        let details = errors.compactMap { $0["detail"]?.stringValue ?? $0["title"]?.stringValue }
        let words = details.isEmpty ? "It answered \(request) with status \(status)." : details.joined(separator: " ")
        let code: Code =
            switch status {
            case 401: .credentials
            case 403: .refused
            case 404: .notFound
            case 400, 405, 409, 413, 422: .badRequest
            default: .host
            }
        self.init(
            code, "The host says: \(Self.printable(words))", status: status,
            apiCode: errors.first?["code"]?.stringValue)
    }

    /// Words of others on one line, without what a terminal would obey.
    private static func printable(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.prefix(2000).unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
    }
}

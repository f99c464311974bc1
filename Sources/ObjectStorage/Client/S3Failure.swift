// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import HTTP
internal import Kit

/// What a store's refusal means. Pure.
struct S3Failure {
    let status: Int
    /// The store's own name for it, `NoSuchKey`; empty when it gave none.
    let code: String
    /// The store's words, printable.
    let words: String

    /// - Parameter body: of the answer; a HEAD request's has none.
    init(status: Int, body: [UInt8]) {
        self.status = status
        let document = XMLElement.parse(body)
        let error = document?.name == "Error" ? document : nil
        code = error?.text("Code") ?? ""
        let scalars = (error?.text("Message") ?? "").unicodeScalars.prefix(300)
        words = String(
            String.UnicodeScalarView(scalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
    }

    /// Whether the same request may well succeed a little later.
    var isTransient: Bool {
        switch code {
        case "SlowDown", "InternalError", "ServiceUnavailable", "RequestTimeout", "ThrottlingException",
            "OperationAborted":
            true
        case "NotImplemented": false
        default: [408, 425, 429, 500, 502, 503, 504].contains(status)
        }
    }

    /// The error for a person.
    /// - Parameter what: what could not be done, as a beginning of a sentence: "The object a/b in the bucket c cannot be read".
    func error(_ what: String, at location: S3Location) -> ObjectStorageError {
        let answer = code.isEmpty ? "status \(status)" : "\(code)\(words.isEmpty ? "" : ", \(words)")"
        let (kind, advice) = meaning(location)
        return ObjectStorageError(kind, "\(what): the store answers \(answer).\(advice.isEmpty ? "" : " \(advice)")")
    }

    private func meaning(_ location: S3Location) -> (ObjectStorageErrorCode, String) {
        switch code {
        case "NoSuchBucket":
            return (
                .badSetting,
                "There is no bucket \(location.bucket) at \(location.endpoint). Make it, or correct --storage."
            )
        case "NoSuchUpload": return (.noUpload, "")
        case "InvalidPart", "InvalidPartOrder", "EntityTooSmall", "PreconditionFailed": return (.changed, "")
        case "SignatureDoesNotMatch", "InvalidAccessKeyId", "ExpiredToken", "InvalidToken":
            return (.refused, "Check the credentials that the host is given.")
        case "RequestTimeTooSkewed": return (.refused, "Set this machine's clock.")
        case "PermanentRedirect", "TemporaryRedirect", "AuthorizationHeaderMalformed",
            "IllegalLocationConstraintException":
            return (.badSetting, "Name the bucket's own region, and its endpoint, in --storage.")
        case "NotImplemented", "MethodNotAllowed": return (.unsupported, "")
        case "AccessDenied": return meaning(403, location)
        default: break
        }
        return meaning(status, location)
    }

    private func meaning(_ status: Int, _ location: S3Location) -> (ObjectStorageErrorCode, String) {
        switch status {
        case 301, 302, 307, 308:
            return (.badSetting, "Name the bucket's own region, and its endpoint, in --storage.")
        case 401, 403:
            return (
                .refused,
                "Let the host's key list the bucket, read, write and delete objects, and list and abort multipart uploads."
            )
        case 404: return (.notFound, "")
        case 405, 501: return (.unsupported, "")
        case 412: return (.changed, "")
        default: return (.unavailable, "Check that the store is well.")
        }
    }
}

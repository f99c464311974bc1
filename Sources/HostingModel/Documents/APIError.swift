// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit

/// Why a request is refused, in App Store Connect's words and shape.
package struct APIError: Error, Hashable, Sendable {
    /// What in the request is meant.
    package enum Source: Hashable, Sendable {
        /// A place in the body: `/data/attributes/fileName`.
        case pointer(String)
        /// An argument of the query.
        case parameter(String)
    }

    package let status: Int
    /// Dotted, from the general to the particular: `ENTITY_ERROR.ATTRIBUTE.REQUIRED`.
    package let code: String
    package let title: String
    package let detail: String
    package var source: Source?

    package init(_ status: Int, _ code: String, _ title: String, _ detail: String, source: Source? = nil) {
        self.status = status
        self.code = code
        self.title = title
        self.detail = detail
        self.source = source
    }

    /// - Parameter id: tells this error from all others, for the log.
    package func json(id: String) -> JSONValue {
        var members: [String: JSONValue] = [
            "id": .string(id), "status": .string("\(status)"), "code": .string(code), "title": .string(title),
            "detail": .string(detail),
        ]
        switch source {
        case .pointer(let pointer): members["source"] = ["pointer": .string(pointer)]
        case .parameter(let name): members["source"] = ["parameter": .string(name)]
        case nil: break
        }
        return .object(members)
    }
}

extension APIError {
    package static func notAuthorized(_ detail: String) -> APIError {
        APIError(401, "NOT_AUTHORIZED", "Authentication credentials are missing or invalid.", detail)
    }

    package static func forbidden(_ detail: String) -> APIError {
        APIError(403, "FORBIDDEN_ERROR", "This request is forbidden for security reasons.", detail)
    }

    package static func notFound(_ type: ResourceType, _ id: String) -> APIError {
        APIError(
            404, "NOT_FOUND", "The specified resource does not exist.",
            "There is no resource of type '\(type)' with id '\(id.prefix(64))'.")
    }

    package static let noSuchPath = APIError(
        404, "PATH_ERROR", "The requested path does not exist.", "Nothing is served under this path.")

    package static func methodNotAllowed(_ allowed: [String]) -> APIError {
        APIError(
            405, "METHOD_NOT_ALLOWED", "The method is not allowed here.",
            "This path takes \(allowed.joined(separator: ", ")).")
    }

    package static func parameter(_ kind: String, _ name: String, _ title: String, _ detail: String) -> APIError {
        APIError(400, "PARAMETER_ERROR.\(kind)", title, detail, source: .parameter(name))
    }

    package static func malformed(_ detail: String) -> APIError {
        APIError(400, "ENTITY_ERROR.INVALID", "The request's body is not what is needed.", detail)
    }

    /// - Parameter kind: `REQUIRED`, `INVALID`, `TYPE` or `UNKNOWN`.
    package static func attribute(_ kind: String, _ name: String, _ detail: String) -> APIError {
        APIError(
            409, "ENTITY_ERROR.ATTRIBUTE.\(kind)", "An attribute of the request is wrong.", detail,
            source: .pointer("/data/attributes/\(name)"))
    }

    package static func relationship(_ kind: String, _ name: String, _ detail: String) -> APIError {
        APIError(
            409, "ENTITY_ERROR.RELATIONSHIP.\(kind)", "A relationship of the request is wrong.", detail,
            source: .pointer("/data/relationships/\(name)"))
    }

    /// What is asked for cannot be done as things stand.
    package static func state(_ detail: String) -> APIError { state("STATE_ERROR", detail) }

    package static func state(_ code: String, _ detail: String) -> APIError {
        APIError(409, code, "The request cannot be fulfilled because of the state of another resource.", detail)
    }

    /// - Parameter pointer: where in the body.
    package static func unprocessable(_ pointer: String, _ detail: String) -> APIError {
        APIError(
            422, "ENTITY_UNPROCESSABLE", "The request's body cannot be processed.", detail, source: .pointer(pointer))
    }

    /// - Parameter limit: in bytes.
    package static func bodyTooLong(_ limit: Int) -> APIError {
        APIError(
            413, "ENTITY_ERROR.TOO_LONG", "The request's body is too long.",
            "The body of this request may have \(limit) bytes.")
    }

    package static let unexpected = APIError(
        500, "UNEXPECTED_ERROR", "Something went wrong on this side.",
        "The request could not be fulfilled; the log of the host says why. Try again later.")
}

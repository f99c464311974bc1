// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import HTTP
internal import HostingModel
internal import Kit

extension HTTPServerResponse {
    /// A document of the interface.
    static func document(_ status: Int = 200, _ value: JSONValue) -> HTTPServerResponse {
        var response = json(Array(value.serialized().utf8))
        response.status = status
        response.headers["Cache-Control"] = "no-store"
        return response
    }

    /// A document of errors. The identifier tells it from all others, in the log too.
    static func refusal(_ error: APIError, id: String) -> HTTPServerResponse {
        var response = document(error.status, ["errors": [error.json(id: id)]])
        if error.status == 401 { response.headers["WWW-Authenticate"] = "Bearer" }
        return response
    }

    static let noContent = HTTPServerResponse(status: 204)
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Crypto
internal import HTTP
internal import HostingModel
internal import Kit

/// The addresses that parts are sent to. Each names its part and how long it is good for, and is signed, so that it needs
/// no token and no look into the database before the first byte is taken.
struct UploadAddresses: Sendable {
    private let context: HostContext

    init(_ context: HostContext) { self.context = context }

    /// - Parameter expiry: seconds since 1970.
    func url(for upload: String, _ part: UploadPlan.Part, expiry: Int64) -> String {
        let signature = signature(upload, part.number, part.offset, part.length, expiry)
        return "\(context.baseURL)/uploads/\(upload)/\(part.number)?offset=\(part.offset)&length=\(part.length)"
            + "&expires=\(expiry)&signature=\(Base64URL.encode(signature))"
    }

    /// What an address leads to.
    struct Target: Sendable {
        let upload: String
        let part: UploadPlan.Part
    }

    /// - Throws: `APIError` for an address that was not given out here, or is too old.
    func target(of request: HTTPServerRequest) throws(APIError) -> Target {
        let segments = request.path.split(separator: "/")
        func argument(_ name: String) -> String { request.query.first { $0.name == name }?.value ?? "" }
        guard segments.count == 3, let number = Int(segments[2]), let offset = Int64(argument("offset")),
            let length = Int64(argument("length")), let expiry = Int64(argument("expires")),
            let given = Base64URL.decode(argument("signature"))
        else { throw .forbidden("This is no address to upload to.") }
        let upload = String(segments[1])
        guard MessageAuthentication.areEqual(given, signature(upload, number, offset, length, expiry)) else {
            throw .forbidden("This address was not given out here.")
        }
        guard expiry > context.clock().seconds else {
            throw .forbidden("This address has expired. Read the upload file again for new ones.")
        }
        return Target(upload: upload, part: UploadPlan.Part(number: number, offset: offset, length: length))
    }

    private func signature(
        _ upload: String, _ number: Int, _ offset: Int64, _ length: Int64, _ expiry: Int64
    ) -> [UInt8] {
        let text = "upload\n\(upload)\n\(number)\n\(offset)\n\(length)\n\(expiry)"
        return MessageAuthentication.hmacSHA256(text.utf8, key: context.addressSecret).bytes
    }
}

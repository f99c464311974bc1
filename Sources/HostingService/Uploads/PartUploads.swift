// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Database
internal import HTTP
internal import HostingModel
internal import Kit
internal import System

/// Takes the parts of uploads: in any order, side by side, repeated, and only while the file waits for them.
struct PartUploads: Sendable {
    private let context: HostContext
    private let addresses: UploadAddresses

    init(_ context: HostContext) {
        self.context = context
        addresses = UploadAddresses(context)
    }

    func addRoutes(to router: inout Router) {
        router.add("PUT", "/uploads/{id}/{part}", .open) { try await finish($0) }
    }

    /// What is to be done with the body, when a request for a part has come. On a thread of the server.
    func plan(for request: HTTPServerRequest) -> BodyPlan {
        do {
            let target = try addresses.target(of: request)
            if let length = request.headers["Content-Length"], Int64(length) != target.part.length {
                throw wrongLength(target.part.length, length)
            }
            return .receiver(try context.blobs.beginPart(of: target.upload, target.part))
        } catch let error as APIError {
            return .refuse(.refusal(error, id: Identifier.random()))
        } catch Errno.noSuchFileOrDirectory {
            return .refuse(.refusal(Self.finished, id: Identifier.random()))
        } catch {
            context.log.error("A part could not be taken.", ["error": "\(error)", "path": request.path])
            return .refuse(.refusal(.unexpected, id: Identifier.random()))
        }
    }

    /// The whole body is there.
    private func finish(_ request: RouteRequest) async throws -> HTTPServerResponse {
        let target = try addresses.target(of: request.http)
        guard let receiver = request.http.receiver as? any PartReceiver else { throw APIError.unexpected }
        let file = try await context.database.read { store in
            try UploadKind.all.lazy.compactMap { try store.record($0.file, target.upload) }.first
        }
        guard let file else { throw APIError.notFound(.backgroundAssetUploadFiles, target.upload) }
        guard file.state(UploadFileState.self) == .awaitingUpload else {
            throw Self.finished
        }
        do {
            let md5 = try await receiver.finish()
            return HTTPServerResponse(status: 200, headers: ["ETag": "\"\(md5)\"", "Cache-Control": "no-store"])
        } catch let error as PartLengthError {
            throw wrongLength(error.expected, "\(error.actual)")
        }
    }

    private static let finished = APIError.state(
        "STATE_ERROR.UPLOAD_FINISHED", "The upload of this file is finished.")

    private func wrongLength(_ expected: Int64, _ actual: String) -> APIError {
        APIError(
            400, "PART_SIZE_ERROR", "The part has a wrong length.",
            "This part has \(expected) bytes, and \(actual.prefix(20)) came.")
    }
}

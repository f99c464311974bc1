// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import HTTP
internal import HostingModel
internal import Kit

/// Takes each request through its route: who asks, may he, what is the answer, and what does the log say.
struct Dispatcher: Sendable {
    private let context: HostContext
    private let router: Router
    private let authenticator: Authenticator
    private let uploads: PartUploads
    private let devices: DeviceRoutes
    private let requestIDs = RequestIdentifiers()
    private let jobs: JobLanes

    init(_ context: HostContext, _ jobs: JobLanes) {
        self.jobs = jobs
        self.context = context
        authenticator = Authenticator(database: context.database, now: { context.clock().seconds })
        uploads = PartUploads(context)
        devices = DeviceRoutes(context: context)
        let reader = ResourceReader(context)
        var router = Router()
        PackRoutes(context: context, reader: reader).addRoutes(to: &router)
        for kind in UploadKind.all {
            UploadFileRoutes(context: context, kind: kind, reader: reader).addRoutes(to: &router)
        }
        BuildRoutes(context: context, reader: reader).addRoutes(to: &router)
        ReviewRoutes(context: context, reader: reader).addRoutes(to: &router)
        BetaReviewRoutes(context: context, reader: reader).addRoutes(to: &router)
        BuildBetaReviewRoutes(context: context, reader: reader).addRoutes(to: &router)
        DecisionRoutes(context: context, reader: reader).addRoutes(to: &router)
        OperationRoutes(context: context).addRoutes(to: &router)
        WebhookRoutes(context: context, reader: reader).addRoutes(to: &router)
        AppRoutes(context: context, reader: reader).addRoutes(to: &router)
        AppVersionRoutes(context: context, reader: reader).addRoutes(to: &router)
        uploads.addRoutes(to: &router)
        devices.addRoutes(to: &router)
        RolloutRoutes(context: context, reader: reader).addRoutes(to: &router)
        AppRangeRoutes(context: context, reader: reader).addRoutes(to: &router)
        ReportRoutes(context: context).addRoutes(to: &router)
        self.router = router
    }

    /// What is to be done with a request's body.
    func plan(for request: HTTPServerRequest) -> BodyPlan {
        if request.method == "PUT", request.path.hasPrefix("/uploads/") { return uploads.plan(for: request) }
        let limit = ReportRoutes.isReport(request) ? ReportRoutes.sizeLimit : context.limits.documentSize
        if let length = request.headers["Content-Length"].flatMap({ Int64($0) }), length > limit {
            return .refuse(.refusal(.bodyTooLong(limit), id: Identifier.random()))
        }
        return .memory(limit: limit)
    }

    /// An answer that needs no waiting, on a thread of the server.
    func immediate(_ head: HTTPRequestHead) -> HTTPServerResponse? {
        guard var response = devices.immediate(head) else { return nil }
        response.headers.add("X-Request-Id", requestIDs.next())
        return response
    }

    func respond(to request: HTTPServerRequest) async -> HTTPServerResponse {
        let id = requestIDs.next()
        var response: HTTPServerResponse
        do {
            response = try await answer(request)
        } catch let error as APIError {
            response = .refusal(error, id: id)
        } catch {
            context.log.error(
                "A request could not be answered.",
                ["request": id, "method": request.method, "path": request.path, "error": "\(error)"])
            response = .refusal(.unexpected, id: id)
        }
        // Whatever changed something may have left work behind.
        if request.method != "GET" && request.method != "HEAD" { jobs.notify() }
        response.headers.add("X-Request-Id", id)
        return response
    }

    private func answer(_ request: HTTPServerRequest) async throws -> HTTPServerResponse {
        switch router.match(request.method, request.path) {
        case .route(let route, let parameters):
            switch route.access {
            case .open:
                return try await route.handler(RouteRequest(request, parameters: parameters, caller: nil))
            case .needs(let permission):
                let caller = try await authenticator.caller(of: request)
                guard caller.role.permits(permission) else {
                    throw APIError.forbidden("A key with the role \(caller.role.rawValue) may not do this.")
                }
                return try await route.handler(RouteRequest(request, parameters: parameters, caller: caller))
            }
        case .otherMethods(let methods):
            var response = HTTPServerResponse.refusal(.methodNotAllowed(methods), id: requestIDs.next())
            response.headers["Allow"] = methods.joined(separator: ", ")
            return response
        case .none:
            // Who has no key learns nothing, not even what there is.
            if request.path.hasPrefix("/v1/") { _ = try await authenticator.caller(of: request) }
            throw APIError.noSuchPath
        }
    }

    func count(_ exchange: HTTPExchangeCount) { context.metrics.note(exchange) }

    /// Told of exchanges only where somebody reads lines of that level.
    func log(_ record: HTTPExchangeRecord) {
        context.log.info(
            "A request was answered.",
            [
                "request": record.answerHeaders["X-Request-Id"] ?? "",
                "client": record.client, "method": record.method, "path": record.path, "status": "\(record.status)",
                "bytes": "\(record.bytes)", "milliseconds": "\(Int(record.duration / .milliseconds(1)))",
            ])
    }
}

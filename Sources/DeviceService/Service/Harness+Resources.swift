// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit

/// On-demand resources (BA 6).
extension Harness {
    func addResources(_ router: inout RequestRouter) {
        router.onStream(ResourcesRequest.self) { request, _, emit in
            try await recovery.value
            try await resources.begin(request, emit: emit)
        }
        router.on(SteerResourcesRequest.self) { request, _ in
            await resources.steer(request)
            return EmptyReply()
        }
        router.on(ResourcesUsedRequest.self) { request, _ in
            try await recovery.value
            try await resources.noteUse(request)
            return EmptyReply()
        }
        router.onStream(ResourceNoticesRequest.self) { _, _, emit in
            for await notice in resources.notices.listen() { emit(notice) }
        }
        router.onStream(ResourceChangesRequest.self) { request, _, emit in
            try await recovery.value
            for await _ in resources.changes(of: request.app) { emit(ResourceChange()) }
        }
        router.on(SetPreservationPriorityRequest.self) { request, _ in
            try await recovery.value
            try await resources.setPriority(request)
            return EmptyReply()
        }
        router.on(ResourceTagsRequest.self) { request, _ in
            try await recovery.value
            return ResourceTagsRequest.Reply(tags: try await resources.list(request.app))
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit

// On-demand resources (BA 6): what a process of an app asks about its tags. What is in use nobody is told: processes say it by
// locks on `uses` in the app root, which they take before they ask for anything here.

/// Has the packs of tags fetched. The first event says that the request is known; the stream ends when all packs are local,
/// and with an error when they will not be. A client that goes away leaves what is on its way to come behind.
package struct ResourcesRequest: DeviceStreamRequest {
    package static let method = "resources.begin"
    package typealias Event = ResourcesProgress
    package var app: String
    package var tags: [String]
    /// What `resources.steer` names it by: chosen by the client, unlike any other of the app.
    package var request: String
    package var steering: ResourcesSteering

    package init(app: String, tags: [String], request: String, steering: ResourcesSteering) {
        self.app = app
        self.tags = tags
        self.request = request
        self.steering = steering
    }
}

/// How a request is to be treated; may change while it goes on.
package struct ResourcesSteering: Codable, Hashable, Sendable {
    /// From 0 to 1; nil is urgent, before everything else.
    package var priority: Double?
    package var isPaused: Bool
    /// Nobody waits any more: what no other request wants is not fetched to its end.
    package var isCancelled: Bool

    package init(priority: Double? = 0.5, isPaused: Bool = false, isCancelled: Bool = false) {
        self.priority = priority
        self.isPaused = isPaused
        self.isCancelled = isCancelled
    }
}

/// How far a request is, in bytes of archives; both are 0 while that is not known.
package struct ResourcesProgress: Codable, Hashable, Sendable {
    package var completed: Int64
    package var total: Int64

    package init(completed: Int64, total: Int64) {
        self.completed = completed
        self.total = total
    }
}

/// Changes how a request is treated. Nothing happens for one that is over.
package struct SteerResourcesRequest: DeviceRequest {
    package static let method = "resources.steer"
    package typealias Reply = EmptyReply
    package var app: String
    package var request: String
    package var steering: ResourcesSteering

    package init(app: String, request: String, steering: ResourcesSteering) {
        self.app = app
        self.request = request
        self.steering = steering
    }
}

/// Says that tags were used, or that a use of them ended: their last use, by which purging goes. What waits for room looks again.
package struct ResourcesUsedRequest: DeviceRequest {
    package static let method = "resources.used"
    package typealias Reply = EmptyReply
    package var app: String
    package var tags: [String]
    /// When that was: messages about several uses may come in another order. nil is now.
    package var time: Timestamp?

    package init(app: String, tags: [String], time: Timestamp? = nil) {
        self.app = app
        self.tags = tags
        self.time = time
    }
}

/// What the service wants processes to know that use resources.
package struct ResourceNoticesRequest: DeviceStreamRequest {
    package static let method = "resources.notices"
    package typealias Event = ResourceNotice
    package var app: String
    package init(app: String) { self.app = app }
}

package struct ResourceNotice: RawRepresentable, Codable, Hashable, Sendable {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
    /// It is known that somebody listens.
    package static let listening = ResourceNotice(rawValue: "listening")
    /// Room is needed and cannot be made unless somebody lets go of resources.
    package static let lowDiskSpace = ResourceNotice(rawValue: "lowDiskSpace")
}

/// Sets how long tags are kept when the disk becomes full.
package struct SetPreservationPriorityRequest: DeviceRequest {
    package static let method = "resources.setPreservationPriority"
    package typealias Reply = EmptyReply
    package var app: String
    package var tags: [String]
    /// From 0, which goes first, to 1.
    package var priority: Double

    package init(app: String, tags: [String], priority: Double) {
        self.app = app
        self.tags = tags
        self.priority = priority
    }
}

/// Says when what `resources.tags` tells may have changed: at once, and from then on. It does not end by itself.
package struct ResourceChangesRequest: DeviceStreamRequest {
    package static let method = "resources.changes"
    package typealias Event = ResourceChange
    /// nil for all apps.
    package var app: String?
    package init(app: String? = nil) { self.app = app }
}

/// Nothing is said of what has changed: several changes may be one event.
package struct ResourceChange: Codable, Hashable, Sendable {
    package init() {}
}

/// Every tag of an app, with what is there of it (F4).
package struct ResourceTagsRequest: DeviceRequest {
    package static let method = "resources.tags"
    package var app: String
    package init(app: String) { self.app = app }

    package struct Reply: Codable, Hashable, Sendable {
        package var tags: [ResourceTagListing]
        package init(tags: [ResourceTagListing]) { self.tags = tags }
    }
}

package struct ResourceTagListing: Codable, Hashable, Sendable {
    package var tag: String
    package var state: ResourceTagState
    package var packs: [String]
    /// Bytes of the tag's archives that are here, and that there are.
    package var downloaded: Int64
    package var downloadSize: Int64
    /// What its local packs take on the disk, in bytes.
    package var allocatedSize: Int64
    package var preservationPriority: Double
    /// When a request began or ended to use one of its packs last, as far as the service has been told; nil when none did.
    package var lastUse: Timestamp?

    package init(
        tag: String, state: ResourceTagState, packs: [String], downloaded: Int64, downloadSize: Int64,
        allocatedSize: Int64, preservationPriority: Double, lastUse: Timestamp? = nil
    ) {
        self.tag = tag
        self.state = state
        self.packs = packs
        self.downloaded = downloaded
        self.downloadSize = downloadSize
        self.allocatedSize = allocatedSize
        self.preservationPriority = preservationPriority
        self.lastUse = lastUse
    }
}

package struct ResourceTagState: RawRepresentable, Codable, Hashable, Sendable {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
    package static let notDownloaded = ResourceTagState(rawValue: "notDownloaded")
    package static let partiallyDownloaded = ResourceTagState(rawValue: "partiallyDownloaded")
    package static let downloading = ResourceTagState(rawValue: "downloading")
    package static let downloaded = ResourceTagState(rawValue: "downloaded")
    package static let inUse = ResourceTagState(rawValue: "inUse")
    /// Was downloaded once, and went to make room.
    package static let purged = ResourceTagState(rawValue: "purged")
}

extension DeviceError.Code {
    /// The app has no list of on-demand resources.
    package static let noResources = Self(rawValue: "resource.none")
    package static let unknownTag = Self(rawValue: "resource.unknownTag")
    /// What the app wants to use at once is over the person's limit.
    package static let resourcesExceeded = Self(rawValue: "resource.exceeded")
    /// A pack that the app's list names is not in its manifest.
    package static let resourcePackMissing = Self(rawValue: "resource.packMissing")
}

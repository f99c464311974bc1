// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

public import Foundation

/// The loading priority of what a person waits for: before everything else that is being fetched.
public let NSBundleResourceRequestLoadingPriorityUrgent: Double = .greatestFiniteMagnitude

extension NSNotification.Name {
    /// Room is needed for on-demand resources and cannot be made. Who ends its access to some makes room.
    public static let NSBundleResourceRequestLowDiskSpace = NSNotification.Name(
        "NSBundleResourceRequestLowDiskSpaceNotification")
}

/// Asks for the resources that have tags, and keeps them on the device while they are used. (BA 6.1)
///
/// ```swift
/// let request = NSBundleResourceRequest(tags: ["Level 3"])
/// try await request.beginAccessingResources()
/// let map = request.bundle.url(forResource: "map", withExtension: "json", subdirectory: "Levels/3")
/// ```
/// Each object serves one time: it is begun once and ended once. Letting go of it ends it; one that is being fetched first
/// calls its handler, unless it is paused. No resource that any request of any process uses is taken away.
public final class NSBundleResourceRequest: NSObject, ProgressReporting, Sendable {
    private let cycle: RequestCycle

    /// Asks for resources of the app's own bundle.
    public convenience init(tags: Set<String>) { self.init(tags: tags, bundle: .main) }

    /// Asks for resources of a bundle of the app.
    public convenience init(tags: Set<String>, bundle: Bundle) {
        self.init(tags: tags, bundle: bundle, access: .shared)
    }

    package init(tags: Set<String>, bundle: Bundle, access: ResourceAccess) {
        cycle = RequestCycle(tags: tags, bundle: bundle, access: access)
        super.init()
    }

    deinit { cycle.letGo() }

    /// What is asked for.
    public var tags: Set<String> { cycle.tags }

    /// Where the resources are looked up.
    public var bundle: Bundle { cycle.bundle }

    /// How far the download is, in bytes; it can be paused, resumed and cancelled. It is whole once the resources can be used.
    public var progress: Progress { cycle.progress }

    /// From 0 to 1, or `NSBundleResourceRequestLoadingPriorityUrgent`; one half unless it is set. It may be changed at any
    /// time.
    public var loadingPriority: Double {
        get { cycle.loadingPriority }
        set { cycle.loadingPriority = newValue }
    }

    /// Fetches what is not on the device, and begins access. The handler is called when the resources can be used, or with what
    /// went wrong: a `CocoaError` with one of the codes of on-demand resources, `userCancelled`, or
    /// ``NSBundleResourceRequestError``.
    public func beginAccessingResources(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        let isFirst = cycle.begin()
        cycle.inTask { cycle in
            do {
                guard isFirst else { throw NSBundleResourceRequestError.alreadyUsed(cycle.tags) }
                try await cycle.fetch()
                completionHandler(nil)
            } catch {
                completionHandler(error)
            }
        }
    }

    /// Fetches what is not on the device, and begins access.
    /// - Throws: a `CocoaError` with one of the codes of on-demand resources, `userCancelled`, or
    ///   ``NSBundleResourceRequestError``.
    public func beginAccessingResources() async throws {
        guard cycle.begin() else { throw NSBundleResourceRequestError.alreadyUsed(tags) }
        try await cycle.fetch()
    }

    /// Begins access if everything is on the device; nothing is fetched. The handler is told whether it has begun; if not, the
    /// request can still be begun.
    public func conditionallyBeginAccessingResources(completionHandler: @escaping @Sendable (Bool) -> Void) {
        let isThere = cycle.beginIfLocal()
        cycle.inTask { _ in completionHandler(isThere) }
    }

    /// Begins access if everything is on the device; nothing is fetched.
    /// - Returns: whether it has begun; if not, the request can still be begun.
    public func conditionallyBeginAccessingResources() async -> Bool { cycle.beginIfLocal() }

    /// Ends access, or the download for it. The resources may then be taken away when room is needed. Ending what was not begun,
    /// or again, does nothing.
    public func endAccessingResources() { cycle.end() }
}

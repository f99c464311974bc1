// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import DeviceProtocol
import Kit

/// Follows an install or update to its goal, and goes on following when the service dies meanwhile: the next connection
/// starts it again, and it takes the work up where it was.
struct InstallFollower {
    /// How often the service may die before the command gives up.
    static let restarts = 8

    private let context: CommandContext
    private let goal: InstallGoal
    private(set) var display: InstallDisplay

    init(_ context: CommandContext, _ display: InstallDisplay, until goal: InstallGoal) {
        self.context = context
        self.display = display
        self.goal = goal
    }

    /// Asks, and shows what comes.
    /// - Returns: the last event; nil when nothing is going on.
    /// - Throws: what the install failed with, `CancellationError` after Ctrl-C.
    mutating func follow<Request: DeviceStreamRequest>(_ request: Request) async throws -> InstallEvent?
    where Request.Event == InstallEvent {
        /// The app, once it is known that the service took the request.
        var accepted: String?
        var deaths = 0
        while true {
            do {
                let connection = try await Device.connect(context)
                if deaths > 0 {
                    context.note("The device service went away and was started again; it goes on where it stopped.")
                }
                if let app = accepted,
                    let last = try await display.follow(connection.stream(WatchInstallRequest(app: app, until: goal)))
                {
                    return last
                }
                // It ended between two looks, or was not taken yet: asked again, the service does what is left to do.
                return try await display.follow(connection.stream(request))
            } catch let error as DeviceError where error.code == .disconnected && deaths < Self.restarts {
                deaths += 1
                accepted = display.last?.app ?? accepted
            } catch let error as DeviceError where error.code == .appBusy && deaths > 0 && accepted == nil {
                guard let app = error.details["app"] else { throw error }
                accepted = app
            }
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AppBundles
import DeviceProtocol
import HTTP
import Kit

extension Catalogue {
    /// The build that the origin's channel installs.
    /// - Throws: `DeviceError`, `BundleError`
    func offer(_ app: String, _ origin: AppOrigin, policy: RetryPolicy) async throws -> HostedBuild {
        let url = origin.address(of: "build", app: app)
        let body: [UInt8]
        do {
            (body, _) = try await download(
                url, headers: origin.headers, limit: HostedBuild.maximumSize, app: app, policy: policy
            ) { _ in }
        } catch let error as HTTPClientError {
            throw Self.refusal(app, origin, error)
        }
        let build = try HostedBuild.decode(body, source: origin.host, allowingPlainLoopback: origin.isPlain)
        guard build.bundleID == app else {
            throw DeviceError(.badManifest, "\(origin.host) answers for \(build.bundleID) when it is asked for \(app).")
        }
        return build
    }

    private static func refusal(_ app: String, _ origin: AppOrigin, _ error: HTTPClientError) -> DeviceError {
        switch error.status {
        case 401, 403:
            DeviceError(
                .refused,
                "\(origin.host) does not let this device into the channel \(origin.channel) of \(app). Ask its operator for a "
                    + "channel token, and give it with --token.")
        case 404:
            DeviceError(
                .appNotFound,
                "\(origin.host) has no build of \(app) in the channel \(origin.channel). Check the bundle id and the channel; "
                    + "a build appears there when it was released to it.")
        default:
            DeviceError(
                .manifestUnavailable,
                "\(origin.host) could not be asked for \(app): \(error) Check the network and the address, then try again.",
                details: ["url": origin.host, "cause": error.codeName])
        }
    }
}

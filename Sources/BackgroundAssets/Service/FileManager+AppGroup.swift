// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

public import Foundation
internal import Kit
internal import System

// Foundation on Linux has no app groups.
extension FileManager {
    /// The folder that the apps of an app group and their extensions share; it is made if need be.
    ///
    /// Apps and extensions that Larder started find it, and others by the bundle that they lie in.
    /// - Parameter groupIdentifier: letters, digits, `.`, `-` and `_`, as in `group.com.example`.
    /// - Returns: nil for an identifier that cannot be one, and where the app's folder is not known.
    public func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? {
        let environment = Environment.current
        if let folder = environment["LARDER_APP_GROUP_FOLDER"].map({ FilePath($0) }),
            folder.lastComponent?.string == groupIdentifier
        {
            return folder.url(isDirectory: true)
        }
        guard let app = try? AppIdentity.current(managed: false) else { return nil }
        // The app's root is `<state>/apps/<bundle id>`.
        let paths = LarderPaths(
            state: app.root.removingLastComponent().removingLastComponent(), runtime: app.paths.runtime,
            configuration: app.paths.configuration)
        guard let folder = paths.groupFolder(groupIdentifier),
            (try? FileDescriptor.currentDirectory.makeDirectories(at: folder, permissions: .directoryPrivate)) != nil
        else { return nil }
        return folder.url(isDirectory: true)
    }
}

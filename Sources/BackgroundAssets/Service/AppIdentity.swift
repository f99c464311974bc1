// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

internal import Foundation
package import Kit
package import System

/// Which app this process is, and where its packs and the service are.
package struct AppIdentity: Sendable {
    /// The app's bundle id.
    package let bundleID: String
    /// The app's folder in the service's state.
    package let root: FilePath
    /// Where the service is to be found.
    package let paths: LarderPaths
    /// The service's socket.
    package let socket: FilePath

    package init(bundleID: String, root: FilePath, paths: LarderPaths, socket: FilePath) {
        self.bundleID = bundleID
        self.root = root
        self.paths = paths
        self.socket = socket
    }

    /// Finds the app by what `larder launch` puts into the environment, or else by the bundle that the executable lies in.
    /// - Parameters:
    ///   - environment: the process's.
    ///   - executable: the path of the program, or nil when it is not known.
    ///   - managed: the app must have asset packs that the system manages.
    /// - Throws: `BackgroundAssetsError` that says what to put where.
    package init(environment: [String: String], executable: FilePath?, managed: Bool = true) throws {
        let bundleID: String
        if let given = environment["LARDER_BUNDLE_ID"], !given.isEmpty {
            bundleID = given
        } else {
            bundleID = try Self.bundleID(ofAppAround: executable, managed: managed)
        }
        guard Self.isWellFormed(bundleID) else {
            throw BackgroundAssetsError(
                .notConfigured,
                "“\(bundleID)” cannot be a bundle identifier: use letters, digits, “-” and “.”, as in com.example.App.")
        }
        let paths: LarderPaths
        do {
            paths = try LarderPaths(environment: environment)
        } catch {
            throw BackgroundAssetsError(.notConfigured, "Larder's folders are not known: \(error)", cause: error)
        }
        func path(_ name: String) -> FilePath? { environment[name].flatMap { $0.isEmpty ? nil : FilePath($0) } }
        self.init(
            bundleID: bundleID, root: path("LARDER_APP_ROOT") ?? paths.appRoot(bundleID), paths: paths,
            socket: path("LARDER_SOCKET") ?? paths.socket)
    }

    /// The process's own.
    /// - Throws: `BackgroundAssetsError`
    package static func current(managed: Bool = true) throws -> AppIdentity {
        let executable = try? FileDescriptor.currentDirectory.readLink(at: "/proc/self/exe")
        return try AppIdentity(
            environment: Environment.current, executable: executable.map { FilePath($0) }, managed: managed)
    }

    private static func bundleID(ofAppAround executable: FilePath?, managed: Bool) throws -> String {
        guard let executable, let bundle = enclosingApp(of: executable) else {
            throw BackgroundAssetsError(
                .notConfigured,
                """
                \(executable?.string ?? "This program") is not inside an app's bundle, so its asset packs are not known. \
                Put it into Name.app beside an Info.plist, install that with “larder install” and start it with \
                “larder launch”.
                """)
        }
        let file = bundle.appending("Info.plist")
        let values = try readPropertyList(file)
        guard let bundleID = values["CFBundleIdentifier"] as? String, !bundleID.isEmpty else {
            throw BackgroundAssetsError(
                .notConfigured, "\(file) has no string for CFBundleIdentifier. Add it, as in com.example.App.")
        }
        guard let group = values["BAAppGroupID"] as? String, !group.isEmpty else {
            throw BackgroundAssetsError(
                .notConfigured,
                "\(file) has no string for BAAppGroupID. Add the app group that the app shares with its extension.")
        }
        guard !managed || values["BAHasManagedAssetPacks"] as? Bool == true else {
            throw BackgroundAssetsError(
                .notConfigured,
                "\(file) does not set BAHasManagedAssetPacks. Set it to true to have managed asset packs.")
        }
        return bundleID
    }

    private static func enclosingApp(of executable: FilePath) -> FilePath? {
        var path = executable.removingLastComponent()
        while let name = path.lastComponent {
            if name.extension == "app" { return path }
            path = path.removingLastComponent()
        }
        return nil
    }

    private static func readPropertyList(_ file: FilePath) throws -> [String: Any] {
        do {
            let data = try Data(contentsOf: file.url(isDirectory: false))
            let list = try PropertyListSerialization.propertyList(from: data, options: [], format: nil)
            guard let values = list as? [String: Any] else { throw CocoaError(.propertyListReadCorrupt) }
            return values
        } catch {
            throw BackgroundAssetsError(
                .notConfigured, "\(file) cannot be read as a property list. “larder doctor” checks the bundle.",
                cause: error)
        }
    }

    private static func isWellFormed(_ bundleID: String) -> Bool {
        bundleID.utf8.count <= 255 && bundleID.utf8.first != UInt8(ascii: ".")
            && bundleID.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}

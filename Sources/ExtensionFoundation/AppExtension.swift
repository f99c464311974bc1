// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// A program inside an app's bundle that the system runs on the app's behalf.
///
/// Mark the conforming type with `@main`. The system starts the program when there is something to ask, and ends it.
public protocol AppExtension {
    /// How the system's requests are answered.
    associatedtype Configuration: AppExtensionConfiguration

    /// The configuration of this extension; extension points provide it.
    @MainActor @preconcurrency var configuration: Configuration { get }

    /// Makes the extension, once in a process.
    @MainActor @preconcurrency init()
}

extension AppExtension {
    /// Runs the extension until the system ends the connection.
    ///
    /// Does not return. Started by hand instead of by the device service, the program says so on its standard error and exits
    /// with status 2. The signature throws as on Apple's platforms; nothing is thrown.
    public static func main() throws {
        MainActor.assumeIsolated { ExtensionProcess.run(Self.self) }
    }
}

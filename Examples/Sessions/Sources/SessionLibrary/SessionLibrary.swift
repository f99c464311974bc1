// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

public import BackgroundAssets

/// The films on this device, in the folder that app and extension share. Whoever gets a film first puts it here.
public struct SessionLibrary: Sendable {
    let folder: URL

    public struct NoGroup: Error {}

    public init() throws {
        guard
            let container = FileManager.default.containerURL(
                forSecurityApplicationGroupIdentifier: Session.appGroup)
        else { throw NoGroup() }
        folder = container.appendingPathComponent("Films", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    public func film(of id: String) -> URL { folder.appendingPathComponent(id + ".film") }

    public func has(_ session: Session) -> Bool {
        let size = try? film(of: session.id).resourceValues(forKeys: [.fileSizeKey]).fileSize
        return size == session.size
    }

    /// Moves a film that has just come to its place.
    public func keep(_ file: URL, as id: String) throws {
        try? FileManager.default.removeItem(at: film(of: id))
        try FileManager.default.moveItem(at: file, to: film(of: id))
    }

    // MARK: - The manifest, as the extension saw it last

    private var manifestFile: URL { folder.appendingPathComponent("sessions.json") }

    public func keep(manifestAt url: URL) throws {
        try Data(contentsOf: url).write(to: manifestFile, options: .atomic)
    }

    public var sessions: [Session] { (try? SessionManifest(contentsOf: manifestFile).sessions) ?? [] }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HostingClient
import HostingModel
import Kit

extension HostingCommands {
    static let submit = Command(
        "submit", summary: "Submit packs, and a build of the app, for review",
        discussion: """
            For externalBeta each pack and the build is decided about by itself. For appStore everything goes into one submission: up to \
            ten packs, and the build's version of the app, which is made when the host has none of that number. The key needs the \
            role APP_MANAGER or ADMIN.

            What the command names joins a submission of the app that is being put together, or that came back with something rejected: \
            there it takes the place of another version of the same pack, and a rejected version that is named again counts as \
            mended. 'larder review list' shows how it goes.
            """,
        examples: [
            .init(
                "larder submit Tutorial Islands --app com.example.coast --channel appStore",
                "the newest versions of both, in one submission"),
            .init(
                "larder submit Tutorial --app com.example.coast --channel externalBeta --number 3",
                "version 3 for external testers"),
            .init(
                "larder submit Tutorial --app com.example.coast --build 6f0c9d0e-... --channel appStore",
                "the pack together with a version of the app"),
        ],
        options: HostConnection.options + [
            .value("app", short: "a", "bundle id", "The app that everything belongs to."),
            .value(
                "channel", "name", "externalBeta or appStore.",
                completion: .choices(Submission.channels.map(\.rawValue))),
            .value("number", "number", "The version of a single pack; the newest one by default."),
            .value("build", "id", "A build of the app, as 'larder app upload' prints it."),
            .json,
        ],
        arguments: [CommandArgument("packs", "The packs' identifiers.", isOptional: true, isRepeating: true)]
    ) { arguments, context in
        let (app, packs, build) = (
            try arguments.required("app"), arguments.arguments("packs"), arguments.value("build")
        )
        guard !packs.isEmpty || build != nil else {
            throw UsageError("What is to be submitted? Name packs, or a --build.")
        }
        guard let name = try arguments.choice("channel", of: Submission.channels.map(\.rawValue)),
            let channel = Channel(rawValue: name)
        else { throw UsageError("For whom? Give it with --channel.") }
        guard packs.count <= 1 || arguments.value("number") == nil else {
            throw UsageError("--number is of one pack. Submit packs of other versions one by one.")
        }
        let number = try arguments.integer("number", in: 1...Int(Int32.max)).map(String.init)
        let client = try await HostConnection(arguments, context).client()
        var versions: [String] = []
        for pack in packs {
            versions.append(try await PackVersionReference(pack, app: app, number: number).completeVersion(client))
        }
        let submission = Submission(
            client, app: try await client.app(.bundleID(app)), versions: versions, build: build)
        let made = try await channel == .appStore ? [submission.submit()] : submission.submitForBeta()
        for id in made {
            if context.json {
                context.print(json: ["submission": .string(id), "channel": .string(channel.rawValue)])
            } else {
                context.print("Submitted: \(id)")
            }
        }
        return .success
    }
}

/// What goes to the reviewer.
private struct Submission {
    /// Those with a reviewer before them.
    static let channels = [Channel.externalBeta, .appStore]

    private let client: HostingClient
    private let app: String
    /// Of packs.
    private let versions: [String]
    private let build: String?

    init(_ client: HostingClient, app: String, versions: [String], build: String?) {
        self.client = client
        self.app = app
        self.versions = versions
        self.build = build
    }

    /// A submission of its own for each; their identifiers.
    func submitForBeta() async throws -> [String] {
        var made: [String] = []
        for version in versions {
            let data = try await client.create(
                .betaReviewSubmissions, [:], ["backgroundAssetVersion": (.backgroundAssetVersions, version)])
            made.append(try data.identifier())
        }
        if let build {
            made.append(try await client.create(.buildBetaReviews, [:], ["build": (.builds, build)]).identifier())
        }
        return made
    }

    /// One for all; its identifier.
    func submit() async throws -> String {
        var appVersion: (id: String, platform: String)?
        if let build { appVersion = try await self.appVersion(of: build) }
        let submission = try await open(platform: appVersion?.platform)
        let items = try await SubmissionItems(submission, client)
        var subjects: [SubmissionItems.Subject] = []
        for version in versions { subjects.append(try await .pack(version, client)) }
        if let appVersion { subjects.append(.app(appVersion.id)) }
        try items.checkNothingRejectedStays(beside: subjects)
        for subject in subjects { try await items.put(subject) }
        _ = try await client.change(.reviewSubmissions, submission, ["submitted": true])
        return submission
    }

    /// The submission that is being put together, or a new one.
    private func open(platform: String?) async throws -> String {
        let submissions = try await client.list(
            "/v1/reviewSubmissions", ["filter[app]": app, "filter[state]": "READY_FOR_REVIEW,UNRESOLVED_ISSUES"]
        ).data
        let open = submissions.first { $0["attributes"]?["platform"]?.stringValue == platform }
        if let open { return try open.identifier() }
        return try await client.create(
            .reviewSubmissions, platform.map { ["platform": .string($0)] } ?? [:], ["app": (.apps, app)]
        ).identifier()
    }

    /// The app's version in the App Store that has the build's number, with that build.
    private func appVersion(of build: String) async throws -> (id: String, platform: String) {
        let document = try await client.get(
            "/v1/builds/\(PercentEncoding.encode(build))", ["include": "preReleaseVersion"])
        let release = document["included"]?.arrayValue?.first?["attributes"]
        guard let name = release?["version"]?.stringValue, let platform = release?["platform"]?.stringValue else {
            throw CommandError("hosting.notFound", "The host does not say of which version the build \(build) is.")
        }
        let known = try await client.list(
            "/v1/apps/\(PercentEncoding.encode(app))/appStoreVersions",
            ["filter[versionString]": name, "filter[platform]": platform]
        ).data.first
        let version =
            if let known {
                try await client.change(
                    .appStoreVersions, try known.identifier(), [:], ["build": (.builds, build)])
            } else {
                try await client.create(
                    .appStoreVersions, ["platform": .string(platform), "versionString": .string(name)],
                    ["app": (.apps, app), "build": (.builds, build)])
            }
        return (try version.identifier(), platform)
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import BackgroundAssets
import System
import Testing

/// `ManagedBackgroundAssetsError` has no equality of its own, on Apple's platforms neither; tests compare what it says.
func fileNotFound(_ path: FilePath) -> Matcher {
    Matcher(text: "\(ManagedBackgroundAssetsError.fileNotFound(at: path))")
}
func assetPackNotFound(_ id: String) -> Matcher {
    Matcher(text: "\(ManagedBackgroundAssetsError.assetPackNotFound(withID: id))")
}

struct Matcher {
    let text: String
}

/// Expects an error that reads as the matcher's.
func expect<Result>(
    throws matcher: Matcher, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Result
) {
    do {
        _ = try body()
        Issue.record("no error was thrown", sourceLocation: sourceLocation)
    } catch {
        #expect("\(error)" == matcher.text, sourceLocation: sourceLocation)
    }
}

func expect<Result>(
    throws matcher: Matcher, sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Result
) async {
    do {
        _ = try await body()
        Issue.record("no error was thrown", sourceLocation: sourceLocation)
    } catch {
        #expect("\(error)" == matcher.text, sourceLocation: sourceLocation)
    }
}

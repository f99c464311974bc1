// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

public import Foundation

/// Some packs of a batch did not become available on the device. (BA 1.11)
public struct LocalAvailabilityError: Error {
    /// The packs that are on the device now.
    public let successes: Set<AssetPack>

    /// The packs that are not, each with the reason.
    public let failures: [AssetPack: any Error]

    package init(successes: Set<AssetPack>, failures: [AssetPack: any Error]) {
        self.successes = successes
        self.failures = failures
    }
}

extension LocalAvailabilityError: LocalizedError, CustomNSError {
    /// What happened, and to what.
    public var errorDescription: String? {
        let reasons = failures.map { "\($0.key.id): \($0.value.localizedDescription)" }.sorted()
        return "Not available on this device: " + reasons.joined(separator: "; ")
    }

    /// The domain that Apple's framework uses: `BAManagedErrorDomain`.
    public static var errorDomain: String { "BAManagedErrorDomain" }

    /// The number that Apple's framework has for the error.
    public var errorCode: Int { 2 }

    /// What `NSError.userInfo` holds.
    public var errorUserInfo: [String: Any] {
        var information: [String: Any] = ["BASuccesses": successes, "BAFailures": failures]
        information[NSLocalizedDescriptionKey] = errorDescription
        return information
    }
}

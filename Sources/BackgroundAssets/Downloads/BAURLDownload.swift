// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

#if FoundationNetworking
    internal import DeviceProtocol
    internal import Foundation
    public import FoundationNetworking

    // Unchecked because a subclass has to repeat what its class says; it stores nothing.

    /// A download of what an https URL names. (BA 1.2)
    public final class BAURLDownload: BADownload, @unchecked Sendable {
        /// Makes a download.
        /// - Parameters:
        ///   - identifier: the app's own name of it; one download has it at a time.
        ///   - request: what to ask; its URL must be https. URL and header fields count.
        ///   - essential: whether it belongs to installing or updating the app. Only an extension's answer may hold such
        ///     downloads.
        ///   - fileSize: how many bytes the file has. A file of another size fails. 0 leaves it open, but for essential ones.
        ///   - applicationGroupIdentifier: the app group that app and extension share.
        ///   - priority: the place among the app's own downloads.
        public convenience init(
            identifier: String, request: URLRequest, essential: Bool, fileSize: Int, applicationGroupIdentifier: String,
            priority: BADownload.Priority
        ) {
            self.init(
                content: DownloadDescription(
                    identifier: identifier, uniqueIdentifier: UUID().uuidString, url: request.url?.absoluteString ?? "",
                    headers: request.allHTTPHeaderFields, priority: priority.rawValue, isEssential: essential,
                    fileSize: fileSize == 0 ? nil : Int64(fileSize), appGroup: applicationGroupIdentifier))
        }

        /// Makes a download that is not essential and has the default priority.
        public convenience init(
            identifier: String, request: URLRequest, fileSize: Int, applicationGroupIdentifier: String
        ) {
            self.init(
                identifier: identifier, request: request, essential: false, fileSize: fileSize,
                applicationGroupIdentifier: applicationGroupIdentifier, priority: .default)
        }

        /// Makes a download of unknown size.
        @available(*, deprecated, message: "Use the initializer with a fileSize instead.")
        public convenience init(identifier: String, request: URLRequest, applicationGroupIdentifier: String) {
            self.init(
                identifier: identifier, request: request, essential: false, fileSize: 0,
                applicationGroupIdentifier: applicationGroupIdentifier, priority: .default)
        }

        /// Makes a download of unknown size.
        @available(*, deprecated, message: "Use the initializer with a fileSize instead.")
        public convenience init(
            identifier: String, request: URLRequest, applicationGroupIdentifier: String, priority: BADownload.Priority
        ) {
            self.init(
                identifier: identifier, request: request, essential: false, fileSize: 0,
                applicationGroupIdentifier: applicationGroupIdentifier, priority: priority)
        }
    }
#else
    /// A download of what an https URL names. (BA 1.2) The package's trait `FoundationNetworking`, which is on by default, brings
    /// its initializers.
    public final class BAURLDownload: BADownload, @unchecked Sendable {}
#endif

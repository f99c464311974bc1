// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit

/// A part of a file that a host waits for: which bytes go where.
package struct UploadOperation: Hashable, Sendable {
    package let partNumber: Int
    package let method: String
    package let url: String
    package let headers: [String: String]
    /// Bytes from the file's start.
    package let offset: Int64
    /// In bytes.
    package let length: Int64
    /// The MD5 of the part that the host has already, in hexadecimal digits; nil when it has none.
    package let entityTag: String?

    /// The operations of an upload file's document, as they are in its `data`.
    /// - Parameter fileSize: of the file that is to be sent, in bytes.
    /// - Throws: `HostingClientError` when they do not make up the file, each byte once.
    package static func all(of file: JSONValue, fileSize: Int64) throws(HostingClientError) -> [UploadOperation] {
        let list = file["attributes"]?["uploadOperations"]?.arrayValue ?? []
        var operations: [UploadOperation] = []
        for (index, json) in list.enumerated() {
            guard let operation = UploadOperation(json, number: index + 1) else { throw unusable }
            operations.append(operation)
        }
        operations.sort { $0.offset < $1.offset }
        var end: Int64 = 0
        for operation in operations {
            guard operation.offset == end, operation.length <= fileSize - end else { throw unusable }
            end += operation.length
        }
        guard end == fileSize else { throw unusable }
        return operations
    }

    private static var unusable: HostingClientError {
        HostingClientError(
            .host, "The host does not say properly where the parts of the file go, so that nothing can be sent to it.")
    }

    private init?(_ json: JSONValue, number: Int) {
        guard let url = json["url"]?.stringValue, let offset = json["offset"]?.integerValue,
            let length = json["length"]?.integerValue, length > 0, offset >= 0
        else { return nil }
        self.url = url
        self.offset = offset
        self.length = length
        method = json["method"]?.stringValue ?? "PUT"
        partNumber = json["partNumber"]?.integerValue.flatMap { Int(exactly: $0) } ?? number
        entityTag = json["entityTag"]?.stringValue
        let fields = json["requestHeaders"]?.arrayValue ?? []
        headers = Dictionary(
            fields.compactMap { field in
                guard let name = field["name"]?.stringValue, let value = field["value"]?.stringValue else { return nil }
                return (name, value)
            }, uniquingKeysWith: { first, _ in first })
    }
}

/// Which version takes the file: one that an uploader left unfinished, or a new one.
package enum UploadReservation: Hashable, Sendable {
    /// The file of that version waits for its parts.
    case goOn(version: String, file: String)
    /// The version waits for a file.
    case addFile(version: String)
    case makeVersion

    /// - Parameters:
    ///   - versions: those that wait for their upload, newest first, as they are in `data`.
    ///   - files: those that were included with them.
    package static func choose(
        versions: [JSONValue], files: [JSONValue], fileName: String, fileSize: Int64
    ) -> UploadReservation {
        for version in versions {
            guard let id = version["id"]?.stringValue, version["attributes"]?["state"] == "AWAITING_UPLOAD" else {
                continue
            }
            guard let fileID = version["relationships"]?["assetFile"]?["data"]?["id"]?.stringValue else {
                return .addFile(version: id)
            }
            guard let file = files.first(where: { $0["id"]?.stringValue == fileID })?["attributes"] else { continue }
            if file["fileName"]?.stringValue == fileName, file["fileSize"]?.integerValue == fileSize,
                file["assetDeliveryState"]?["state"] == "AWAITING_UPLOAD"
            {
                return .goOn(version: id, file: fileID)
            }
        }
        return .makeVersion
    }
}

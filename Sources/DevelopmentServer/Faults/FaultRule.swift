// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// One way in which the server is to misbehave, for whom, and how often.
package struct FaultRule: Hashable, Sendable {
    /// Which requests it is for.
    package enum Target: Hashable, Sendable {
        case any
        case manifest
        /// A pack's archive.
        case asset(String)
        /// What lies beside it.
        case index(String)
        case patch(String)
        case list(String)

        /// The pack that is meant, if it is one.
        package var pack: String? {
            switch self {
            case .any, .manifest: nil
            case .asset(let id), .index(let id), .patch(let id), .list(let id): id
            }
        }

        func matches(_ resource: FaultResource) -> Bool {
            switch (self, resource) {
            case (.any, _), (.manifest, .manifest): true
            case (.asset(let wanted), .asset(let id)), (.index(let wanted), .index(let id)),
                (.patch(let wanted), .patch(let id)), (.list(let wanted), .list(let id)):
                wanted == id
            default: false
            }
        }
    }

    package enum Kind: Hashable, Sendable {
        /// At most so many bytes a second.
        case slow(rate: Int64)
        /// Silence after so many bytes of the answer; nil: after half of them.
        case stall(after: Int64?)
        /// The connection is closed after so many bytes.
        case cut(after: Int64?)
        /// The connection is broken with a TCP reset after so many bytes.
        case reset(after: Int64?)
        /// One byte of the resource is turned over; nil: the one in the middle.
        case wrongByte(at: Int64?)
        /// So many bytes fewer than the resource has, with a Content-Length that agrees.
        case short(by: Int64)
        /// So many bytes too many, with a Content-Length that agrees.
        case long(by: Int64)
        /// Zeroes without end behind the resource, and no Content-Length.
        case endless
        /// The whole resource, whatever ranges are asked for, as by a server that knows none.
        case noRanges
        /// Of several ranges the first alone.
        case firstRange
        /// Other bytes than those asked for, or several parts from the last to the first; the fields say which they are.
        case wrongRange
        /// The bytes behind those that the fields name.
        case shifted
        /// An error status, and how many seconds the client is to wait.
        case status(Int, retryAfter: Int?)
        case redirect(Redirect)
    }

    package enum Redirect: Hashable, Sendable {
        /// To the same place, where the request is answered properly.
        case https
        /// To a plain address.
        case http
        /// To itself, without end.
        case loop
        case url(String)
    }

    package var target: Target
    package var kind: Kind
    /// How many requests it is for; nil: all of them.
    package var times: Int?
    /// For what part of the requests, from 0 to 1.
    package var probability: Double

    package init(_ target: Target, _ kind: Kind, times: Int? = nil, probability: Double = 1) {
        self.target = target
        self.kind = kind
        self.times = times
        self.probability = probability
    }
}

/// What a request is for: the manifest, or a pack's archive, index, patch or list.
package enum FaultResource: Hashable, Sendable {
    case manifest
    case asset(String)
    case index(String)
    case patch(String)
    case list(String)
}

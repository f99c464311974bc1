// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit

/// What went wrong with tags of On-Demand Resources, their property lists or their manifest.
package typealias ResourceTagsError = RoomError<ResourceTagsErrorCode>

/// What goes wrong, by kind.
package struct ResourceTagsErrorCode: ErrorCode {
    package let name: String

    /// A property list that says something it may not say.
    package static let badPropertyList = Self(name: "tags.badPropertyList")
    /// A tag or a set of tags that cannot name a pack.
    package static let badTag = Self(name: "tags.badTag")
    /// An Xcode project that cannot be read, or says something it may not say.
    package static let badProject = Self(name: "tags.badProject")
}

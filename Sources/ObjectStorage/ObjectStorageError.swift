// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit

/// What goes wrong with a store of objects. No message holds a secret.
package typealias ObjectStorageError = RoomError<ObjectStorageErrorCode>

/// What goes wrong, by kind.
package struct ObjectStorageErrorCode: ErrorCode {
    package let name: String

    /// The setting that names the store, or the credentials, cannot be used.
    package static let badSetting = Self(name: "setting.storage")
    /// There is no such object.
    package static let notFound = Self(name: "storage.notFound")
    /// There is no such upload: it was completed, given up, or never begun.
    package static let noUpload = Self(name: "storage.no-upload")
    /// The store does not let these credentials do that.
    package static let refused = Self(name: "storage.refused")
    /// The object is not, or is no longer, what it was to be.
    package static let changed = Self(name: "storage.changed")
    /// The store does not have what was asked of it, as copying.
    package static let unsupported = Self(name: "storage.unsupported")
    /// The store cannot be reached, has trouble of its own, or does not answer as S3 does.
    package static let unavailable = Self(name: "storage.unavailable")
    /// The file on this machine that is to be sent or written.
    package static let file = Self(name: "storage.file")
}

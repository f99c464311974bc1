// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import DeviceProtocol
package import Kit

/// The way from an extension's process to the device service: its conversation, in which it may ask as well.
package enum ExtensionService {
    /// nil in processes that are no extension.
    package static let connection = Locked<DeviceConnection?>(nil)
}

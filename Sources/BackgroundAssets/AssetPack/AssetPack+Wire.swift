// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import DeviceProtocol
internal import Foundation

extension AssetPack {
    /// A pack as the device service describes it.
    package init(_ description: PackDescription) {
        self.init(
            id: description.id, version: description.version, downloadSize: Int(clamping: description.downloadSize),
            userInfo: description.userInfo.map { Data($0.utf8) },
            language: description.language.map { Locale.Language(identifier: $0) },
            policy: DownloadPolicy(description.policy))
    }
}

extension DownloadPolicy {
    /// The service tells the kind of policy; which events it names, the service has weighed itself.
    init(_ policy: PackPolicy) {
        switch policy {
        case .essential: self = .essential(Set(InstallationEvent.allCases))
        case .prefetch: self = .prefetch(Set(InstallationEvent.allCases))
        default: self = .onDemand
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import UIKit

final class GameController: UIViewController {
    private var request: NSBundleResourceRequest?

    func enter(_ level: String) {
        let request = NSBundleResourceRequest(tags: [level])
        request.loadingPriority = NSBundleResourceRequestLoadingPriorityUrgent
        request.beginAccessingResources { error in
            guard error == nil, let url = Bundle.main.url(forResource: level, withExtension: "lvl") else { return }
            self.play(url, UIImage(named: "Cave"))
        }
        self.request = request
    }

    private func play(_ level: URL, _ picture: UIImage?) {}
}

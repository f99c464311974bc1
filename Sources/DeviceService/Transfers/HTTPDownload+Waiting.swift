// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import HTTP
import Kit

extension HTTPDownload {
    /// The head of the answer, for a thread that may wait: the head itself comes to a task.
    /// - Throws: `HTTPClientError`
    func waitForHead() throws -> HTTPResponse {
        let answer = Monitor<Result<HTTPResponse, any Error>?>(nil)
        Task {
            do {
                let head = try await self.head()
                answer.withLock { $0 = .success(head) }
            } catch {
                answer.withLock { $0 = .failure(error) }
            }
        }
        return try answer.wait { $0 }.get()
    }
}

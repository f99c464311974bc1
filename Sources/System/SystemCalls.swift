// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// The single gate to `errno`: calls `body`, again after a signal, and turns -1 into the error that was set.
@discardableResult
package func systemCall<Result: FixedWidthInteger>(
    retryOnInterrupt: Bool = true, _ body: () -> Result
) throws(Errno) -> Result {
    while true {
        let result = body()
        guard result == -1 else { return result }
        let error = Errno.current
        if retryOnInterrupt, error == .interrupted { continue }
        throw error
    }
}

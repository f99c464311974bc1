// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// The single gate to `errno`: calls `body`, again after a signal, and turns -1 into the error that was set.
/// - Throws: `Errno`, untyped: Swift 6.3 crashes on a `do` that infers the type and catches one of its values.
@discardableResult
package func systemCall<Result: FixedWidthInteger>(
    retryOnInterrupt: Bool = true, _ body: () -> Result
) throws -> Result {
    while true {
        let result = body()
        guard result == -1 else { return result }
        let error = Errno.current
        if retryOnInterrupt, error == .interrupted { continue }
        throw error
    }
}

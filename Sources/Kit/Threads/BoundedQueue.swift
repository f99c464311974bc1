// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// A first-in, first-out queue between threads that holds back its writers when it is full.
package final class BoundedQueue<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var head = 0
        var closed = false

        var count: Int { elements.count - head }
    }

    private let capacity: Int
    private let monitor = Monitor(State())

    package init(capacity: Int) { self.capacity = max(1, capacity) }

    /// Adds an element, blocking while the queue is full. False, and the element is dropped, when the queue is closed.
    @discardableResult
    package func push(_ element: Element) -> Bool {
        monitor.wait { state -> Bool? in
            if state.closed { return false }
            guard state.count < capacity else { return nil }
            state.elements.append(element)
            return true
        }
    }

    /// Takes the oldest element, blocking while there is none; nil when the queue is closed and empty.
    package func pop() -> Element? {
        monitor.wait { state -> Element?? in
            if state.count > 0 { return .some(Self.take(&state)) }
            return state.closed ? .some(nil) : nil
        }
    }

    /// Takes the oldest element if there is one; never blocks.
    package func tryPop() -> Element? {
        monitor.withLock { state in state.count > 0 ? Self.take(&state) : nil }
    }

    /// Ends the queue: pushes are refused from now on, pops drain what is left.
    package func close() { monitor.withLock { $0.closed = true } }

    private static func take(_ state: inout State) -> Element {
        let element = state.elements[state.head]
        state.head += 1
        // Amortised: the dead half is dropped when it outweighs the living one.
        if state.head > 32, state.head * 2 >= state.elements.count {
            state.elements.removeFirst(state.head)
            state.head = 0
        } else if state.head == state.elements.count {
            state.elements.removeAll(keepingCapacity: true)
            state.head = 0
        }
        return element
    }
}

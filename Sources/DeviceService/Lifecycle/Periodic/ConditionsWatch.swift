// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import Glibc
import Kit
import System

/// Says when power supply or network may have changed, so that the machine is to be looked at anew. A thread of its own
/// sleeps in the kernel until something happens; what cannot be listened to on this machine is left out.
final class ConditionsWatch: Sendable {
    /// After the first sign more are waited for, so that one change is told once.
    private static let settling: CInt = 100

    private let root: FilePath
    private let onChange: @Sendable () -> Void
    private let wake: WakeDescriptor

    /// - Parameters:
    ///   - root: as `ConditionsReader` has it; the kernel's own events are heard for the machine's root only.
    ///   - onChange: called from the watching thread, also once it listens: before, something may have been missed.
    /// - Throws: `Errno`, `KitError`
    init(root: FilePath, onChange: @escaping @Sendable () -> Void) throws {
        self.root = root
        self.onChange = onChange
        wake = try WakeDescriptor()
    }

    /// Starts listening.
    /// - Throws: `KitError`
    func start() throws { try WorkerThread.start(name: "larder-machine") { [self] in watch() } }

    /// Ends the thread soon. May be called more than once.
    func stop() { wake.signal() }

    private func watch() {
        var bus = try? BusSubscription(root.pushing("run/dbus/system_bus_socket"))
        let power = root == "/" ? try? KernelEventSocket() : nil
        let profile = root == "/" ? try? ProfileFile("/sys/firmware/acpi/platform_profile") : nil
        guard bus != nil || power != nil || profile != nil else { return }
        onChange()
        var hasChanged = false
        while true {
            var waited = [
                // A descriptor below zero is passed over.
                pollfd(fd: wake.descriptor.rawValue, events: Int16(POLLIN), revents: 0),
                pollfd(fd: bus?.descriptor.rawValue ?? -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: power?.descriptor.rawValue ?? -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: profile?.descriptor.rawValue ?? -1, events: Int16(POLLPRI), revents: 0),
            ]
            let count = poll(&waited, nfds_t(waited.count), hasChanged ? Self.settling : -1)
            if count < 0, errno == EINTR { continue }
            if count < 0 || waited[0].revents != 0 { return }
            if count == 0 {
                hasChanged = false
                onChange()
            }
            if waited[1].revents != 0 {
                do {
                    if try bus?.read() == true { hasChanged = true }
                } catch {
                    // The bus was restarted, most likely: what it told may be otherwise by now.
                    bus = nil
                    hasChanged = true
                }
            }
            if waited[2].revents != 0, power?.takePowerSupplies() == true { hasChanged = true }
            if waited[3].revents & Int16(POLLPRI) != 0 {
                profile?.skim()
                hasChanged = true
            }
        }
    }
}

/// A file of the kernel's, which tells its next change after it was read.
private final class ProfileFile {
    private let file: OwnedDescriptor

    init(_ path: FilePath) throws {
        file = try OwnedDescriptor(path, .readOnly)
        skim()
    }

    var descriptor: FileDescriptor { file.borrowed }

    func skim() {
        _ = withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
            try? file.borrowed.read(fromAbsoluteOffset: 0, into: buffer)
        }
    }
}

extension KernelEventSocket {
    /// Takes what has come.
    /// - Returns: whether a power supply is among it; what was lost may have been one.
    func takePowerSupplies() -> Bool {
        var isPower = false
        do {
            while let event = try next() { isPower = isPower || Self.isPowerSupply(event) }
            return isPower
        } catch {
            return true
        }
    }

    static func isPowerSupply(_ event: [UInt8]) -> Bool {
        event.split(separator: 0).contains { $0.elementsEqual("SUBSYSTEM=power_supply".utf8) }
    }
}

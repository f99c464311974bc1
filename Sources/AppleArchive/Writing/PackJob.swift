// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

/// One block being written: what it is made of, then its content, then its compressed form.
final class PackJob {
    enum Segment {
        case bytes([UInt8], Range<Int>)
        case source(any ArchiveDataSource, offset: UInt64, count: Int)
    }

    private(set) var segments: [Segment] = []
    private(set) var size = 0
    private let content = ByteBuffer()
    private let compressed = ByteBuffer()
    private(set) var failure: (any Error)?
    private var isStored = true

    var uncompressed: UnsafeRawBufferPointer { content.bytes }
    var payload: UnsafeRawBufferPointer { isStored ? content.bytes : compressed.bytes }

    func reset() {
        segments.removeAll(keepingCapacity: true)
        size = 0
        failure = nil
        isStored = true
    }

    func append(_ segment: Segment) {
        switch segment {
        case .bytes(_, let range): size += range.count
        case .source(_, _, let count): size += count
        }
        segments.append(segment)
    }

    /// Gathers the content and compresses it; called on a worker. Without a codec the content stays as it is.
    func run(_ codec: (any BlockCodec)?) {
        do {
            try gather()
            guard let codec, size > 0 else { return }
            // A result that is not smaller is stored: equal sizes mean just that to a reader.
            compressed.reset(capacity: size - 1)
            let room = UnsafeMutableRawBufferPointer(start: compressed.base, count: size - 1)
            if let count = try codec.compress(content.bytes, into: room) {
                compressed.count = count
                isStored = false
            }
        } catch {
            failure = error
        }
    }

    private func gather() throws {
        content.reset(capacity: size)
        for segment in segments {
            switch segment {
            case .bytes(let bytes, let range):
                bytes.withUnsafeBytes { content.append(UnsafeRawBufferPointer(rebasing: $0[range])) }
            case .source(let source, let offset, let count):
                let room = UnsafeMutableRawBufferPointer(rebasing: content.spare.prefix(count))
                try source.read(at: offset, into: room)
                content.count += count
            }
        }
    }
}

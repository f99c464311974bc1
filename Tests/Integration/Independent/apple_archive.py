#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The Larder authors

"""A second reader and writer of Apple Archive, from the format's description and Python's own libraries alone.

It shares no code with Larder, so that the two can check each other: what one writes the other must read. It knows bare
entry streams and pbz? wrappers of zlib, xz and stored blocks, files, folders and symbolic links.

    apple_archive.py extract ARCHIVE FOLDER
    apple_archive.py create FOLDER ARCHIVE bare|zlib|lzma|stored
"""

import lzma
import os
import stat
import struct
import sys
import zlib

BLOCK_SIZE = 1 << 16


def unwrap(data):
    """The entry stream inside the wrapper."""
    if data[:3] != b"pbz":
        return data
    letter = data[3:4]
    (block_size,) = struct.unpack_from(">Q", data, 4)
    assert block_size > 0, "blocks of 0 bytes"
    out, at = [], 12
    while at < len(data):
        raw, stored = struct.unpack_from(">QQ", data, at)
        at += 16
        payload = data[at:at + stored]
        assert len(payload) == stored, "cut off in a block"
        assert stored <= raw <= block_size, "block sizes contradict each other"
        at += stored
        if raw == stored:
            content = payload
        elif letter == b"z":
            content = zlib.decompress(payload)
        elif letter == b"x":
            content = lzma.decompress(payload, format=lzma.FORMAT_XZ)
        else:
            raise ValueError(f"compression {letter!r} is not known here")
        assert len(content) == raw, "a block of another size than it says"
        # Every block but the last is full.
        assert raw == block_size or at == len(data), "a short block before the last"
        out.append(content)
    return b"".join(out)


def fields(header):
    """Key, type and value of each field; the size for a blob."""
    at = 0
    while at < len(header):
        key, kind = header[at:at + 3].decode("ascii"), header[at + 3:at + 4].decode("ascii")
        at += 4
        if kind == "*":
            value = True
        elif kind in "1248":
            size = int(kind)
            value, at = int.from_bytes(header[at:at + size], "little"), at + size
        elif kind == "P":
            (size,) = struct.unpack_from("<H", header, at)
            value, at = header[at + 2:at + 2 + size].decode("utf-8"), at + 2 + size
        elif kind in "FGHIJ":
            size = {"F": 4, "G": 20, "H": 32, "I": 48, "J": 64}[kind]
            value, at = header[at:at + size], at + size
        elif kind == "S":
            value, at = struct.unpack_from("<q", header, at)[0], at + 8
        elif kind == "T":
            value, at = struct.unpack_from("<qI", header, at), at + 12
        elif kind in "ABC":
            size = {"A": 2, "B": 4, "C": 8}[kind]
            value, at = int.from_bytes(header[at:at + size], "little"), at + size
        else:
            raise ValueError(f"field type {kind!r}")
        assert at <= len(header), "a field longer than its header"
        yield key, kind, value


def entries(stream):
    """The fields of each entry and its blobs by key."""
    at = 0
    while at < len(stream):
        assert stream[at:at + 4] in (b"AA01", b"YAA1"), f"no entry at {at}"
        (size,) = struct.unpack_from("<H", stream, at + 4)
        known, blobs, body = {}, {}, at + size
        for key, kind, value in fields(stream[at + 6:at + size]):
            if kind in "ABC":
                blobs[key] = stream[body:body + value]
                assert len(blobs[key]) == value, "cut off in a blob"
                body += value
            else:
                known[key] = value
        yield known, blobs
        at = body


def extract(archive, folder):
    with open(archive, "rb") as file:
        stream = unwrap(file.read())
    os.makedirs(folder)
    for known, blobs in entries(stream):
        path = os.path.join(folder, known["PAT"]) if known["PAT"] else folder
        kind = chr(known["TYP"])
        if kind == "D":
            os.makedirs(path, exist_ok=True)
        elif kind == "L":
            os.symlink(known["LNK"], path)
            continue
        elif kind == "F":
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "xb") as file:
                file.write(blobs["DAT"])
        else:
            raise ValueError(f"entry type {kind!r}")
        if kind == "F" and "MOD" in known:
            os.chmod(path, known["MOD"] & 0o7777)


def number(key, value):
    width = next(width for width in (1, 2, 4, 8) if value < 1 << (8 * width))
    return key + str(width).encode() + value.to_bytes(width, "little")


def text(key, value):
    value = value.encode("utf-8")
    return key + b"P" + struct.pack("<H", len(value)) + value


def blob(key, size):
    kind, width = next((kind, width) for kind, width in ((b"A", 2), (b"B", 4), (b"C", 8)) if size < 1 << (8 * width))
    return key + kind + size.to_bytes(width, "little")


def entry(path, name):
    status = os.lstat(path)
    parts, data = [], b""
    if stat.S_ISLNK(status.st_mode):
        parts += [number(b"TYP", ord("L")), text(b"PAT", name), text(b"LNK", os.readlink(path))]
    elif stat.S_ISDIR(status.st_mode):
        parts += [number(b"TYP", ord("D")), text(b"PAT", name)]
    else:
        with open(path, "rb") as file:
            data = file.read()
        parts += [number(b"TYP", ord("F")), text(b"PAT", name)]
    parts += [number(b"UID", 501), number(b"GID", 20), number(b"MOD", stat.S_IMODE(status.st_mode)), number(b"FLG", 0)]
    seconds, rest = divmod(status.st_mtime_ns, 10**9)
    parts.append(b"MTMT" + struct.pack("<qI", seconds, rest))
    if stat.S_ISREG(status.st_mode):
        parts.append(blob(b"DAT", len(data)))
    # An attribute blob behind the data, which a reader must skip.
    attribute = b"com.example.note\0value"
    attribute = struct.pack("<I", len(attribute) + 4) + attribute
    parts.append(blob(b"XAT", len(attribute)))
    header = b"".join(parts)
    return b"AA01" + struct.pack("<H", len(header) + 6) + header + data + attribute


def wrap(stream, how):
    if how == "bare":
        return stream
    compress = {
        "zlib": lambda block: zlib.compress(block, 5),
        "lzma": lambda block: lzma.compress(block, format=lzma.FORMAT_XZ, check=lzma.CHECK_NONE, preset=6),
        "stored": lambda block: block,
    }[how]
    out = [b"pbz" + {"zlib": b"z", "lzma": b"x", "stored": b"e"}[how] + struct.pack(">Q", BLOCK_SIZE)]
    for at in range(0, len(stream), BLOCK_SIZE):
        block = stream[at:at + BLOCK_SIZE]
        payload = compress(block)
        if len(payload) >= len(block):
            payload = block
        out += [struct.pack(">QQ", len(block), len(payload)), payload]
    return b"".join(out)


def create(folder, archive, how):
    names = [""]
    for base, folders, files in os.walk(folder):
        names += [os.path.relpath(os.path.join(base, name), folder) for name in folders + files]
    stream = b"".join(entry(os.path.join(folder, name) if name else folder, name) for name in sorted(names))
    with open(archive, "wb") as file:
        file.write(wrap(stream, how))


if __name__ == "__main__":
    {"extract": extract, "create": create}[sys.argv[1]](*sys.argv[2:])

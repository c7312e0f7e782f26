# SPDX-License-Identifier: Apache-2.0
"""What tests look for and change in the bytes of a recording (seam/record_file.h)."""
import struct

HEADER = 65536  # bytes before the first chunk
CHUNK = 32  # bytes of its head
WHOLE, MARK, BRIEF, BASE, ENDED = range(5)  # forms of entries
HEADS = {WHOLE: 64, MARK: 8, BRIEF: 16, ENDED: 8}
TASK = 5  # the kind of ended tasks
UNKNOWN = 31  # a kind that no reader knows


def form(data, at):
    return data[at] & 7


def fields(data, at):
    """Where the fields of an entry begin."""
    return at + HEADS[form(data, at)]


def _all(data):
    chunk_bytes, = struct.unpack_from("<I", data, 24)
    start = HEADER
    while start + CHUNK <= len(data):
        magic, span, _, used = struct.unpack_from("<IIQQ", data, start)
        at, end = start + CHUNK, min(start + CHUNK + used, len(data))
        while magic == 0x4B4E4843 and at + HEADS[MARK] <= end:
            whole = form(data, at) == WHOLE
            size = struct.unpack_from("<I" if whole else "<H", data, at)[0] & (~0 if whole else ~7)
            if size == 0:
                break
            yield at, size
            at += size
        start += chunk_bytes * (max(span, 1) if magic else 1)


def entries(data):
    """Each entry: its offset, kind and bytes."""
    for at, size in _all(data):
        if form(data, at) == WHOLE:
            yield at, struct.unpack_from("<H", data, at + 4)[0], size
        elif form(data, at) != BASE:
            yield at, TASK if form(data, at) == ENDED else data[at + 2], size


def begins(data):
    """The begin_seq of each entry, by its offset."""
    found, base = {}, 0
    for at, _ in _all(data):
        if form(data, at) == BASE:
            base, = struct.unpack_from("<Q", data, at + 8)
        elif form(data, at) == WHOLE:
            found[at], = struct.unpack_from("<Q", data, at + 16)
        else:
            high = data[at + 3] if form(data, at) == MARK else 0
            found[at] = base + (high << 32) + struct.unpack_from("<I", data, at + 4)[0]
    return found


def hide(data, at):
    """Gives an entry an unknown kind."""
    if form(data, at) == WHOLE:
        struct.pack_into("<H", data, at + 4, UNKNOWN)
        return
    data[at + 2] = UNKNOWN
    if form(data, at) == ENDED:
        data[at] += MARK - ENDED
        data[at + 3] = 0


def set_status(data, at, status):
    """What a call has answered."""
    if form(data, at) == WHOLE:
        struct.pack_into("<H", data, at + 12, status)
    else:
        data[at + 3] = status


def tasks(data):
    """Queue, number, begin and end of each ended task."""
    since = 0
    for at, _ in _all(data):
        if form(data, at) == BASE:
            since, = struct.unpack_from("<Q", data, at + 16)
        elif form(data, at) == ENDED:
            queue, task, begin, length = struct.unpack_from("<IIiI", data, at + 8)
            yield queue, task, since + begin, since + begin + length


def cut_ends(data, begun):
    """Calls that come back after `begun` have not come back."""
    for at, begin in begins(data).items():
        if form(data, at) == WHOLE and struct.unpack_from("<Q", data, at + 24)[0] >= begun:
            struct.pack_into("<Q", data, at + 24, 0)
        elif form(data, at) == BRIEF and begin + struct.unpack_from("<H", data, at +
                                                                    14)[0] >= begun:
            struct.pack_into("<H", data, at + 14, 0)


def stop_clocks(data):
    """All calls have the same time."""
    for at, _ in _all(data):
        if form(data, at) == WHOLE:
            struct.pack_into("<QQ", data, at + 32, 0, 0)
        elif form(data, at) == BRIEF:
            data[at + 8:at + 14] = bytes(6)
        elif form(data, at) == BASE:
            struct.pack_into("<Q", data, at + 16, 0)

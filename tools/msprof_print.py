#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints a file of profiling records: a line for each, or with --tasks one for each task and block.

  msprof_print.py FILE [--tasks]

The layout is in sim/docs/observation.md. Ends with status 1 for any other file.
"""
import argparse
import struct
import sys

BYTES, MAGIC, HEADER, VERSION = 64, 0x6bd3, 63, 1
TYPES = {0: "task start", 1: "task end", 2: "block start", 3: "block end"}


class Record:
    def __init__(self, data):
        head, self.magic, self.stream, self.task, self.ticks = struct.unpack_from("<HHHHQ", data)
        self.type, self.count, self.sqe = head & 63, head >> 6 & 15, head >> 10
        self.device, self.kind, self.core, self.block = struct.unpack_from("<HBBI", data, 16)
        self.data = data

    def key(self):
        block = (self.kind, self.core, self.block) if self.type >= 2 else None
        return self.device, self.stream, self.task, block


def read(path):
    """(MHz of the counter, devices, records); raises ValueError."""
    with open(path, "rb") as file:
        data = file.read()
    if len(data) < BYTES or len(data) % BYTES:
        raise ValueError("%d bytes are not a whole number of records" % len(data))
    records = [Record(data[i:i + BYTES]) for i in range(0, len(data), BYTES)]
    first = records.pop(0)
    if first.type != HEADER or first.magic != MAGIC or first.data[16:].split(
        b"\0")[0] != b"twinrt-msprof":
        raise ValueError("the first record is not that of twinrt")
    if first.stream != VERSION:
        raise ValueError("version %d; this reads %d" % (first.stream, VERSION))
    for at, record in enumerate(records):
        if record.magic != MAGIC or record.type not in TYPES or record.count != at % 16:
            raise ValueError("record %d is damaged" % (at + 1))
    return first.ticks & 0xffffffff, first.task, records


def pairs(records):
    """(start, end) of each task and block, in the order of their ends."""
    begun = {}
    for record in records:
        if record.type % 2 == 0:
            begun.setdefault(record.key(), []).append(record)
        elif begun.get(record.key()):
            yield begun[record.key()].pop(0), record


def what(record):
    if record.type < 2:
        return ""
    return "  %s %d, block %d" % (("AIC", "AIV")[record.kind & 1], record.core, record.block)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("--tasks", action="store_true")
    options = parser.parse_args()
    try:
        mhz, _, records = read(options.file)
    except (OSError, ValueError) as error:
        print("msprof_print.py: %s: %s" % (options.file, error), file=sys.stderr)
        return 1
    if options.tasks:
        print("%6s %6s %5s %4s %14s %14s %12s" % ("device", "stream", "task", "type", "start us",
                                                 "end us", "takes us"))
        for start, end in pairs(records):
            print("%6d %6d %5d %4d %14.3f %14.3f %12.3f%s" % (
                start.device, start.stream, start.task, start.sqe, start.ticks / mhz,
                end.ticks / mhz, (end.ticks - start.ticks) / mhz, what(start)))
        return 0
    for record in records:
        print("%16d  device %d stream %d task %d type %d  %s%s" % (
            record.ticks, record.device, record.stream, record.task, record.sqe,
            TYPES[record.type], what(record)))
    return 0


if __name__ == "__main__":
    sys.exit(main())

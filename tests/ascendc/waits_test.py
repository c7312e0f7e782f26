#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Blocks that poll global memory, by the headers of TWINRT_TEST_TOOLKIT. Arguments: the build
folder. Skipped (77) without a toolkit, or clang 17 or newer."""
import struct
import sys
import unittest

from ascendc_test import TOOLKIT, Case, find_clang

SYNC = "03_basic_api/05_sync_control/"


class Waits(Case):
    def outcome(self, example, form, source):
        """Numbers that one of the vendor's examples leaves."""
        self.run_example(SYNC + example, {**source, "output/output.bin": b""})
        with open(self.path("output/output.bin"), "rb") as file:
            return list(struct.unpack(form, file.read()))

    def test_flags(self):
        """IBSet and IBWait: the second block adds to what the first one leaves."""
        x, y = ([(k * i) % 100 for i in range(512)] for k in (3, 7))
        first = [a + b for a, b in zip(x[:256], y)]
        got = self.outcome("ib_set_wait", "<512e", {
            "input/input_x.bin": struct.pack("<512e", *x),
            "input/input_y.bin": struct.pack("<512e", *y), "input/input_sync.bin": bytes(1024)})
        self.assertEqual(got, first + [a + b for a, b in zip(first, y[256:])])

    def test_blocks_in_turn(self):
        """WaitPreBlock and NotifyNextBlock: each of eight blocks adds the row."""
        got = self.outcome("sequential_block_sync", "<256f", {
            "input/input_x.bin": struct.pack("<256f", *range(256)),
            "input/input_work.bin": bytes(256)})
        self.assertEqual(got, [8 * i for i in range(256)])

    def test_barrier(self):
        """SyncAll with a workspace."""
        self.passes(self.build("waits.asc", f"--toolkit={TOOLKIT}"))


if __name__ == "__main__":
    if not TOOLKIT:
        print("skipped: TWINRT_TEST_TOOLKIT does not name the sources of a toolkit")
        sys.exit(77)
    if not find_clang():
        print("skipped: no clang 17 or newer: ./dev setup all installs clang-19")
        sys.exit(77)
    unittest.main(verbosity=2)

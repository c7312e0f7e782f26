#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How busy the pipes of the AI cores were, kernel by kernel, from a timeline.

  build/bin/twinrt run --trace t.json -- build/examples/matmul_overlap
  python3 examples/pipe_use.py t.json

A share is of the time that blocks of the kernel held cores of that kind. Waiting for a flag does
not count as work.
"""
import collections
import json
import sys


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    rows = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["ph"] == "M"
            and e["name"] == "thread_name"}
    held = collections.Counter()
    busy = collections.defaultdict(collections.Counter)
    kernels = {}
    for event in events:
        if event["ph"] != "X" or event["cat"] != "core":
            continue
        words = rows[event["pid"], event["tid"]].split()  # "AIC 0" or "AIC 0 MTE2"
        facts = event["args"]
        kernel = (facts["device"], facts["track"], facts["number"], words[0])
        kernels.setdefault(kernel, event["ts"])
        if len(words) == 2 and event["name"].startswith("block"):
            held[kernel] += event["dur"]
        elif len(words) == 3 and "parameter" in facts: # else it waits for a flag
            busy[kernel][words[2]] += event["dur"]
    for kernel in sorted(kernels, key=kernels.get):
        shares = ", ".join(f"{pipe} {100 * time / held[kernel]:.0f} %"
                           for pipe, time in sorted(busy[kernel].items()))
        print(
            f"device {kernel[0]}, task {kernel[2]}, {kernel[3]} cores, {held[kernel]:.1f} us of "
            f"blocks: {shares}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

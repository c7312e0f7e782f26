#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks a timeline file against the trace event format and against itself.

  timeline_check.py FILE [--covered] [--wakes N] [--submits N] [--data N] [--calls N] [--tasks N]
  timeline_check.py --self-test

--covered: the phases of each task must account for all of its time. The numbers are how many
arrows, calls and tasks there must be at least. Prints every difference and ends with status 1 if
there is one.
"""
import argparse
import collections
import copy
import json
import sys
from decimal import Decimal

MARKS = {"known", "inferred", "assumed", "measured"}
PHASES = {"M", "X", "i", "s", "f", "C"}


def check(document):
    """Returns (list of differences, counts)."""
    wrong = []
    counts = collections.Counter()
    if document.get("displayTimeUnit") != "ns":
        wrong.append("displayTimeUnit is not ns")
    events = document.get("traceEvents")
    if not isinstance(events, list):
        return ["no traceEvents"], counts

    names = {"process_name": {}, "thread_name": {}}
    slices = collections.defaultdict(list)
    curves = collections.defaultdict(list)
    starts, ends = {}, {}
    uses = collections.Counter()
    latest = Decimal(0)
    for at, event in enumerate(events):
        where = "event %d (%s %s)" % (at, event.get("ph"), event.get("name"))
        kind = event.get("ph")
        if kind not in PHASES:
            wrong.append(where + ": unknown kind")
            continue
        if not isinstance(event.get("pid"), int) or not isinstance(event.get("tid"), int):
            wrong.append(where + ": no process or thread")
            continue
        row = (event["pid"], event["tid"])
        if kind == "M":
            if event["name"] == "process_name":
                names["process_name"][event["pid"]] = event["args"]["name"]
            elif event["name"] == "thread_name":
                names["thread_name"][row] = event["args"]["name"]
            continue
        for key in ("ts", "dur") if kind == "X" else ("ts",):
            value = event.get(key)
            if not isinstance(value, Decimal) or value.as_tuple().exponent != -3 or value < 0:
                wrong.append("%s: %s is not microseconds with three decimals" % (where, key))
                return wrong, counts
        if event["ts"] < latest:
            wrong.append(where + ": earlier than the event before it")
        latest = max(latest, event["ts"])
        if event["pid"] not in names["process_name"]:
            wrong.append(where + ": its process has no name")
        if kind == "C":
            curves[(event["pid"], event["name"])].append((event["ts"], event["args"]))
            continue
        if row not in names["thread_name"]:
            wrong.append(where + ": its track has no name")
        args = event.get("args", {})
        if kind == "X":
            slices[row].append((event["ts"], event["ts"] + event["dur"], event["name"]))
            counts[event["cat"] + "s"] += 1
        if kind in "sf":
            table = starts if kind == "s" else ends
            if event["id"] in table:
                wrong.append(where + ": second arrow with this number")
            table[event["id"]] = event
            if kind == "f" and event.get("bp") != "e":
                wrong.append(where + ": the arrow does not end in the slice around it")
        if "parameter" in args:
            if args.get("mark") not in MARKS or not args.get("value") or "unit" not in args:
                wrong.append(where + ": parameter without value, unit or mark")
            if event.get("cat") != "engine" or "stream" not in args:
                uses[args["parameter"]] += 1

    for row, found in slices.items():
        open_slices = []
        for begin, end, name in found:
            while open_slices and open_slices[-1][1] <= begin:
                open_slices.pop()
            if open_slices and end > open_slices[-1][1]:
                wrong.append("track %s: %s at %s ends after %s around it" %
                             (row, name, begin, open_slices[-1][2]))
            open_slices.append((begin, end, name))

    def held(event):
        row = (event["pid"], event["tid"])
        return any(b <= event["ts"] and (event["ts"] < e or b == e == event["ts"])
                   for b, e, _ in slices[row])

    drawn = set()
    for number, event in starts.items():
        if number not in ends:
            wrong.append("arrow %s has no end" % number)
            continue
        if ends[number]["ts"] < event["ts"]:
            wrong.append("arrow %s ends before it begins" % number)
        for side in (event, ends[number]):
            if not held(side):
                wrong.append("arrow %s at %s: no slice there" % (number, side["ts"]))
        counts[{"wake": "wakes", "submit": "submits", "data": "data"}.get(event["cat"],
                                                                          event["cat"] + "s")] += 1
        both = tuple((event["cat"], e["pid"], e["tid"], e["ts"]) for e in (event, ends[number]))
        if both in drawn and event["cat"] == "data":
            wrong.append("arrow %s at %s: drawn twice" % (number, event["ts"]))
        drawn.add(both)
    for number in ends:
        if number not in starts:
            wrong.append("arrow %s has no start" % number)

    wrong += exclusive(names, slices) + levels(document, names, curves)
    counts["curves"] = len(curves)

    listed = {p["name"]: p["uses"] for p in document["otherData"]["parameters"]}
    if listed != dict(uses):
        wrong.append("the list of parameters %s does not match their use %s" % (listed, dict(uses)))
    return wrong, counts


def exclusive(names, slices):
    """A slot, a channel or a core has one user at a time: slices on its track overlap only by
    nesting, and it needs no second lane. Each lane of a class is one share, which has one user at a
    time too."""
    wrong = []
    for row, found in slices.items():
        process, track = names["process_name"].get(row[0], ""), names["thread_name"].get(row, "")
        shares = process.endswith(" class shares")
        if not (
            shares or process.endswith((" slots", " engines", " AI cores"))) or "waits" in track:
            continue
        if "(" in track and not shares:
            wrong.append("%s, %s: two users at once" % (process, track))
        if process.endswith(" AI cores"):
            continue
        last = Decimal(-1)
        for begin, end, name in sorted(found):
            if begin < last:
                wrong.append("%s, %s: %s at %s overlaps what is before it" %
                             (process, track, name, begin))
            last = max(last, end)
    return wrong


def levels(document, names, curves):
    """Curves stay within what a link can carry, have one value for each instant, and end at 0."""
    most = {("device %d links" % link["device"], link["name"]): link["bytes_per_s"]
            for link in document["otherData"].get("links", [])}
    wrong = []
    for (pid, name), points in curves.items():
        key = (names["process_name"].get(pid), name)
        for (at, args), (later, _) in zip(points, points[1:] + [(Decimal("Infinity"), None)]):
            if later <= at:
                wrong.append("%s: two values at %s" % (key, at))
            if "bytes_per_s" in args and not 0 <= args["bytes_per_s"] <= most.get(key, -1):
                wrong.append("%s at %s: %s bytes per second, at most %s" %
                             (key, at, args["bytes_per_s"], most.get(key)))
            if "slots" in args and args["slots"] < 0:
                wrong.append("%s at %s: %s slots" % (key, at, args["slots"]))
        if any(points[-1][1].values()):
            wrong.append("%s does not end at 0" % (key,))
    return wrong


def uncovered(document):
    """What the phases of a task leave of its time."""
    tasks, phases, wrong = {}, collections.defaultdict(list), []
    for event in document["traceEvents"]:
        args = event.get("args", {})
        if event["ph"] != "X" or "track" not in args:
            continue
        key = (args["track"], args["number"])
        if event["cat"] == "task":
            tasks[key] = event
        elif event["cat"] in ("phase", "wait"):
            phases[key].append((event["ts"], event["ts"] + event["dur"]))
    for key, task in tasks.items():
        at, end = task["ts"], task["ts"] + task["dur"]
        for begin, until in sorted(phases[key]) + [(end, end)]:
            if begin > at:
                wrong.append("%s, task %d of track %d: nothing accounts for %s to %s" %
                             (task["name"], key[1], key[0], at, begin))
            at = max(at, until)
    return wrong


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file, parse_float=Decimal)


GOOD = """{"displayTimeUnit":"ns","traceEvents":[
{"ph":"M","name":"process_name","pid":2,"tid":0,"args":{"name":"device 0 streams"}},
{"ph":"M","name":"thread_name","pid":2,"tid":1,"args":{"name":"stream 1"}},
{"ph":"X","cat":"task","name":"SDMA","ts":1.000,"dur":3.000,"pid":2,"tid":1,"args":{}},
{"ph":"X","cat":"phase","name":"fetch","ts":1.000,"dur":0.500,"pid":2,"tid":1,
 "args":{"parameter":"p","value":"500","unit":"ns","mark":"known"}},
{"ph":"s","cat":"wake","name":"a","id":1,"ts":1.400,"pid":2,"tid":1},
{"ph":"f","bp":"e","cat":"wake","name":"a","id":1,"ts":2.000,"pid":2,"tid":1},
{"ph":"M","name":"process_name","pid":3,"tid":0,"args":{"name":"device 0 slots"}},
{"ph":"M","name":"thread_name","pid":3,"tid":2,"args":{"name":"slot 0"}},
{"ph":"M","name":"process_name","pid":4,"tid":0,"args":{"name":"device 0 links"}},
{"ph":"X","cat":"slot","name":"stream 1","ts":5.000,"dur":1.000,"pid":3,"tid":2,"args":{}},
{"ph":"C","name":"HBM","ts":5.000,"pid":4,"tid":0,"args":{"bytes_per_s":900}},
{"ph":"X","cat":"slot","name":"stream 1","ts":6.000,"dur":1.000,"pid":3,"tid":2,"args":{}},
{"ph":"C","name":"HBM","ts":6.000,"pid":4,"tid":0,"args":{"bytes_per_s":0}},
{"ph":"M","name":"process_name","pid":5,"tid":0,"args":{"name":"device 0 class shares"}},
{"ph":"M","name":"thread_name","pid":5,"tid":3,"args":{"name":"SDMA (2)"}},
{"ph":"X","cat":"share","name":"stream 1","ts":6.000,"dur":2.000,"pid":5,"tid":3,"args":{}},
{"ph":"X","cat":"share","name":"stream 2","ts":8.000,"dur":1.000,"pid":5,"tid":3,"args":{}}
],"otherData":{"links":[{"device":0,"name":"HBM","bytes_per_s":1000}],"parameters":[{"name":"p","uses":1}]}}"""


def self_test():
    """Each damage to a good file must be seen."""
    good = json.loads(GOOD, parse_float=Decimal)
    assert check(good)[0] == [], check(good)[0]

    def damaged(change):
        document = copy.deepcopy(good)
        change(document, document["traceEvents"])
        return check(document)[0]

    damages = {
        "overlap": lambda d, e: e[3].update(dur=Decimal("3.500")),
        "backwards": lambda d, e: e[4].update(ts=Decimal("0.900")),
        "half an arrow": lambda d, e: e.pop(5),
        "other half": lambda d, e: e.pop(4),
        "arrow to nowhere": lambda d, e: e[5].update(ts=Decimal("9.000")),
        "no mark": lambda d, e: e[3]["args"].pop("mark"),
        "wrong count": lambda d, e: d["otherData"]["parameters"][0].update(uses=2),
        "nameless track": lambda d, e: e.pop(1),
        "coarse time": lambda d, e: e[2].update(ts=Decimal("1.0")),
        "unit": lambda d, e: d.update(displayTimeUnit="ms"),
        "two in a slot": lambda d, e: e[9].update(dur=Decimal("1.500")),
        "nested in a slot": lambda d, e: e[9].update(dur=Decimal("3.000")),
        "nested in a share": lambda d, e: e[15].update(dur=Decimal("4.000")),
        "more than a link carries": lambda d, e: e[10]["args"].update(bytes_per_s=1001),
        "a curve that stays up": lambda d, e: e[12]["args"].update(bytes_per_s=1),
        "two arrows at once": lambda d, e: (e[4].update(cat="data"), e[5].update(cat="data"),
                                            e.insert(5, {**e[4], "id": 2}),
                                            e.insert(7, {**e[6], "id": 2})),
        "two values at once": lambda d, e: e[12].update(ts=Decimal("5.000")),
    }
    for name, change in damages.items():
        assert damaged(change), "not seen: " + name
    covered = copy.deepcopy(good)
    for event in covered["traceEvents"][2:4]:
        event["args"].update(track=1, number=1)
        event["dur"] = Decimal("3.000")
    assert uncovered(covered) == [], uncovered(covered)
    covered["traceEvents"][3]["dur"] = Decimal("2.999")
    assert len(uncovered(covered)) == 1
    print("%d passed, 0 failed" % (len(damages) + 1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file", nargs="?")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--covered", action="store_true")
    for name in ("wakes", "submits", "data", "calls", "tasks"):
        parser.add_argument("--" + name, type=int, default=0)
    options = parser.parse_args()
    if options.self_test:
        self_test()
        return 0
    if not options.file:
        parser.error("which file?")
    document = load(options.file)
    wrong, counts = check(document)
    if options.covered:
        wrong += uncovered(document)
    for name in ("wakes", "submits", "data", "calls", "tasks"):
        if counts[name] < getattr(options, name):
            wrong.append("%d %s, at least %d expected" % (counts[name], name,
                                                          getattr(options, name)))
    for text in wrong[:50]:
        print(text)
    print("%s: %s; %d differences" % (options.file, ", ".join(
        "%d %s" % (counts[n], n) for n in sorted(counts)), len(wrong)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs made of seeds, and all files that they leave: each is read by its own parser here and
compared with the others.

  observation_test.py RANDOM_PROGRAM CRITICAL_TEST TWINRT
"""
import collections
import json
import os
import shutil
import subprocess
import sys
from decimal import Decimal

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(TOP, "tools")]
sys.dont_write_bytecode = True

import msprof_print  # noqa: E402
import timeline_check  # noqa: E402

# A part with little of everything, so that all kinds of waits happen.
SCARCE = {"swap_in": {"slots": 5, "sdma_cap": 3, "pcie_dma_cap": 4},
          "dma": {"sdma": {"channels": 2}, "pcie": {"channels": 2}, "host": {"channels": 1}}}
failures = []


def expect(good, text):
    if not good:
        failures.append(text)


def scarce_profile(path):
    def entries(tree):
        return {key: {"value": value, "unit": "1", "mark": "assumed", "source": "a test"}
                if isinstance(value, int) else entries(value) for key, value in tree.items()}
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"base": "910b3", **entries(SCARCE)}, file)
    shutil.copy(os.path.join(TOP, "sim", "profiles", "910b3.json"), os.path.dirname(path))


def run(program, seed, profile, name):
    """Runs the program; the names of its files, by setting."""
    files = {"TWINRT_TRACE": name + ".json", "TWINRT_STATS": name + ".stats.json",
             "TWINRT_MSPROF": name + ".msprof", "TWINRT_VCD": name + ".vcd"}
    for path in files.values():
        if os.path.exists(path):
            os.unlink(path)
    subprocess.run([program, str(seed)], check=True, timeout=50,
                   env={**os.environ, **files, "TWINRT_BACKEND": "sim", "TWINRT_PROFILE": profile})
    return files


def content(path):
    with open(path, "rb") as file:
        return file.read()


def ns(us):
    return int(us * 1000)


# ---- counters ----------------------------------------------------------------------------------

CAPS = ("swap_in.sdma_cap", "swap_in.pcie_dma_cap", "swap_in.cond_cap", "swap_in.cpu_topic_cap")


def cause(event):
    name, args = event["name"], event["args"]
    if event["cat"] == "phase" and name == "slot":
        return "class" if args["parameter"] in CAPS else "slot"
    if event["cat"] == "phase" and name == "engine":
        return "channel"
    if event["cat"] == "engine" and name == "engine" and "stream" not in args:
        return "channel"
    if event["cat"] == "wait" and name == "park":
        return "event" if "event" in args else "notify" if "notify" in args else "memory"
    return None


def check_wait(where, counted, lengths, slack):
    lengths = sorted(lengths)
    expect(counted["count"] == len(lengths), "%s: %d counted, %d in the timeline" %
           (where, counted["count"], len(lengths)))
    expect(counted["total_ns"] == sum(lengths), "%s: total %d, not %d" %
           (where, counted["total_ns"], sum(lengths)))
    expect(counted["max_ns"] == max(lengths, default=0), where + ": max")
    for percent in (50, 90, 99):
        exact = lengths[-(-len(lengths) * percent // 100) - 1] if lengths else 0
        got = counted["p%d_ns" % percent]
        expect(exact <= got <= exact + (exact // 32 if slack else 0),
               "%s: p%d is %d, not %d" % (where, percent, got, exact))


def check_stats(name, stats, document):
    expect((stats["format"], stats["version"]) == ("twinrt-stats", 1), name + ": version")
    waits, host = collections.defaultdict(list), collections.defaultdict(list)
    busy, moved = collections.Counter(), collections.Counter()
    streams = collections.defaultdict(collections.Counter)
    for event in document["traceEvents"]:
        if event["ph"] != "X":
            continue
        length, args = ns(event["dur"]), event["args"]
        if cause(event):
            waits[cause(event)].append(length)
        if event["cat"] == "host wait":
            host[args["cause"]].append(length)
        if event["cat"] == "slot":
            busy["slots", args["slot"]] += length
            streams[args["stream"]]["slot_ns"] += length
        if event["cat"] == "share":
            busy["classes", args["class"]] += length
        if event["cat"] == "engine" and event["name"] in ("setup", "transfer"):
            kind = {"SDMA": "sdma", "PCIe DMA": "pcie_dma", "host DMA": "host_dma"}[args["engine"]]
            busy[kind, args["channel"]] += length
            moved[kind, args["channel"]] += args["bytes"] if event["name"] == "transfer" else 0
        if event["cat"] == "task":
            streams[args["stream"]]["tasks"] += 1
            streams[args["stream"]]["task_ns"] += length
    device = stats["devices"][0]
    tables = collections.Counter(e["args"]["parameter"] for e in document["traceEvents"]
                                 if e["ph"] == "X" and e["name"] == "table")
    expect(device["event_cache"] == {"hits": tables["table.event_ns"],
                                     "misses": tables["table.event_miss_ns"]},
           "%s: event cache %s" % (name, device["event_cache"]))
    expect(device["tasks"] == device["prefetch"]["hits"] + device["prefetch"]["misses"] and
           device["prefetch"]["misses"] == sum(e["ph"] == "X" and e["name"] == "fetch"
                                               for e in document["traceEvents"]),
           "%s: prefetch %s" % (name, device["prefetch"]))
    for key, counted in device["waits"].items():
        check_wait("%s: waits for %s" % (name, key), counted, waits.pop(key, []), True)
    for key, counted in stats["host_waits"].items():
        check_wait("%s: threads wait for %s" % (name, key), counted, host.pop(key, []), False)
    expect(not waits and not host, "%s: not counted: %s %s" % (name, list(waits), list(host)))
    for kind in ("slots", "classes", "sdma", "pcie_dma", "host_dma"):
        expect(device[kind]["busy_ns"] == sum(v for k, v in busy.items() if k[0] == kind),
               "%s: %s busy" % (name, kind))
        for each in device[kind]["each"]:
            key = (kind, each["index"])
            expect(each["busy_ns"] == busy[key], "%s: %s %d busy" % (name, *key))
            expect(each.get("bytes", 0) == moved[key], "%s: %s %d bytes" % (name, *key))
            expect(0 <= each["utilisation"] <= 1, "%s: %s %d utilisation" % (name, *key))
    for stream in stats["streams"]:
        for key in ("tasks", "task_ns", "slot_ns"):
            expect(stream[key] == streams[stream["stream"]][key],
                   "%s: stream %d: %s" % (name, stream["stream"], key))
    for link in device["links"]["each"]:
        expect(link["bytes"] <= link["load_bytes"] + link["bytes"] // 1000 + 1000,
               "%s: link %s: %d bytes at a load of %d" %
               (name, link["name"], link["bytes"], link["load_bytes"]))
        expect(0 <= link["utilisation"] <= 1, "%s: link %s" % (name, link["name"]))


# ---- profiling records --------------------------------------------------------------------------

def check_msprof(name, path, document):
    mhz, devices, records = msprof_print.read(path)
    expect(devices == 1 and mhz == 50, "%s: header" % name)
    expect(all(a.ticks <= b.ticks for a, b in zip(records, records[1:])), name + ": order")
    found = sorted((s.stream, s.task, s.ticks, e.ticks) for s, e in msprof_print.pairs(records))
    wanted = sorted((e["args"]["stream"], e["args"]["task"], ns(e["ts"]) * mhz // 1000,
                     ns(e["ts"] + e["dur"]) * mhz // 1000)
                    for e in document["traceEvents"] if e["ph"] == "X" and e["cat"] == "task")
    expect(found == wanted, "%s: %d tasks in the records, %d in the timeline, or other times" %
           (name, len(found), len(wanted)))


# ---- signals ------------------------------------------------------------------------------------

def parse_vcd(text):
    """{name: (bits, [(time, value)])}, after the grammar of the format; raises ValueError."""
    words = iter(text.split())
    names, scope, step = {}, [], None
    for word in words:
        body = []
        for part in words:
            if part == "$end":
                break
            body.append(part)
        if word == "$timescale":
            step = body
        elif word == "$scope":
            scope.append(body[1])
        elif word == "$upscope":
            scope.pop()
        elif word == "$var":
            kind, bits, code, title = body[0], int(body[1]), body[2], body[3]
            if code in names or kind not in ("wire", "event") or not scope:
                raise ValueError("variable %s" % title)
            names[code] = (".".join(scope + [title]), 0 if kind == "event" else bits)
        elif word == "$enddefinitions":
            break
        elif word != "$version":
            raise ValueError(word)
    if step != ["1", "ns"] or scope:
        raise ValueError("timescale or scopes")
    values, now, dumping = {code: [] for code in names}, None, False
    for word in words:
        if word[0] == "#":
            if now is not None and int(word[1:]) <= now:
                raise ValueError("time goes back at %s" % word)
            now = int(word[1:])
            continue
        if word in ("$dumpvars", "$end"):
            dumping = word == "$dumpvars"
            continue
        if word[0] == "b":
            value, code = int(word[1:], 2), next(words)
        else:
            value, code = int(word[0], 2), word[1:]
        bits = names[code][1]
        if value >> max(bits, 1) or (word[0] == "b") != (bits > 1):
            raise ValueError("%s at %s" % (word, now))
        if bits and not dumping and values[code][-1][1] == value:
            raise ValueError("%s at %s is not a change" % (names[code][0], now))
        values[code].append((now, value))
    return now, {names[code][0]: (names[code][1], values[code]) for code in names}


def integral(points, end):
    return sum(
        value * (after - at) for (at, value), (after, _) in zip(points, points[1:] + [(end, 0)]))


def check_vcd(name, path, stats, document):
    try:
        end, signals = parse_vcd(content(path).decode("ascii"))
    except (ValueError, KeyError, StopIteration, IndexError) as error:
        expect(False, "%s: %r" % (name, error))
        return
    device = stats["devices"][0]
    expect(integral(signals["device_0.slots_in_use"][1], end) == device["slots"]["busy_ns"],
           name + ": slots in use over time")
    expect(max(v for _, v in signals["device_0.slots_in_use"][1]) == device["slots"]["most"],
           name + ": most slots in use")
    for kind in ("sdma", "pcie_dma", "host_dma"):
        for each in device[kind]["each"]:
            got = integral(signals["device_0.%s_%d" % (kind, each["index"])][1], end)
            expect(got == each["busy_ns"], "%s: %s %d busy" % (name, kind, each["index"]))
    for link in device["links"]["each"]:
        title = "device_0.%s_bytes_per_s" % link["name"].replace(" ", "_")
        moved = integral(signals[title][1], end) // 10 ** 9
        expect(abs(moved - link["load_bytes"]) <= link["load_bytes"] // 10 ** 6 +
               len(signals[title][1]), "%s: %s" % (name, title))
        expect(all(v <= link["bytes_per_s"] for _, v in signals[title][1]), title + ": too fast")
    check_flags(name, signals, document)
    expect(sum(".stream_" in s for s in signals) == len(
        {e["args"]["track"] for e in document["traceEvents"] if e["ph"] == "X"
         and e["cat"] == "task"}),
        name + ": queues")


def check_flags(name, signals, document):
    records = [e for e in document["traceEvents"]
               if e["ph"] == "X" and e["name"].startswith("record event")]
    expect(len(records) > 3, "%s: %d records" % (name, len(records)))
    for record in records:
        event = record["args"].get("event")
        expect(any(v for _, v in signals.get("device_0.event_%s" % event, (1, []))[1]),
               "%s: event %s never set" % (name, event))


def check_firmware(name, files):
    """A part without a hardware scheduler, whose tables take no time: nothing is left out there
    either."""
    document = timeline_check.load(files["TWINRT_TRACE"])
    wrong, _ = timeline_check.check(document)
    failures.extend("%s: %s" % (name, text) for text in
                    (wrong + timeline_check.uncovered(document))[:10])
    check_flags(name, parse_vcd(content(files["TWINRT_VCD"]).decode("ascii"))[1], document)
    reported = {e["args"]["parameter"] for e in document["traceEvents"]
                if e["ph"] == "X" and e["name"] == "reported"}
    expect({"firmware.reports.interrupt_ns", "firmware.reports.take_ns"} <= reported,
           "%s: reports rest on %s" % (name, reported))


def damaged_vcd():
    """The parser must see damage."""
    good = ("$version x $end $timescale 1 ns $end $scope module d $end $var wire 1 ! a $end "
            "$upscope $end $enddefinitions $end #0 $dumpvars 0! $end #5 1! #6 0! #7")
    parse_vcd(good)
    for old, new in (("#6", "#5"), ("0! #7", "1! #7"), ("1 ns", "1 ps"), ("#5 1!", "#5 b1 !"),
                     ("#5 1!", "#5 1?")):
        try:
            parse_vcd(good.replace(old, new))
        except (ValueError, KeyError):
            continue
        expect(False, "damage to signals is not seen: " + new)


# ---- arrows from work to its readers ------------------------------------------------------------

MOVES = ("SDMA", "PCIe DMA", "AI core")


def check_data(name, document):
    """Every arrow leads from work to work that waited for it, once; and where a wait parked, one
    leads from the work before the record that ended it to the work after the wait. Returns how
    many there are."""
    tasks, parks, rows = collections.defaultdict(dict), {}, collections.defaultdict(list)
    for event in document["traceEvents"]:
        args = event.get("args", {})
        if event["ph"] != "X" or "track" not in args:
            continue
        if event["cat"] == "task":
            tasks[args["track"]][args["number"]] = event
            rows[event["pid"], event["tid"]].append(event)
        elif event["name"] == "park":
            parks[args["track"], args["number"]] = args

    def back(track, number):
        for before in sorted((n for n in tasks[track] if n < number), reverse=True):
            yield before, tasks[track][before]["name"]

    def work_before(track, number):
        for before, what in back(track, number):
            if what in MOVES:
                return track, before
            if what.startswith("wait"):
                break
        return None

    wanted = set()
    for track in list(tasks):
        for number, task in tasks[track].items():
            if task["name"] not in MOVES:
                continue
            for before, what in back(track, number):
                if what in MOVES:
                    break
                park = parks.get((track, before), {})
                source = "waker_track" in park and work_before(park["waker_track"],
                                                               park["waker_number"])
                if source:
                    wanted.add((source, (track, number)))

    ends = {e["id"]: e for e in document["traceEvents"] if e["ph"] == "f" and e["cat"] == "data"}
    got = []
    for event in document["traceEvents"]:
        if event["ph"] != "s" or event["cat"] != "data":
            continue
        end = ends[event["id"]]
        begins = [t for t in rows[event["pid"], event["tid"]] if t["ts"] + t["dur"] -
                  Decimal("0.001") == event["ts"]]
        reads = [t for t in rows[end["pid"], end["tid"]] if t["ts"] <= end["ts"] < t["ts"] +
                 t["dur"]]
        expect(len(begins) == 1 and len(reads) == 1, "%s: arrow %d is of no task" %
               (name, event["id"]))
        if len(begins) != 1 or len(reads) != 1:
            continue
        expect(begins[0]["name"] in MOVES and reads[0]["name"] in MOVES + ("call host",),
               "%s: data from %s to %s" % (name, begins[0]["name"], reads[0]["name"]))
        got.append(tuple((t["args"]["track"], t["args"]["number"]) for t in (begins[0], reads[0])))
        (from_track, from_number), (to_track, to_number) = got[-1]
        expect(from_track != to_track or from_number < to_number, "%s: data from later work" % name)
        expect(any(what.startswith("wait") for _, what in back(to_track, to_number)),
               "%s: no wait" % name)
    expect(len(got) == len(set(got)), name + ": two arrows for the same data")
    expect(wanted <= set(got), "%s: arrows are missing: %s" % (name, sorted(wanted - set(got))[:5]))
    return len(got)


# ---- several processes ------------------------------------------------------------------------

def check_processes(twinrt, program, alone):
    """No process overwrites files of another; one process alone has the plain names."""
    wanted = {"--trace": alone["TWINRT_TRACE"], "--stats": alone["TWINRT_STATS"],
              "--msprof": alone["TWINRT_MSPROF"], "--vcd": alone["TWINRT_VCD"]}
    folder = os.path.abspath("several")
    os.makedirs(folder, exist_ok=True)
    for count, script in ((1, "{0} 1"), (2, "{0} 1 & {0} 1; wait $!")):
        for name in os.listdir(folder):
            os.unlink(os.path.join(folder, name))
        given = [f"{option}={folder}/{option[2:]}" for option in wanted]
        done = subprocess.run(
            [twinrt, "run", "--explain=0", *given, "--", "sh", "-c", script.format(program)],
            timeout=90,
            env={**os.environ, "TWINRT_PROFILE": "910b3"}, capture_output=True, text=True,
            check=False)
        expect(done.returncode == 0, f"{count} processes: {done.returncode}, {done.stderr}")
        expect(done.stdout.count("timeline: ") == done.stdout.count("Counters over") == count,
               "reports: " + done.stdout)
        left = os.listdir(folder)
        for option, path in wanted.items():
            names = [name for name in left if name.split(".")[0] == option[2:]]
            expect(len(names) == count and (count > 1) == all("." in name for name in names),
                   f"{option}: {left}")
            for name in names:
                expect(content(os.path.join(folder, name)) == content(path),
                       f"{name} is not as if it were alone")
            expect((f"{folder}/{option[2:]}." in done.stderr) == (count > 1),
                   f"{option}: {done.stderr}")
    with_number = subprocess.Popen([program, "1"], env={
        **os.environ, "TWINRT_BACKEND": "sim", "TWINRT_PROFILE": "910b3",
        "TWINRT_TRACE": f"{folder}/%p-%p.json"})
    expect(with_number.wait(50) == 0, "with %p")
    path = f"{folder}/{with_number.pid}-{with_number.pid}.json"
    expect(os.path.exists(path) and content(path) == content(wanted["--trace"]),
           "the number of the process in a name")


# ---- all ----------------------------------------------------------------------------------------

def main():
    program, critical, twinrt = sys.argv[1:4]
    scarce = os.path.abspath("scarce.json")
    scarce_profile(scarce)
    damaged_vcd()
    timelines, kinds = [], collections.Counter()
    for seed, profile in ((1, "910b3"), (2, scarce), (3, scarce), (4, scarce)):
        name = "random%d" % seed
        files = run(program, seed, profile, name)
        document = timeline_check.load(files["TWINRT_TRACE"])
        wrong, counts = timeline_check.check(document)
        failures.extend("%s: %s" % (name, text) for text in
                        (wrong + timeline_check.uncovered(document))[:10])
        for key in ("wakes", "submits", "doorbells", "slots", "shares", "curves", "host waits"):
            expect(counts[key] > 3, "%s: %d %s" % (name, counts[key], key))
        stats = json.loads(content(files["TWINRT_STATS"]))
        check_stats(name, stats, document)
        kinds["data"] += check_data(name, document)
        check_msprof(name, files["TWINRT_MSPROF"], document)
        check_vcd(name, files["TWINRT_VCD"], stats, document)
        kinds.update(k for k, w in stats["devices"][0]["waits"].items() if w["count"])
        timelines.append(files["TWINRT_TRACE"])
    expect({"slot", "class", "channel", "event"} <= set(kinds), "waits that happened: %s" % kinds)
    expect(kinds["data"] > 10, "arrows from work to its readers: %d" % kinds["data"])

    before = {path: content(path) for path in files.values()}
    run(program, 4, scarce, "random4")
    for path, bytes_before in before.items():
        expect(content(path) == bytes_before, path + " is another one the second time")
    alone = {"TWINRT_STATS": "alone.stats.json", "TWINRT_VCD": "alone.vcd",
             "TWINRT_VCD_SIGNALS": "slots,links"}
    subprocess.run([program, "4"], check=True, timeout=50, env={
        **os.environ, **alone, "TWINRT_BACKEND": "sim", "TWINRT_PROFILE": scarce})
    expect(content("alone.stats.json") == before["random4.stats.json"],
           "the counters are others without a timeline")
    _, signals = parse_vcd(content("alone.vcd").decode("ascii"))
    expect(
        signals and all("slots_in" in s or "granted" in s or "bytes_per_s" in s for s in signals),
        "signals that were not asked for: %s" % list(signals))
    bad = subprocess.run([program, "4"], timeout=50, capture_output=True, text=True, check=False,
                         env={
        **os.environ, "TWINRT_VCD_SIGNALS": "slots,nothing", "TWINRT_BACKEND": "sim"})
    expect(bad.returncode != 0 and "TWINRT_VCD_SIGNALS" in bad.stderr, "an unknown signal: " +
           bad.stderr)

    for seed, profile in ((5, "910a"), (6, "310p3")):
        files = run(program, seed, profile, "random%d" % seed)
        check_firmware("random%d" % seed, files)
        timelines.append(files["TWINRT_TRACE"])
    paths = subprocess.run([critical] + timelines, capture_output=True, text=True, timeout=50,
                           check=False)
    expect(paths.returncode == 0, paths.stdout)
    done = subprocess.run(
        [twinrt, "run", "--explain=2", "--stats", "--profile", scarce, "--", program, "3"],
        capture_output=True, text=True, timeout=50, check=False)
    expect(done.returncode == 0 and "rests on:" in done.stdout and "by cause:" in done.stdout and
           "Counters over" in done.stdout and done.stdout.count("  in all\n") == 2, "twinrt run: " +
           done.stdout[-2000:] + done.stderr)
    check_processes(twinrt, program, run(program, 1, "910b3", "random1"))
    for text in failures[:40]:
        print(text)
    print("%d differences" % len(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The values in runtime/docs/stability.md, beside the sources, the programs and the libraries.

usage: stability_test.py BUILD_FOLDER"""

import os
import re
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = ""


def text(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def found(path, pattern):
    """The groups of the only place in a file that fits."""
    places = re.findall(pattern, text(path))
    if len(places) != 1:
        raise AssertionError(f"{path}: {len(places)} places fit {pattern}")
    return places[0]


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True,
                          text=True).stdout


def rows(heading):
    """{first cell: second cell} of the table below a heading, without the marks of code."""
    section = text("runtime/docs/stability.md").split(f"\n## {heading}\n")[1].split("\n## ")[0]
    cells = [[cell.strip().replace("`", "") for cell in line.split("|")[1:3]]
             for line in section.splitlines() if line.startswith("|")]
    return dict(cells[2:])


def binaries():
    """The programs and libraries that are installed."""
    for folder, pattern in (("bin", r"twinrt(-cc)?"), ("lib64", r"lib.*\.so"),
                            ("lib64/twinrt", r".*\.so"),
                            ("python/site-packages/acl", r".*\.so")):
        place = os.path.join(BUILD, folder)
        for name in sorted(os.listdir(place)) if os.path.isdir(place) else ():
            path = os.path.join(place, name)
            if re.fullmatch(pattern, name) and not os.path.islink(path):
                yield path


def newest(kind):
    """The newest symbol version of a kind that a program or library needs."""
    versions = set()
    for path in binaries():
        versions |= set(re.findall(rf"Name: {kind}_([\d.]+) ", output("readelf", "-VW", path)))
    return max(versions, key=lambda version: [int(part) for part in version.split(".")])


class Stability(unittest.TestCase):
    def test_supported_versions(self):
        stated = rows("Supported versions")
        self.assertEqual(stated["CANN runtime package with the same headers"],
                         found("tools/cmake/version.info", r"(?m)^Version=(.*)$"))
        numbers = [found("runtime/include/acl/acl_rt.h", rf"#define ACL_{part}_VERSION +(\d+)\b")
                   for part in ("MAJOR", "MINOR", "PATCH")]
        self.assertEqual(stated["ACL interface (aclrtGetVersion)"], ".".join(numbers))
        minor = int(found("runtime/python/interface.h", r"Py_LIMITED_API 0x03(\w\w)0000"), 16)
        self.assertEqual(stated["Python"], f"3.{minor} or newer")
        self.assertIn(f"Requires-Python: >=3.{minor}\n", text("runtime/python/wheel.py"))

    def test_symbols(self):
        stated = rows("Supported versions")
        self.assertEqual(stated["glibc"], f"{newest('GLIBC')} or newer")
        self.assertLessEqual(int(newest("GLIBCXX").split(".")[2]), 30)  # that of GCC 12

    def test_libraries(self):
        names = [re.search(r"SONAME.*\[(.*)\]", output("readelf", "-d", path))
                 for path in binaries()
                 if os.path.dirname(path).endswith("/lib64")]
        self.assertEqual(sorted(rows("Libraries")), sorted(name.group(1) for name in names))
        exported = output("readelf", "--dyn-syms", "-W",
                          os.path.join(BUILD, "lib64", "libacl_rt.so"))
        self.assertIn(" aclInit\n", exported)
        self.assertNotRegex(exported, r"\bacl\w+@", "symbols have versions")

    def test_files(self):
        header = "runtime/seam/record_file.h"
        report = "tools/check/report/json.c"
        self.assertEqual(rows("Files"), {
            "recording": found(header, r"#define TWIN_RECORD_VERSION +(\d+)u"),
            "twinrt check --report, JSON": found(report, r"#define REPORT_VERSION (\d+)"),
            "twinrt check --json": found(report, r"#define RESULT_VERSION (\d+)"),
            "twinrt compare --json": found("tools/compare/report.c",
                                           r"#define FORMAT_VERSION (\d+)"),
            "twinrt run --stats": found("backends/sim/observe/stats_writer.c",
                                        r"#define STATS_VERSION (\d+)"),
            "kernel image of twinrt-cc": found("runtime/kernel/object.h",
                                               r"#define TWIN_NATIVE_VERSION +(\d+)u"),
            "SARIF": found("tools/check/report/sarif.c", r'"version", "([\d.]+)"')})
        revision = found(header, r"#define TWIN_RECORD_REVISION +(\d+)u")
        self.assertEqual(found("runtime/docs/stability.md", r"revision (\d+)"), revision)
        self.assertEqual(found("runtime/docs/stability.md", r"\(version (\d+)\)"),
                         found("runtime/seam/backend.h", r"#define TWIN_SEAM_VERSION (\d+)u"))

    def test_exit_statuses(self):
        for command, stated in rows("Exit statuses").items():
            program, name = command.split()
            ending = output(os.path.join(BUILD, "bin", program), name,
                            "--help").rsplit("\n\n", maxsplit=1)[1]
            named = re.findall(r"(?:^|; )(\d+)(?= \(|:)", " ".join(ending.split()))
            self.assertEqual(re.findall(r"\d+", stated), sorted(named, key=int),
                             f"{command}: {ending}")


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv.pop(1))
    unittest.main()

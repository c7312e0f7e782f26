#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Call sites in reports of `twinrt run --check`, and suppressions.

  check_sites_test.py TWINRT CHECK_PROGRAM RANDOM_PROGRAM
"""
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

from report_case import GOOD, HERE, TWINRT, ReportCase


class SitesTest(ReportCase):
    # ---- where calls are made ----

    def sites(self, how=None):
        """The folder of a copy of the racing program and its library, treated by `how`, and the two
        ends of the one finding."""
        folder = os.path.join(self.folder, "sites")
        os.mkdir(folder)
        for name in ("site_program", "libsite_library.so"):
            shutil.copy(os.path.join(os.path.dirname(GOOD), name), folder)
            if how:
                subprocess.run([*how, os.path.join(folder, name)], check=True)
        done = self.check("--report=r.json", "--report=r.sarif",
                          program=[os.path.join(folder, "site_program")],
                          LD_LIBRARY_PATH=folder)
        self.assertEqual(done.returncode, 99, done.stderr)
        finding, = json.loads(self.read("r.json"))["processes"][0]["findings"]
        self.assertEqual(finding["rule"], "RACE-02")
        return folder, done.stderr, finding["first"]["site"], finding["second"]["site"]

    def test_debug_information(self):
        """Function, file and line, of a library and of a function that is inlined."""
        _, text, first, second = self.sites()
        for site, file, function in ((first, "site_library.cpp", "upload"),
                                     (second, "site_program.cpp", "collect")):
            source = os.path.join(HERE, file)
            with open(source, encoding="utf-8") as lines:
                line = next(number + 1 for number, line in enumerate(lines, 1)
                            if f"SITE: {function}" in line)
            self.assertEqual((site["function"], site["line"], site["wrapper"]),
                             (function, line, False))
            # a compiler cache may have the object from another clone
            self.assertTrue(site["file"].endswith(f"/tests/tools/{file}"), site["file"])
            self.assertEqual(site["file"], os.path.normpath(site["file"]))
            self.assertRegex(" ".join(text.split()), rf" at {function} \(\S*{file}:{line}\)")
        result, = json.loads(self.read("r.sarif"))["runs"][0]["results"]
        for location, site in ((result["locations"][0], second),
                               (result["relatedLocations"][0], first)):
            place = location["physicalLocation"]
            self.assertTrue(
                place["artifactLocation"]["uri"].endswith("/" + os.path.basename(site["file"])))
            self.assertEqual(place["region"], {"startLine": site["line"]})
            self.assertEqual(location["logicalLocations"][0]["name"], site["function"])

    def test_symbols_alone(self):
        """Without debug information the function of the table of symbols, as it is written in C++,
        and the offset."""
        _, text, first, second = self.sites(("strip", "-g"))
        self.assertTrue(first["function"].startswith("staging::upload("), first)
        self.assertEqual((second["function"], second["file"], second["line"]), ("main", "", 0))
        self.assertIn("at main (site_program+0x", " ".join(text.split()))

    def test_nothing_but_the_offset(self):
        """Of a stripped program, module and offset: with these, debug information kept elsewhere can
        be searched."""
        folder, text, _, second = self.sites(("strip",))
        self.assertEqual((second["function"], second["file"], second["line"]), ("", "", 0))
        self.assertEqual(second["module"], os.path.join(os.path.realpath(folder), "site_program"))
        self.assertIn(f"at site_program+{second['offset']}\n", text)
        place = subprocess.run(
            ["addr2line", "-e", os.path.join(os.path.dirname(GOOD), "site_program"),
             second["offset"]],
            capture_output=True, text=True, check=True).stdout
        self.assertIn("site_program.cpp:", place)
        place = json.loads(
            self.read("r.sarif"))["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
        self.assertEqual(place["address"]["relativeAddress"], int(second["offset"], 16))
        self.assertTrue(place["artifactLocation"]["uri"].endswith("/site_program"))

    def test_another_build(self):
        """A file that is not the one that ran is not used: it would name wrong lines."""
        folder = os.path.join(self.folder, "sites")
        record = os.path.join(self.folder, "sites.rec")
        os.mkdir(folder)
        for name in ("site_program", "libsite_library.so"):
            shutil.copy(os.path.join(os.path.dirname(GOOD), name), folder)
        program = os.path.join(folder, "site_program")
        self.assertEqual(
            self.run_tool("record", "-o", record, "--", program, LD_LIBRARY_PATH=folder).returncode,
            0)
        shutil.copy(GOOD, program)
        self.assertRegex(self.run_tool("check", record).stdout, r"at site_program\+0x")

    def reloaded(self, *files, options=()):
        """The lines of the first and second op of each finding, sorted; 0: not known."""
        build = os.path.dirname(GOOD)
        for name in ("first", "second"):
            shutil.copy(os.path.join(build, f"reload_{name}.so"),
                        os.path.join(self.folder, f"{name}.so"))
        done = self.check("--all", "--report=r.json", *options,
                          program=[os.path.join(build, "reload_program"), *files])
        self.assertEqual(done.returncode, 99, done.stderr)
        findings = json.loads(self.read("r.json"))["processes"][0]["findings"]
        return sorted((one["first"]["site"]["line"], one["second"]["site"]["line"])
                      for one in findings)

    def test_plug_in_in_the_place_of_another(self):
        """Each call has the line of the plug-in that made it, also when one returns to its
        place."""
        with open(os.path.join(HERE, "reload_library.cpp"), encoding="utf-8") as lines:
            first = next(number for number, line in enumerate(lines, 1) if "// SITE" in line)
        second = first + 1000
        for options in ((), ("--stacks",)):
            self.assertEqual(self.reloaded("./first.so", "./second.so", options=options),
                             [(first, second)])
            self.assertEqual(
                self.reloaded("./first.so", "./second.so", "./first.so", options=options),
                [(first, second), (second, first)])

    def test_plug_in_that_was_built_again(self):
        """The file has the second build's lines; those of the first are lost with its file, but not
        its caller's."""
        (first, second), = self.reloaded("./first.so", "+./second.so")
        self.assertEqual(first, 0)
        self.assertGreater(second, 1000)
        (first, second), = self.reloaded("./first.so", "+./second.so", options=["--stacks"])
        with open(os.path.join(HERE, "reload_program.cpp"), encoding="utf-8") as lines:
            self.assertEqual(
                first, next(number for number, line in enumerate(lines, 1)
                            if "if (upload(" in line))
        self.assertGreater(second, 1000)

    def test_python(self):
        """Calls of a Python program are the module's: the report says that this is not a place of the
        program."""
        module = os.path.join(os.path.dirname(os.path.dirname(TWINRT)), "python", "site-packages")
        if not os.path.exists(os.path.join(module, "acl", "_acl.abi3.so")):
            self.skipTest("the Python module is not built")
        self.write("race.py", "import acl\nacl.init()\nacl.rt.set_device(0)\n"
                              "a, b = acl.rt.create_stream()[0], acl.rt.create_stream()[0]\n"
                              "memory = acl.rt.malloc(4096, 0)[0]\n"
                              "for stream in (a, b):\n    assert acl.rt.memset_async(memory, "
                              "4096, 1, 4096, stream) == 0\n"
                              "acl.rt.synchronize_device()\nacl.rt.free(memory)\nacl.finalize()\n")
        done = self.check("--report=r.json", program=(sys.executable, "race.py"), PYTHONPATH=module)
        self.assertEqual(done.returncode, 99, done.stderr)
        self.assertIn("the Python module: its caller is not known", " ".join(done.stderr.split()))
        finding, = json.loads(self.read("r.json"))["processes"][0]["findings"]
        self.assertTrue(finding["first"]["site"]["wrapper"])

    # ---- suppressions ----

    def test_sites_suppressed(self):
        self.sites()
        program = [os.path.join(self.folder, "sites", "site_program")]
        for condition, status in (("function=upload", 0), ("function=up*  function=collect", 0),
                                  ("function=down", 99),
                                  ("file=site_library.cpp", 0), ("file=*/tools/site_*.cpp", 0),
                                  ("file=site_library.c", 99),
                                  ("module=libsite_library.so", 0), ("module=*/sites/*", 0),
                                  ("module=site_library", 99)):
            self.write("s", f"RACE-02 {condition}\n")
            done = self.check("--suppressions=s", program=program,
                              LD_LIBRARY_PATH=os.path.dirname(program[0]))
            self.assertEqual(done.returncode, status, condition)

    def test_suppressions(self):
        rules = {match for match in re.findall(r"error\[(.*?)\]", self.check("--all").stderr)}
        self.assertGreater(len(rules), 1)
        self.write("all", "# known\n\n  RACE-*   # every race\n")
        done = self.check("--suppressions=all")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"^twinrt check: .*: \d+ ops, 0 errors, \d+ suppressed")
        self.assertEqual(len(done.stderr.splitlines()), 1)
        self.write("some", "RACE-04 call=aclrtMem*\n")
        done = self.check("--all", "--suppressions=some")
        self.assertEqual(done.returncode, 99)
        self.assertEqual({match for match in re.findall(r"error\[(.*?)\]", done.stderr)}, rules -
                         {"RACE-04"})

    def test_conditions(self):
        """All conditions must hold, each for one of the two ops."""
        self.check("--report=r.json")
        findings = json.loads(self.read("r.json"))["processes"][0]["findings"]
        finding = next(finding for finding in findings if finding["rule"] == "RACE-02")
        first, second = finding["first"], finding["second"]

        def suppressed(conditions):
            self.write("s", f"RACE-02 {conditions}\n")
            self.check("--suppressions=s", "--report=r.json")
            return sum("suppressed_by_line" in each
                       for each in json.loads(self.read("r.json"))["processes"][0]["findings"])

        exact = f"stream={first['stream']} stream={second['stream']} call={first['call']}"
        expected = sum(each["rule"] == "RACE-02" and
                       {first["stream"], second["stream"]} <= {each["first"].get("stream"),
                                                               each["second"].get("stream")} and
                       first["call"] in (each["first"]["call"], each["second"]["call"])
                       for each in findings)
        self.assertEqual(suppressed(exact), expected)
        self.assertEqual(suppressed(exact + " call=aclrtReduceAsync"), 0)
        self.assertEqual(suppressed("call=aclrt*Async"), sum(
            each["rule"] == "RACE-02" and "Async" in each["first"]["call"] + each["second"]["call"]
            for each in findings))

    def test_offered_suppressions(self):
        """--verbose prints the line that leaves a finding out."""
        for how in (None, ("strip", "-g"), ("strip",)):
            with self.subTest(how=how):
                folder, *_ = self.sites(how)
                program = [os.path.join(folder, "site_program")]
                done = self.check("--verbose", program=program, LD_LIBRARY_PATH=folder)
                line, = re.findall(r"(?m)^  suppress: (.*)$", done.stderr)
                self.write("s", line + "\n")
                done = self.check("--suppressions=s", program=program, LD_LIBRARY_PATH=folder)
                self.assertEqual(done.returncode, 0, line)
                shutil.rmtree(folder)

    def test_unused_suppressions(self):
        self.write("s", "RACE-*\nLIFE-01 call=aclrtFree # none\n")
        self.assertNotIn("unused", self.check("--suppressions=s").stderr)
        done = self.check("--suppressions=s", "--verbose", "--report=r.json")
        self.assertIn("unused suppression: s:2: LIFE-01 call=aclrtFree # none\n", done.stderr)
        self.assertEqual(done.stderr.count("unused suppression"), 1)
        used = [item["used"] > 0 for item in json.loads(self.read("r.json"))["suppressions"]]
        self.assertEqual(used, [True, False])

    def test_wrong_suppressions(self):
        """A mistake is found before the program runs."""
        for text, line, message in (("RACE-01\nRACE-99\n", 2, "RACE-99"),
                                    ("RACE-01 call\n", 1, "KEY=PATTERN"),
                                    ("RACE-01 call=\n", 1, "KEY=PATTERN"),
                                    ("\n#\nRACE-01 colour=red", 3, "KEY=PATTERN")):
            self.write("s", text)
            done = self.check("--suppressions=s", program=("/bin/echo", "ran"))
            self.assertEqual((done.returncode, done.stdout), (125, ""), text)
            self.assertIn(f"s:{line}: ", done.stderr)
            self.assertIn(message, done.stderr)
        done = self.check("--suppressions=none", program=("/bin/echo", "ran"))
        self.assertEqual((done.returncode, done.stdout), (125, ""))
        self.assertIn("none: No such file", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

# SPDX-License-Identifier: Apache-2.0
"""What the module offers, beside its tables, the stubs and the documents."""

import ast
import inspect
import os
import re
import subprocess
import sys
import unittest

import acl
from support import ROOT, area, function, tables

PYTHON = os.path.join(ROOT, "runtime", "python")
ROWS = tables.rows()


def stub_functions(name):
    """{function: its definition} of a stub file."""
    with open(os.path.join(os.path.dirname(acl.__file__), "..", "acl-stubs", name + ".pyi"),
              encoding="utf-8") as file:
        tree = ast.parse(file.read())
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}


class Surface(unittest.TestCase):
    def test_the_module_has_the_functions_of_the_tables_and_no_others(self):
        for name in tables.AREAS:
            public = {entry for entry in dir(area(name))
                      if not entry.startswith("_")} - {"media", "rt", "util"}
            self.assertEqual(public, {row.name for row in ROWS if row.area == name})

    def test_submodules_are_attributes_and_modules(self):
        self.assertIs(sys.modules["acl.media"], acl.media)
        self.assertIs(sys.modules["acl.rt"], acl.rt)
        self.assertIs(sys.modules["acl.util"], acl.util)

    def test_the_interface_is_complete(self):
        # The public manual's functions; of acl.media, those that give device memory.
        self.assertEqual(len([row for row in ROWS if row.area == "rt"]), 191)
        self.assertEqual(len([row for row in ROWS if row.area == "util"]), 7)
        self.assertEqual(len([row for row in ROWS if row.area == "acl"]), 47)
        self.assertEqual({row.name for row in ROWS if row.area == "media"},
                         {"dvpp_malloc", "dvpp_free"})

    def test_every_function_says_what_it_does(self):
        for row in ROWS:
            with self.subTest(row.full_name):
                text = function(row).__doc__
                self.assertTrue(text.startswith(row.text), text)
                self.assertGreater(len(row.text), 8)
                self.assertTrue(row.text.rstrip().endswith((".", ",", "...")), row.text)
                self.assertIn("\nReturns: ", text)
                self.assertIn(f"\nC function: {row.c_name}", text)

    def test_signatures_and_stubs_agree(self):
        for name, (_, file) in tables.AREAS.items():
            stubs = stub_functions(file)
            self.assertEqual(set(stubs), {row.name for row in ROWS if row.area == name})
            for row in ROWS:
                if row.area != name:
                    continue
                with self.subTest(row.full_name):
                    parameters = inspect.signature(function(row)).parameters.values()
                    stub = stubs[row.name].args
                    self.assertEqual([p.name for p in parameters if p.kind == p.POSITIONAL_ONLY],
                                     [argument.arg for argument in stub.posonlyargs])
                    self.assertEqual([p.name for p in parameters if p.kind == p.VAR_POSITIONAL],
                                     [stub.vararg.arg] if stub.vararg else [])

    def test_the_page_of_functions_is_up_to_date(self):
        subprocess.run([sys.executable, "-B", os.path.join(PYTHON, "tables.py"), "--check"],
                       check=True)

    def test_c_functions_are_those_of_the_headers(self):
        declared = set()
        for folder, _, names in os.walk(os.path.join(ROOT, "runtime", "include", "acl")):
            for name in names:
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    declared |= set(re.findall(r"\b(acl\w+)\(", file.read()))
        self.assertEqual({row.c_name for row in ROWS} - declared, {"none"})

    def test_constants_are_left_to_scripts(self):
        for module in map(area, tables.AREAS):
            for name in dir(module):
                if not name.startswith("_"):
                    self.assertNotIsInstance(getattr(module, name), (int, str), name)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The layouts of twinsim/stars.h and ffts.h against recorded facts, and the vendor's headers.

  stars_layout.py facts  --include FOLDER -- COMPILER [ARGUMENT ...]
  stars_layout.py vendor --include FOLDER -- COMPILER [ARGUMENT ...]

stars_layout.tsv says for each field which bits of an entry it has (byte, first bit, bits), and
which bits our headers give it; stars_numbers.tsv has numbers. `facts` compares both in a program.

`vendor` compares the facts with the vendor's public headers, bit for bit: a program sets one member
after the other to all ones. TWINRT_TEST_VENDOR_HEADERS names a folder with checkouts of the open
runtime and the open driver; without it the test is skipped (status 77). The structures are taken
out of the headers one by one, as the headers need others that are not public. A member `name+16` is
of a structure that begins at byte 16 of the entry.
"""

import argparse
import csv
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
NAMES = re.compile(r"(stars_\w+|task_info_base|base_info|rt_external_(stars|ffts)_define|"
                   r"trs_stars_cq)\.(hpp|h)$")
COMMENTS = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
# Where several headers define a name, the first of these counts: those of the Ascend910B first.
ORDER = ("v100/", "stars_v1/", "core/inc/task", "core/inc/")
BUILT_IN = {"uint8_t", "uint16_t", "uint32_t", "uint64_t"}
PRELUDE = "#include <cstdint>\n#include <cstdio>\n#include <cstring>\n"


def rows(name, columns):
    with open(HERE / name, encoding="utf-8", newline="") as file:
        found = [row for row in csv.reader(file, delimiter="\t") if row and row[0][0] != "#"]
    for row in found:
        if len(row) != columns:
            sys.exit(f"FAIL: {name}: {row}: expected {columns} columns")
    return found


def run(source, arguments, *options):
    with tempfile.TemporaryDirectory() as folder:
        path, program = pathlib.Path(folder) / "layout.cpp", pathlib.Path(folder) / "layout"
        path.write_text(source, encoding="utf-8")
        built = subprocess.run([*arguments.compiler, *options, f"-I{arguments.include}", path,
                                "-o", program], capture_output=True, text=True, check=False)
        if built.returncode != 0:
            sys.exit(f"FAIL: the program does not compile\n{built.stderr[:3000]}")
        done = subprocess.run([program], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit("FAIL:\n" + done.stdout)
    print(done.stdout, end="")


def wanted(byte, bit, bits):
    return f"{8 * int(byte) + int(bit)}u, {int(bits)}u"


# Whether exactly these bits of the bytes are set.
CHECK = """
static int wrong = 0, checked = 0;
static const volatile unsigned long long ones = ~0ull;
static void check(const char *name, const void *bytes, unsigned size, unsigned first, unsigned bits)
{
    ++checked;
    for (unsigned bit = 0; bit < 8 * size; ++bit)
        if ((((const unsigned char *)bytes)[bit / 8] >> bit % 8 & 1) !=
            (bit >= first && bit < first + bits ? 1 : 0)) {
            std::printf("%s: bit %u differs; expected bits %u to %u\\n", name, bit, first,
                        first + bits - 1);
            ++wrong;
            return;
        }
}
static void number(const char *name, unsigned long long is, unsigned long long expected)
{
    ++checked;
    if (is != expected && ++wrong)
        std::printf("%s is %llu; expected %llu\\n", name, is, expected);
}
"""


def finish(what):
    return (f'    if (wrong == 0) std::printf("{what}: %d agree\\n", checked);\n'
            "    return wrong != 0;\n}\n")


def check_facts(arguments):
    body = []
    for kind, name, place, mask, byte, bit, bits, _, _ in rows("stars_layout.tsv", 9):
        member = f"e{place}" if kind == "cqe" else f"e.word[{place}]"
        body.append(f"    {{ stars_{kind} e; std::memset(&e, 0, sizeof e); "
                    f"{member} = static_cast<decltype({member} + 0)>({mask}); "
                    f'check("{name}", &e, sizeof e, {wanted(byte, bit, bits)}); }}\n')
    for name, value, _ in rows("stars_numbers.tsv", 3):
        body.append(f'    number("{name}", {name}, {value});\n')
    run(PRELUDE + '#include "twinsim/ffts.h"\n#include "twinsim/stars.h"\n' + CHECK +
        "int main()\n{\n" + "".join(body) + finish("our headers and the facts"), arguments)


class Headers:
    """The definitions in the vendor's headers, by name."""

    def __init__(self, folder):
        found = [path for path in pathlib.Path(folder).rglob("*") if NAMES.search(path.name)]
        found.sort(key=lambda path: ([part not in path.as_posix() for part in ORDER], str(path)))
        self.texts = [COMMENTS.sub("", path.read_text(encoding="utf-8", errors="replace"))
                      for path in found]
        self.taken = {}

    def block(self, text, start):
        """The text from `start` to the end of the braces that open after it."""
        depth = 0
        for at in range(text.index("{", start), len(text)):
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            if depth == 0:
                return text[start:at + 1]
        sys.exit("FAIL: a header ends within braces")

    def structure(self, name):
        """Defines it, after what it needs."""
        if name in BUILT_IN or name in self.taken:
            return
        for text in self.texts:
            match = re.search(r"\b(?:struct|union)\s+" + name + r"\s*\{", text)
            if match:
                body = self.block(text, match.start())
                break
            match = re.search(r"\busing\s+" + name + r"\s*=\s*(\w+);", text)
            if match:
                self.structure(match[1])
                self.taken[name] = match[0] + "\n"
                return
            match = re.search(r"\}\s*" + name + r"\s*;", text)
            if match:
                begins = [*re.finditer(r"typedef\s+(?:struct|union)", text[:match.start()])]
                body = self.block(text, begins[-1].start()).replace("typedef", "", 1)
                body = re.sub(r"(struct|union)[^{]*\{", r"\1 " + name + " {", body, count=1)
                break
        else:
            sys.exit(f"FAIL: the vendor's headers do not define {name}")
        inner = body[body.index("{"):]
        for used in re.findall(r"(?:^|[{;])\s*(?:volatile\s+|struct\s+|union\s+)*(\w+)\s+\w+",
                               inner):
            if used not in ("struct", "union"):
                self.structure(used)
        self.taken[name] = re.sub(r"\[([A-Z]\w+)\]", self.defined, body) + ";\n"

    def defined(self, size):
        """The size of an array that a macro names."""
        for text in self.texts:
            match = re.search(r"#\s*define\s+" + size[1] + r"\s+\(?(\d+)", text)
            if match:
                return f"[{match[1]}]"
        return size[0]

    def number(self, name):
        """An enumerator or a constant."""
        for text in self.texts:
            match = re.search(r"\b" + name + r"\s*=\s*(0[xX][0-9a-fA-F]+|\d+)", text)
            if match:
                return match[1]
        return sys.exit(f"FAIL: the vendor's headers do not define {name}")


def check_vendor(arguments):
    folder = os.environ.get("TWINRT_TEST_VENDOR_HEADERS", "")
    if not folder:
        print("skipped: TWINRT_TEST_VENDOR_HEADERS names no folder with the vendor's headers")
        sys.exit(77)
    headers, body = Headers(folder), []
    for kind, name, _, _, byte, bit, bits, structure, member in rows("stars_layout.tsv", 9):
        headers.structure(structure)
        member, _, offset = member.partition("+")
        byte = int(byte) - int(offset or 0)
        body.append(f"    {{ {structure} e; std::memset(&e, 0, sizeof e); "
                    f"e.{member} = static_cast<decltype(e.{member} + 0)>(ones); "
                    f'check("{name}: {structure}.{member}", &e, sizeof e, '
                    f"{wanted(byte, bit, bits)}); }}\n")
    for _, value, name in rows("stars_numbers.tsv", 3):
        if name != "-":
            body.append(f'    number("{name}", {headers.number(name)}, {value});\n')
    run(PRELUDE + "#pragma pack(1)\n" + "".join(headers.taken.values()) + CHECK +
        "int main()\n{\n" + "".join(body) + finish("the vendor's headers and the facts"), arguments, "-w")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["facts", "vendor"])
    parser.add_argument("--include", required=True)
    parser.add_argument("compiler", nargs="+")
    arguments = parser.parse_args()
    (check_facts if arguments.what == "facts" else check_vendor)(arguments)


if __name__ == "__main__":
    main()

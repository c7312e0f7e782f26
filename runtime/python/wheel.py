#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a wheel (PEP 427) of the module, the runtime, the model and the tools, out of a build
   folder.

usage: wheel.py BUILD_FOLDER --version VERSION [--strip PROGRAM] [--out FOLDER]

The wheel holds the module and its type stubs, the commands twinrt and twinrt-cc, and below
twinrt.libs/ programs, headers and libraries, laid out as in an installation. LD_LIBRARY_PATH goes
before them: on a board the vendor's library is taken where its environment is set. Files are
stripped of debug information, and their build ids are made anew, of what is left: builds of equal
sources in different folders make equal wheels. Times are SOURCE_DATE_EPOCH, or 1980."""

import argparse
import base64
import fnmatch
import hashlib
import os
import platform
import re
import struct
import subprocess
import sys
import tempfile
import time
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.dirname(os.path.dirname(HERE))
SUMMARY = "The ACL runtime interface for Python and C, on a cycle-level model of the hardware or on a board"
# Places in the build folder, and what of them belongs into the wheel. A link is another name for
# what is there.
PACKAGE = (("acl", ("__init__.py", "_acl.abi3.so")), ("acl-stubs", ("*.pyi",)),
           (".", ("twinrt.py",)))
RUNTIME = (("include/acl", ("*.h",)), ("include/acl/error_codes", ("*.h",)),
           ("include/twinrt", ("*.h",)), ("lib64/twinrt/profiles", ("*.json",)))
# Of these, the files that the build lists: others may be of an earlier build.
BUILT = ("bin", "lib64", "lib64/twinrt")
LINKED = ("lib64",)
# The note of that name: the lengths of name and value, the kind, the name.
BUILD_ID = struct.pack("<III", 4, 20, 3) + rb"GNU\0(.{20})"
SCRIPTS = b"[console_scripts]\ntwinrt = twinrt:twinrt\ntwinrt-cc = twinrt:twinrt_cc\n"
METADATA = """Metadata-Version: 2.1
Name: twinrt
Version: {version}
Summary: {summary}
License: Apache-2.0
Keywords: Ascend,ACL,pyACL,NPU,simulator,SystemC
Classifier: Development Status :: 4 - Beta
Classifier: License :: OSI Approved :: Apache Software License
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: C
Classifier: Programming Language :: Python :: 3
Requires-Python: >=3.9
Description-Content-Type: text/markdown

{description}"""


def chosen(root, folders):
    """(path from root, path) of the files that belong into the wheel, sorted."""
    found = []
    for folder, patterns in folders:
        place = os.path.join(root, folder)
        for name in os.listdir(place):
            path = os.path.join(place, name)
            alias = folder in LINKED and os.path.islink(path)
            if (not alias and os.path.isfile(path)
                    and any(fnmatch.fnmatch(name, pattern) for pattern in patterns)):
                found.append((os.path.normpath(os.path.join(folder, name)), path))
    return sorted(found)


def is_code(data):
    return data.startswith(b"\x7fELF")


def with_build_id(data):
    """The link editor's build id has the debug information in it, and with it the folder of the
    build."""
    found = re.search(BUILD_ID, data, re.DOTALL)
    if not found:
        return data
    begin, end = found.span(1)
    empty = data[:begin] + bytes(end - begin) + data[end:]
    return data[:begin] + hashlib.sha1(empty).digest() + data[end:]


def stripped(path, strip):
    """The bytes of a file, without the parts for debuggers and the linker."""
    with open(path, "rb") as file:
        data = file.read()
    if not is_code(data) and not path.endswith(".a"):
        return data
    kind = ["--strip-unneeded"] if is_code(data) else ["--strip-debug",
                                                       "--enable-deterministic-archives"]
    with tempfile.NamedTemporaryFile() as out:
        subprocess.run([strip, *kind, "--remove-section=.comment", "-o", out.name, path],
                       check=True)
        with open(out.name, "rb") as file:
            data = file.read()
    return with_build_id(data) if is_code(data) else data


class Wheel:
    def __init__(self, path):
        self.zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self.record = []
        epoch = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
        # a zip file knows none before
        self.time = max(time.gmtime(epoch)[:6], (1980, 1, 1, 0, 0, 0))

    def add(self, name, data, listed=True):
        info = zipfile.ZipInfo(name, self.time)
        info.compress_type = zipfile.ZIP_DEFLATED
        info.create_system = 3  # Unix, whose modes follow
        info.external_attr = (0o100755 if is_code(data) else 0o100644) << 16
        self.zip.writestr(info, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(data)}" if listed else f"{name},,")


def metadata(version):
    with open(os.path.join(HERE, "README.md"), encoding="utf-8") as file:
        return METADATA.format(version=version, summary=SUMMARY, description=file.read()).encode()


def write(build, version, strip, out):
    tag = f"cp39-abi3-linux_{platform.machine()}"
    os.makedirs(out, exist_ok=True)
    path = os.path.join(out, f"twinrt-{version}-{tag}.whl")
    info = f"twinrt-{version}.dist-info"
    wheel = Wheel(path)
    for name, file in chosen(os.path.join(build, "python", "site-packages"), PACKAGE):
        wheel.add(name, stripped(file, strip))
    with open(os.path.join(build, "python", "wheel_files.txt"), encoding="utf-8") as file:
        built = file.read().split()
    for name, file in chosen(build, RUNTIME + tuple((folder, built) for folder in BUILT)):
        wheel.add(f"twinrt.libs/{name}", stripped(file, strip))
    with open(os.path.join(SOURCES, "LICENSE"), "rb") as file:
        text = file.read()
    # pip removes a folder only if it has a file: without this one, an empty twinrt.libs would
    # remain.
    for folder in ("twinrt.libs", info):
        wheel.add(f"{folder}/LICENSE", text)
    wheel.add(f"{info}/METADATA", metadata(version))
    wheel.add(
        f"{info}/WHEEL",
        f"Wheel-Version: 1.0\nGenerator: wheel.py\nRoot-Is-Purelib: false\nTag: {tag}\n".encode())
    wheel.add(f"{info}/entry_points.txt", SCRIPTS)
    wheel.add(f"{info}/top_level.txt", b"acl\ntwinrt\n")
    record = f"{info}/RECORD"
    wheel.add(record, ("\n".join(wheel.record + [f"{record},,"]) + "\n").encode(), listed=False)
    wheel.zip.close()
    return path


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("build")
    parser.add_argument("--version", required=True)
    parser.add_argument("--strip", default="strip")
    parser.add_argument("--out")
    options = parser.parse_args(arguments)
    print(
        write(options.build, options.version, options.strip, options.out
              or os.path.join(options.build, "python")))


if __name__ == "__main__":
    main(sys.argv[1:])

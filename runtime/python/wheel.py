#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a wheel (PEP 427) of the module, the runtime and the model, out of a build folder.

usage: wheel.py BUILD_FOLDER --version VERSION --license FILE [--out FOLDER]

The wheel holds acl.abi3.so, the type stubs, and below twinrt.libs/ the runtime with its backends and profiles, laid out as
in an installation. LD_LIBRARY_PATH goes before them: on a board the vendor's library is taken where its environment is set.
Equal inputs make equal wheels."""

import argparse
import base64
import hashlib
import os
import platform
import sys
import zipfile

SUMMARY = "The ACL runtime interface for Python, on a cycle-level model of the hardware or on a board"
LIBRARIES = ("lib64/libacl_rt.so", "lib64/libascendcl.so")
MODULE = "acl.abi3.so"
STUBS = "acl-stubs"


def below(folder):
    """Paths of the files below a folder, from it, sorted."""
    found = []
    for place, _, names in os.walk(folder, followlinks=True):
        found += [os.path.relpath(os.path.join(place, name), folder) for name in names if not name.endswith(".pyc")]
    return sorted(found)


def contents(build):
    """(name in the wheel, bytes, whether it is code) of all that the build gives."""
    packages = os.path.join(build, "python", "site-packages")
    sources = [(MODULE, os.path.join(packages, MODULE))]
    sources += [(f"{STUBS}/{name}", os.path.join(packages, STUBS, name)) for name in below(os.path.join(packages, STUBS))]
    sources += [(f"twinrt.libs/{name}", os.path.join(build, name)) for name in LIBRARIES]
    plugins = os.path.join(build, "lib64", "twinrt")
    sources += [(f"twinrt.libs/lib64/twinrt/{name}", os.path.join(plugins, name)) for name in below(plugins)]
    for name, path in sources:
        with open(path, "rb") as file:
            yield name, file.read(), name.endswith(".so")


class Wheel:
    def __init__(self, path):
        self.zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self.record = []

    def add(self, name, data, code=False, listed=True):
        info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        info.compress_type = zipfile.ZIP_DEFLATED
        info.external_attr = (0o100755 if code else 0o100644) << 16
        self.zip.writestr(info, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(data)}" if listed else f"{name},,")


def write(build, version, license_file, out):
    tag = f"cp39-abi3-linux_{platform.machine()}"
    os.makedirs(out, exist_ok=True)
    path = os.path.join(out, f"twinrt-{version}-{tag}.whl")
    info = f"twinrt-{version}.dist-info"
    wheel = Wheel(path)
    for name, data, code in contents(build):
        wheel.add(name, data, code)
    with open(license_file, "rb") as file:
        wheel.add(f"{info}/LICENSE", file.read())
    wheel.add(f"{info}/METADATA", (f"Metadata-Version: 2.1\nName: twinrt\nVersion: {version}\nSummary: {SUMMARY}\n"
                                   "License: Apache-2.0\nRequires-Python: >=3.9\n").encode())
    wheel.add(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: wheel.py\nRoot-Is-Purelib: false\nTag: {tag}\n".encode())
    wheel.add(f"{info}/top_level.txt", b"acl\n")
    record = f"{info}/RECORD"
    wheel.add(record, ("\n".join(wheel.record + [f"{record},,"]) + "\n").encode(), listed=False)
    wheel.zip.close()
    return path


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("build")
    parser.add_argument("--version", required=True)
    parser.add_argument("--license", required=True)
    parser.add_argument("--out")
    options = parser.parse_args(arguments)
    print(write(options.build, options.version, options.license, options.out or os.path.join(options.build, "python")))


if __name__ == "__main__":
    main(sys.argv[1:])

# SPDX-License-Identifier: Apache-2.0
"""What the module `acl` and the commands of the wheel share: where the runtime is, and which system
libraries are missing."""

import os
import sys

# The system libraries that our files need besides the C library, and their Debian packages.
MODEL = "libsystemc-2.3.4.so"
PACKAGES = {"libcjson.so.1": "libcjson1", "libdw.so.1": "libdw1", "libelf.so.1": "libelf1",
            "libgcc_s.so.1": "libgcc-s1",
            "libstdc++.so.6": "libstdc++6", MODEL: "libsystemc"}

HERE = os.path.dirname(os.path.abspath(__file__))
WHEEL = os.path.join(HERE, "twinrt.libs")
ABSENT = "cannot open shared object file"


def contents(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def missing(names):
    """Those of the libraries that the dynamic linker does not find. One in its cache is not loaded
    to see that."""
    cache = contents("/etc/ld.so.cache")
    return [name for name in names if name.encode() + b"\0" not in cache and not loads(name)]


def loads(name):
    try:
        import ctypes  # Debian's python3-minimal has none: then the cache decides
        ctypes.CDLL(name)
        return True
    except ImportError:
        return False
    except OSError as error:
        return not str(error).startswith(f"{name}: {ABSENT}")


def remedy():
    """A sentence that names all that is missing, and the command that installs it."""
    names = missing(PACKAGES)
    packages = " ".join(sorted(PACKAGES[name] for name in names))
    return f"missing system libraries: {', '.join(names)}; on Debian, run: apt-get install {packages}"


def reason(error):
    """The text for an import of the module that failed with `error`."""
    if isinstance(error, ModuleNotFoundError):
        return (
            f"{os.path.join(HERE, 'acl', '_acl.abi3.so')} is missing: the module was not built; "
            "build all of twinrt (./dev build), then install it again if it was installed")
    name, _, why = str(error).partition(": ")
    if why.startswith(ABSENT) and name in PACKAGES:
        return remedy()
    if why.startswith(ABSENT) and name == "libascendcl.so":
        return f"{error}; read the set_env.sh of the folder in which twinrt is built or installed: . FOLDER/set_env.sh"
    return str(error)


def lacks_model():
    """Whether calls of the module would use the model, and a library that it needs is missing. Not
    where there may be a board."""
    if os.environ.get("TWINRT_BACKEND", "auto") not in ("auto", "sim"):
        return False
    if os.path.exists("/dev/davinci_manager"):
        return False
    for folder in (os.path.join(WHEEL, "lib64"), os.path.join(HERE, "..", "..", "lib64")):
        library = os.path.realpath(os.path.join(folder, "libacl_rt.so"))
        if os.path.exists(
            os.path.join(folder, "twinrt", "backend-sim.so")) and library.encode() in contents(
                "/proc/self/maps"):
            return bool(missing([MODEL]))
    return False


def run_command(name):
    """Runs a command of the wheel in place of this process."""
    if missing(PACKAGES.keys() - {MODEL}):
        print(f"{name}: {remedy()}", file=sys.stderr)
        sys.exit(127)
    path = os.path.join(WHEEL, "bin", name)
    os.execv(path, [path, *sys.argv[1:]])


def twinrt():
    """The console script `twinrt`."""
    run_command("twinrt")


def twinrt_cc():
    """The console script `twinrt-cc`."""
    run_command("twinrt-cc")

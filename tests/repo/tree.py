# SPDX-License-Identifier: Apache-2.0
"""The files of the repository, and the register of checks about them."""

import os
import posixpath
import subprocess


class Tree:
    """The files of one work tree, by path from its root with slashes. Build folders and ignored
    files are left out."""

    def __init__(self, root):
        self.root = os.path.abspath(root)
        self._files = None
        self._texts = {}

    def files(self, *endings):
        if self._files is None:
            self._files = self._from_git() or self._from_walk()
        return [path for path in self._files if not endings or path.endswith(endings)]

    def _from_git(self):
        """None without git, or where git refuses: then all files count."""
        if not os.path.exists(os.path.join(self.root, ".git")):
            return None
        command = ["git", "-C", self.root, "ls-files", "-z", "--cached", "--others",
                   "--exclude-standard"]
        try:
            names = subprocess.run(command, check=True,
                                   stdout=subprocess.PIPE).stdout.decode().split("\0")
        except (OSError, subprocess.CalledProcessError):
            return None
        return sorted(
            {name for name in names if name and os.path.isfile(os.path.join(self.root, name))})

    def _from_walk(self):
        found = []
        for folder, folders, names in os.walk(self.root):
            folders[:] = [name for name in folders
                          if name != "__pycache__"
                          and not (folder == self.root and name.startswith("build"))]
            found += [os.path.relpath(os.path.join(folder, name), self.root) for name in names]
        return sorted(found)

    def has(self, path):
        return os.path.exists(os.path.join(self.root, path))

    def text(self, path):
        if path not in self._texts:
            with open(os.path.join(self.root, path), encoding="utf-8", errors="replace",
                      newline="") as file:
                self._texts[path] = file.read()
        return self._texts[path]

    def lines(self, path):
        """(number, line) of a file, without line ends."""
        return enumerate(self.text(path).split("\n"), 1)

    @staticmethod
    def beside(path, target):
        return posixpath.normpath(posixpath.join(posixpath.dirname(path), target))


CHECKS = {}


def check(function):
    """Registers a check: a function from a Tree to the list of what is wrong, each "path:line:
    problem"."""
    CHECKS[function.__name__] = function
    return function

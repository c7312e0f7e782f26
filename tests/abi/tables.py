# SPDX-License-Identifier: Apache-2.0
"""The recorded facts about the public interface: tables/*.tsv, tab separated, one header line."""
import csv
import os

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tables")
NAMES = ("enums", "functions", "headers", "macros", "structs", "typedefs")


def read(name, folder=FOLDER):
    with open(os.path.join(folder, name + ".tsv"), encoding="utf-8") as table:
        return list(csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE))


def exported(folder=FOLDER):
    """Rows of the functions that libraries export; the others are inline C++ overloads."""
    return [row for row in read("functions", folder) if row["linkage"] == "extern-c"]

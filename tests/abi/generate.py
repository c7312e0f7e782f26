#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns the recorded tables into one source that compiles, as C and as C++, only if the public
headers agree with every row; as C it has to run too, since objects are no constants there."""
import re

import tables

# After this header a function name may be overloaded: it comes after the single ones.
OVERLOADS = "acl/acl_rt_api.h"


def include(header, style):
    return '#include "%s"' % header.replace("acl/", style, 1)


def quote(row):
    return '"%s"' % " ".join(v for v in row if v)


def parameters(row):
    return row["param_types"].replace("; ", ", ") or "void"


def pointer_to(type_name):
    array = re.match(r"(.*?) (\[\d+\])$", type_name)
    return "%s (*)%s" % array.groups() if array else type_name + " *"


def check_macros(rows):
    for row in rows:
        name = row["name"]
        label = quote(("macro", name))
        if row["kind"] == "static-const":
            yield "#ifdef %s\n#error %s must be an object, not a macro\n#endif" % (name, name)
        else:
            yield "#ifndef %s\n#error %s is missing\n#endif" % (name, name)
        if row["kind"] in ("macro", "static-const"):
            yield "ABI_VALUE_TYPE(%s, %s, %s);" % (label, name, row["type"])
        if row["kind"] == "macro":
            yield "ABI_ASSERT(%s == %sULL, %s);" % (name, row["value"], label)


def check_enums(rows):
    seen = set()
    for row in rows:
        label = quote(("enum", row["enum"], row["constant"]))
        yield "ABI_ASSERT((long long)%s == %sLL, %s);" % (row["constant"], row["value"], label)
        names = [row["typedef"]] if row["typedef"] else []
        names += ["enum " + row["tag"]] if row["tag"] else []
        for name in names:
            if name not in seen:
                seen.add(name)
                yield "ABI_ASSERT(sizeof(%s) == %s, %s);" % (name, row["enum_size"], label)
                yield "ABI_ENUM_TYPE(%s, %s, %s);" % (label, name, row["enum_repr"])


def check_structs(rows):
    seen = set()
    for row in rows:
        names = [row["typedef"]] if row["typedef"] else []
        names += [row["kind"] + " " + row["tag"]] if row["tag"] else []
        whole = names[0]
        label = quote((whole, row["field"]))
        if whole not in seen:
            seen.add(whole)
            if len(names) == 2:
                yield "ABI_SAME_TYPE(%s, %s *, %s *);" % (label, names[0], names[1])
            if row["completeness"] == "complete":
                yield "ABI_ASSERT(sizeof(%s) == %s, %s);" % (whole, row["size"], label)
                yield "ABI_ASSERT(ABI_ALIGN(%s) == %s, %s);" % (whole, row["align"], label)
        path = row["field"].replace("<anonymous>.", "")
        if not path or path == "<anonymous>":
            continue
        member = "((%s *)0)->%s" % (whole, path)
        yield "ABI_ASSERT(offsetof(%s, %s) == %s, %s);" % (whole, path, row["offset"], label)
        yield "ABI_ASSERT(sizeof(%s) == %s, %s);" % (member, row["field_size"], label)
        field_type = row["field_type"]
        if field_type == "union Message":  # C++ knows it only inside the aggregate
            field_type = "MESSAGE_UNION"
        if "<unnamed>" not in field_type:
            yield "ABI_MEMBER_TYPE(%s, %s, %s, %s);" % (label, whole, path, pointer_to(field_type))


def check_typedefs(rows):
    for row in rows:
        label = quote(("typedef", row["typedef"]))
        if row["size"]:
            yield "ABI_ASSERT(sizeof(%s) == %s, %s);" % (row["typedef"], row["size"], label)
        if row["kind"] in ("function-pointer", "opaque-handle", "scalar"):
            yield "ABI_SAME_TYPE(%s, %s, %s);" % (label, row["typedef"], row["underlying"])


def check_functions(rows):
    for row in rows:
        if row["linkage"] != "extern-c":
            continue
        yield "ABI_FUNCTION_TYPE(%s, %s, %s (*)(%s));" % (
            quote(("function", row["function"])), row["function"], row["return_type"],
            parameters(row))


def check_overloads(rows, include_style):
    """Each overload must be the one that its address, taken with this type, selects."""
    yield include(OVERLOADS, include_style)
    yield "#ifdef __cplusplus"
    for number, row in enumerate(rows):
        if row["linkage"] == "extern-c":
            continue
        params = re.sub(r"\bT\b", "float", re.sub(r"\bU\b", "short", parameters(row)))
        yield "%s (*overload_%d)(%s) = &%s;" % (row["return_type"], number, params, row["function"])
    yield "#endif"


def check_objects(rows):
    """Constants that are objects: C++ knows their values when it compiles, C when it runs."""
    yield "int main(void)\n{\n    int wrong = 0;"
    for row in rows:
        if row["kind"] == "static-const":
            yield "    ABI_OBJECT(wrong, %s, %sLL);" % (row["name"], row["value"])
    yield "    return wrong;\n}"


def source(include_style, folder=tables.FOLDER):
    """The text of the check; include_style is "acl/" or "" as programs spell their includes."""
    data = {name: tables.read(name, folder) for name in tables.NAMES}
    lines = ["#include \"abi_check.h\""]
    for row in data["headers"]:
        if row["header"] != OVERLOADS:
            lines.append(include(row["header"], include_style))
    lines += [
        "#ifdef __cplusplus",
        "#define MESSAGE_UNION aclprofEventAttributes::Message",
        "#else",
        "#define MESSAGE_UNION union Message",
        "#endif",
    ]
    for name, check in (("macros", check_macros), ("enums", check_enums),
                        ("structs", check_structs),
                        ("typedefs", check_typedefs), ("functions", check_functions)):
        lines += check(data[name])
    lines += check_overloads(data["functions"], include_style)
    lines += check_objects(data["macros"])
    return "\n".join(lines) + "\n"

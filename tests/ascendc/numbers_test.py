#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kernels by the headers of a toolkit (numbers.asc) against NumPy: random shapes and numbers.

usage: numbers_test.py BUILD [--seed=N] [--turns=N]

Skipped (77) without TWINRT_TEST_TOOLKIT, clang 17 or NumPy; a seed of 0 is a new one. What a format defines must be equal:
sums, gathered and sorted numbers, products of small integers. Else the bound follows from FP32
roundings: `U` is half a unit in the last place of FP32 relative to the number, and n roundings in a
row are at most n U, times `MORE` for terms of higher order."""
import os
import subprocess
import sys
import tempfile
import time

OPTIONS = {option.split("=")[0]: int(option.split("=")[1])
           for option in sys.argv[2:] if "=" in option}
sys.argv = sys.argv[:2]
import ascendc_test # takes the build folder from the arguments  # pylint: disable=C0413

try:
    import numpy as np
except ImportError:
    np = None

U, MORE = 2.0 ** -24, 1.05
HALF_U = 2.0 ** -11
TINY = 2.0 ** -149 # the smallest FP32
EPSILON = np.float32(1e-5) if np else 0
GUARD = b"\x55" * 32


def bits_of(number):
    return int(np.float32(number).view(np.uint32))


class Case:
    """What a kernel is given; `check` takes what it gave back."""
    def __init__(self, kernel, blocks, numbers, operands, bytes_, check):
        self.kernel, self.blocks, self.operands, self.bytes = kernel, blocks, operands, bytes_
        self.numbers, self.check = [*numbers, 0, 0, 0, 0][:4], check

    def __str__(self):
        return f"{self.kernel} {self.blocks} {self.bytes} " + " ".join(map(str, self.numbers))


def near(got, wanted, bound):
    """None, or what is wrong first."""
    error = np.abs(got.astype(np.float64) - wanted)
    wrong = np.argwhere(~(error <= bound)) # also of NaN
    if len(wrong) == 0:
        return None
    at = tuple(wrong[0])
    return (f"{len(wrong)} of {wanted.size} are wrong; at {at}: {got[at]!r}, expected "
            f"{wanted[at]!r} within {np.broadcast_to(bound, wanted.shape)[at]:.3g}")


def same(got, wanted):
    wrong = np.argwhere(got != wanted)
    if len(wrong) == 0:
        return None
    at = tuple(wrong[0])
    return f"{len(wrong)} of {wanted.size} differ; at {at}: {got[at]!r}, expected {wanted[at]!r}"


def add(draw):
    kind = draw.choice(["half", "float"])
    dtype = np.float16 if kind == "half" else np.float32
    count = int(draw.integers(1, 20000))
    a, b = ((draw.normal(size=count) * 10.0 ** draw.integers(-6, 4, count)).astype(dtype)
            for _ in range(2))
    return Case("add_" + kind, draw.integers(1, 49), [count, 32 * draw.integers(1, 65)], [a, b],
                a.nbytes, lambda got: same(got.view(dtype), a + b))


def factors(draw, m, n, k):
    """Small integers half of the time: their sums are exact in any order."""
    if draw.integers(2):
        return (draw.integers(-8, 9, (m, k)).astype(np.float16),
                draw.integers(-8, 9, (k, n)).astype(np.float16), True)
    return (draw.normal(size=(m, k)).astype(np.float16),
            draw.normal(size=(k, n)).astype(np.float16), False)


def check_product(a, b, exact):
    """Products of FP16 are exact in FP32; a sum of k has k - 1 roundings, each of a part that is not
    above the sum of the magnitudes."""
    wide = a.astype(np.float64), b.astype(np.float64)
    wanted = wide[0] @ wide[1]
    bound = 0 if exact else MORE * a.shape[1] * U * (np.abs(wide[0]) @ np.abs(wide[1]))
    return lambda got: near(got.view(np.float32).reshape(wanted.shape), wanted, bound)


def product(draw):
    m, n, k = (16 * int(draw.integers(1, most)) for most in (13, 17, 21))
    a, b, exact = factors(draw, m, n, k)
    return Case("product", draw.integers(1, 5), [m, n, k], [a, b], 4 * m * n,
                check_product(a, b, exact))


def product_object(draw):
    m, n, k = (int(draw.integers(1, most)) for most in (200, 300, 400))
    a, b, exact = factors(draw, m, n, k)
    return Case("product_object", draw.integers(1, 5), [m, n, k, draw.integers(1 << 31)], [a, b],
                4 * m * n, check_product(a, b, exact))


def softmax(draw):
    """exp(x - max) / sum: the difference d is rounded, exp to d U and its own rounding, the sum of n
    has as much and n roundings more, and the quotient one."""
    rows, columns = int(draw.integers(1, 65)), int(draw.integers(1, 400))
    spread = draw.choice([1, 5, 30])
    x = (draw.normal(size=(rows, columns)) * spread).astype(np.float32)
    shifted = x.astype(np.float64) - x.max(axis=1, keepdims=True)
    parts = np.exp(shifted)
    wanted = parts / parts.sum(axis=1, keepdims=True)
    most = np.abs(shifted).max()
    bound = MORE * (2 * most + columns + 4) * U * wanted + 2 * TINY
    # a block has all of its rows in UB at once
    least = -(-rows * (columns + 8) * 4 // (128 << 10))
    return Case("softmax", draw.integers(least, least + 6), [rows, columns], [x], x.nbytes,
                lambda got: near(got.view(np.float32).reshape(x.shape), wanted, bound))


def layer_norm(draw):
    """The bound follows each step: mean, differences, their squares, deviation, result."""
    rows, columns = int(draw.integers(1, 20)), int(draw.integers(1, 1500))
    x = (draw.normal(size=(rows, columns)) * draw.choice([0.01, 1, 100])
         + draw.normal()).astype(np.float32)
    scale, shift = (draw.normal(size=columns).astype(np.float32) for _ in range(2))
    wide = x.astype(np.float64)
    mean = wide.mean(axis=1, keepdims=True)
    apart = wide - mean
    variance = (apart ** 2).mean(axis=1, keepdims=True)
    inverse = 1 / np.sqrt(variance + float(EPSILON))
    wanted = apart * inverse * scale + shift
    mean_error = (columns + 1) * U * np.abs(wide).mean(axis=1, keepdims=True)
    apart_error = mean_error + U * (np.abs(apart) + mean_error)
    squares_error = (2 * np.abs(apart) * apart_error + apart_error ** 2).mean(axis=1, keepdims=True)
    variance_error = squares_error + (columns + 3) * U * (variance + squares_error)
    inverse_error = inverse * (variance_error / (2 * (variance + float(EPSILON))) + 4 * U)
    product_error = np.abs(scale) * (apart_error * inverse + np.abs(apart) * inverse_error
                                     + apart_error * inverse_error
                                     + 2 * U * np.abs(apart) * inverse)
    bound = MORE * (product_error + U * (np.abs(wanted) + product_error)) + TINY
    return Case("layer_norm", draw.integers(1, 9), [rows, columns], [x, scale, shift], x.nbytes,
                lambda got: near(got.view(np.float32).reshape(x.shape), wanted, bound))


def sort(draw):
    """Descending; of equal ones the first is first."""
    count = 32 * int(draw.integers(1, 65))
    x = (draw.integers(-20, 20, count) if draw.integers(2) else
         draw.normal(size=count)).astype(np.float32)
    numbers = np.arange(count, dtype=np.uint32)
    order = np.argsort(-x, kind="stable")

    def check(got):
        return (same(got[:4 * count].view(np.float32), x[order])
                or same(got[4 * count:].view(np.uint32), numbers[order]))
    return Case("sort", 1, [count], [x, numbers], 8 * count, check)


def gather(draw):
    kind = draw.choice(["half", "float"])
    dtype = np.float16 if kind == "half" else np.float32
    size, count = int(draw.integers(1, 5000)), int(draw.integers(1, 5000))
    x = draw.normal(size=size).astype(dtype)
    places = draw.integers(0, size, count)
    return Case("gather_" + kind, 1, [size, count],
                [x, (places * x.itemsize).astype(np.uint32)], count * x.itemsize,
                lambda got: same(got.view(dtype), x[places]))


def quantise(draw):
    """scale x + offset in FP16, rounded to the nearest integer and cut to eight bits: x, scale,
    offset, product and sum are rounded to FP16 once each."""
    kind = draw.choice(["half", "float"])
    dtype = np.float16 if kind == "half" else np.float32
    count = int(draw.integers(1, 4000))
    x = (draw.normal(size=count) * 20).astype(dtype)
    scale, offset = np.float32(draw.normal() * 3), np.float32(draw.normal() * 10)
    product_ = x.astype(np.float64) * float(scale)
    exact = product_ + float(offset)
    bound = 0.5 + MORE * HALF_U * (3 * np.abs(product_) + abs(float(offset)) + np.abs(exact)) + 1e-6
    wanted = np.clip(exact, -128, 127)
    return Case("quantise_" + kind, 1, [count, bits_of(scale), bits_of(offset)], [x], count,
                lambda got: near(got.view(np.int8), wanted, bound))


# The headers of the toolkit read what they have padded a tile with, which nothing has written.
READ_PADDING = {"softmax", "product_object"}
KINDS = [add, product, product_object, softmax, layer_norm, sort, gather, quantise]


def build(folder):
    program = os.path.join(folder, "program")
    here = os.path.dirname(os.path.abspath(__file__))
    subprocess.run([ascendc_test.TOOL, "--ascend-c", os.path.join(here, "numbers.asc"),
                    "--toolkit=" + ascendc_test.TOOLKIT, "-Wall", "-Werror", "-o", program],
                   check=True, timeout=300)
    return program


def run(program, folder, cases):
    """How many cases are wrong."""
    for number, case in cases:
        for place, operand in enumerate(case.operands):
            operand.tofile(os.path.join(folder, f"{number}.{place}"))
    wrong = 0
    for check in ("error", "off"):
        lines = [f"{number} {case}\n" for number, case in cases
                 if (case.kernel in READ_PADDING) == (check == "off")]
        settings = {"LD_LIBRARY_PATH": os.path.join(ascendc_test.BUILD, "lib64"),
                    "TWINRT_BACKEND": "sim", "TWINRT_KERNEL_CHECK": check}
        got = subprocess.run([program, folder], env={**os.environ, **settings}, text=True,
                             input="".join(lines), capture_output=True, check=False, timeout=600)
        if got.returncode != 0 or got.stderr:
            print(got.stdout + got.stderr)
            wrong += 1
    for number, case in cases:
        path = os.path.join(folder, f"{number}.out")
        result = np.fromfile(path, dtype=np.uint8) if os.path.exists(path) else np.array([], "u1")
        said = "no result"
        if result.size > 0:
            said = case.check(result[:case.bytes])
            if result[case.bytes:].tobytes() != GUARD:
                said = "it writes beyond the result"
        if said:
            print(f"case {number}: {case}: {said}")
            wrong += 1
    return wrong


def main():
    if not ascendc_test.TOOLKIT:
        print("skipped: TWINRT_TEST_TOOLKIT does not name the sources of a toolkit")
        return 77
    if not ascendc_test.find_clang():
        print("skipped: no clang 17 or newer: ./dev setup all installs clang-19")
        return 77
    if np is None:
        print("skipped: no NumPy: ./dev setup test installs python3-numpy")
        return 77
    seed = OPTIONS.get("--seed", 7) or int(time.time())
    turns = OPTIONS.get("--turns", 12)
    print(f"seed {seed}", flush=True)
    draw = np.random.default_rng(seed)
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        program = build(folder)
        for first in range(0, turns, 50): # the files of 50 turns at once
            with tempfile.TemporaryDirectory() as files:
                kinds = KINDS * min(50, turns - first)
                cases = [(first * len(KINDS) + i, kind(draw)) for i, kind in enumerate(kinds)]
                wrong += run(program, files, cases)
    print(f"{turns * len(KINDS)} cases, {wrong} wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())

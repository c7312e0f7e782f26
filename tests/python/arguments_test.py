# SPDX-License-Identifier: Apache-2.0
"""Arguments that are refused, and the shape of every function's answer."""

import unittest

import acl
from support import (DEVICE_ID, HANDLE, INVALID_PARAM, NOT_SUPPORTED, SUCCESS, ModelTest, function,
                     refused_in_c, tables)

ROWS = tables.rows()

# An argument of each type that does no harm.
HARMLESS = {"int": 0, "str": "nothing", "float": 0.0, "bytes": b"", "tuple[int, ...]": (0,),
            "Any": None,
            "list[int]": [], "list[list[int]]": [], "dict[str, Any]": {},
            "list[dict[str, int]]": [], "list[dict[str, Any]]": []}
# Raise by their nature when nothing is given, or are no questions to C.
NOT_SHAPED = {"bytes_to_ptr", "get_group_info_detail", "numpy_contiguous_to_ptr", "numpy_to_ptr",
              "ptr_to_numpy"}


def harmless(row):
    return [(lambda *args: None) if type_.startswith(("Callable", "Optional[Callable"))
            else HARMLESS[type_]
            for name, type_ in row.signature if not name.startswith("*")]


def fits(value, type_):
    """Whether a value is of a type as the stubs write it."""
    if type_.startswith("Optional["):
        return value is None or fits(value, type_[len("Optional["):-1])
    if type_.startswith("tuple["):
        parts = tables.split(type_[len("tuple["):-1])
        return isinstance(value, tuple) and len(value) == len(parts) and all(
            map(fits, value, parts))
    plain = {"None": type(None), "int": int, "str": str, "float": float, "bytes": bytes}
    return isinstance(value, plain.get(type_) or (list if type_.startswith("list") else dict))


class Arguments(unittest.TestCase):
    def refused(self, row, arguments, *words):
        with self.assertRaises(TypeError) as caught:
            function(row)(*arguments)
        for word in (row.full_name + " args parse failed",) + words:
            self.assertIn(word, str(caught.exception))

    def test_a_wrong_number_of_arguments_is_a_type_error(self):
        for row in ROWS:
            if any(name.startswith("*") for name, _ in row.signature):
                continue
            with self.subTest(row.full_name):
                self.refused(row, harmless(row) + [0, 0], "given")
                if row.signature and "=" not in row.signature[0][0]:
                    self.refused(row, harmless(row)[:-1], "given")

    def test_a_wrong_type_names_function_and_argument(self):
        for row in ROWS:
            for at, (name, type_) in enumerate(row.signature):
                if type_ == "Any" or name.startswith("*") or (row.area == "util"
                                                              and type_ == "bytes"):
                    continue
                with self.subTest(f"{row.full_name} {name}"):
                    arguments = harmless(row)
                    arguments[at] = object()
                    if row.name == "ptr_to_numpy" and name != "npy_type":
                        arguments[2] = 8
                    self.refused(row, arguments, name.split("=")[0] + ": ")

    def test_keywords_are_refused(self):
        with self.assertRaises(TypeError):
            acl.rt.set_device(device_id=0)

    def test_integers_out_of_range_are_a_type_error(self):
        for call, arguments in ((acl.rt.set_device, (2**31,)), (acl.rt.set_device, (-2**31 - 1,)),
                                (acl.rt.free, (-1,)), (acl.rt.free, (2**64,)),
                                (acl.rt.free, (10**30,)),
                                (acl.rt.set_op_wait_timeout, (-1,)),
                                (acl.rt.set_op_wait_timeout, (2**32,)),
                                (acl.rt.set_sys_param_opt, (0, 2**63)),
                                (acl.float16_to_float, (2**16,)),
                                (acl.get_tensor_desc_dim, (0, -1)),
                                (acl.get_tensor_desc_dim_range, (0, 0, 65537)),
                                (acl.media.dvpp_malloc, (-1,)), (acl.media.dvpp_malloc, (2**64,)),
                                (acl.rt.wait_and_reset_notify, (0, 0, -1)),
                                (acl.rt.wait_and_reset_notify, (0, 0, 2**32)),
                                (acl.rt.notify_get_export_key, (0, 1024, 0))):
            with self.assertRaisesRegex(TypeError, "args parse failed: .*: must be ",
                                        msg=f"{call} {arguments}"):
                call(*arguments)

    def test_elements_of_lists_and_dicts_are_checked(self):
        place = {"addrOffset": 0, "dataOffset": 0}
        for call, arguments in ((acl.rt.notify_batch_reset, ([0, "x"],)),
                                (acl.rt.notify_set_import_pid, (0, [2**31])),
                                (acl.rt.binary_load_from_file, ("x", [7])),
                                (acl.rt.binary_load_from_file, ("x", [{"type": "x"}])),
                                (acl.rt.malloc_physical, (0, {"location": 3}, 0)),
                                (acl.rt.malloc_physical, (0, {"location": {"id": -1}}, 0)),
                                (acl.rt.malloc_with_cfg,
                                 (1, 0, {"attrs": [{"attr": 1, "value": {"moduleId": 2**16}}]})),
                                (acl.rt.malloc_with_cfg, (1, 0, {"numAttrs": 1, "attrs": []})),
                                (acl.create_tensor_desc, (0, [1, "x"], 0)),
                                (acl.create_tensor_desc, (0, [2**63], 0)),
                                (acl.set_tensor_shape_range, (0, [1, 2])),
                                (acl.set_tensor_shape_range, (0, [[1]])),
                                (acl.set_tensor_shape_range, (0, [[1, 2, 3]])),
                                (acl.set_tensor_value_range, (0, [[1, None]])),
                                (acl.rt.launch_kernel_with_host_args,
                                 (0, 1, 0, [], 0, 0, [place], 2))):
            with self.assertRaisesRegex(TypeError, "args parse failed", msg=f"{call} {arguments}"):
                call(*arguments)

    def test_strings_end_where_they_end(self):
        with self.assertRaisesRegex(TypeError, "embedded null"):
            acl.rt.ipc_mem_close("a\0b")
        with self.assertRaisesRegex(TypeError, "UTF-8"):
            acl.rt.ipc_mem_close("\ud800")

    def test_what_stands_for_an_integer_is_one(self):
        class Index:
            def __index__(self):
                return 2

        self.assertEqual(acl.data_type_size(Index()), 1)
        self.assertEqual(acl.data_type_size(True), 2)
        self.assertEqual(acl.data_type_size(9), 8)


    def test_a_list_that_shrinks_while_it_is_read_is_refused(self):
        """An element may run code of the program."""
        def shrinking(count, element=lambda one: one):
            class Last:
                def __index__(self):
                    items.clear()
                    return 1
            items = [element(Last())] + [element(1) for _ in range(count - 1)]
            return items

        for call, arguments in ((acl.create_tensor_desc, (1, shrinking(3), 2)),
                                (acl.set_tensor_shape_range,
                                 (0, shrinking(2, lambda one: [one, 1]))),
                                (acl.rt.notify_set_import_pid, (0, shrinking(2)))):
            with self.assertRaisesRegex(TypeError, "shorter", msg=f"{call}"):
                call(*arguments)


class Shapes(ModelTest):
    def test_every_answer_has_the_shape_that_its_stub_says(self):
        refused = refused_in_c()
        left = {"acl.finalize", "acl.finalize_reference", "acl.rt.reset_device",
                "acl.rt.reset_device_force"}
        for row in ROWS:
            if row.full_name in left or row.name in NOT_SHAPED:
                continue
            with self.subTest(row.full_name):
                answer = function(row)(*harmless(row))
                self.assertTrue(fits(answer, row.returned), f"{answer} is no {row.returned}")
                if row.c_name in refused:
                    code = answer[-1] if isinstance(answer, tuple) else answer
                    self.assertIn(code, (NOT_SUPPORTED,) if row.kind == "CALL"
                                  else (NOT_SUPPORTED, 0))
        self.assertEqual(acl.rt.set_context(acl.rt.get_context()[0]), acl.rt.get_context()[1])

    def test_group_detail_alone_raises(self):
        with self.assertRaisesRegex(RuntimeError, str(NOT_SUPPORTED)):
            acl.rt.get_group_info_detail(1, 0, 0)

    def test_a_failure_is_a_code_and_values_are_zero(self):
        self.assertEqual(acl.rt.malloc(0, 0), (0, INVALID_PARAM))
        self.assertEqual(acl.rt.stream_query(12345)[1], HANDLE)
        self.assertEqual(acl.rt.get_primary_ctx_state(999), (0, 0, DEVICE_ID))
        self.assertEqual(acl.rt.synchronize_stream(0), SUCCESS)


if __name__ == "__main__":
    unittest.main()

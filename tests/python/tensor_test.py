# SPDX-License-Identifier: Apache-2.0
"""Tensor descriptions. They need neither a device nor acl.init()."""

import unittest

import acl
from support import HANDLE, INVALID_PARAM, SUCCESS

FLOAT, FLOAT16, INT8, STRING, UNDEFINED = 0, 1, 2, 13, -1  # of aclDataType
NCHW, NHWC, ND, NC1HWC0 = range(4)  # of aclFormat
UNKNOWN_RANK = 0xFFFFFFFFFFFFFFFE
GE_FORMAT_INVALID, GE_SHAPE_INVALID, GE_DATATYPE_INVALID = 145020, 145021, 145022


class Tensor(unittest.TestCase):
    def desc(self, dtype, dims, format_=ND):
        desc = acl.create_tensor_desc(dtype, dims, format_)
        self.assertNotEqual(desc, 0, acl.get_recent_err_msg())
        self.addCleanup(acl.destroy_tensor_desc, desc)
        return desc

    def shape(self, desc):
        return [acl.get_tensor_desc_dim(desc, i) for i in range(acl.get_tensor_desc_num_dims(desc))]

    def test_a_description_returns_what_it_was_made_of(self):
        desc = self.desc(FLOAT16, [16, 32], NHWC)
        self.assertEqual(acl.get_tensor_desc_type(desc), FLOAT16)
        self.assertEqual(acl.get_tensor_desc_format(desc), NHWC)
        self.assertEqual(acl.get_tensor_desc_num_dims(desc), 2)
        self.assertEqual(acl.get_tensor_desc_element_count(desc), 512)
        self.assertEqual(acl.get_tensor_desc_size(desc), 1024)
        self.assertEqual(self.shape(desc), [16, 32])
        self.assertEqual(acl.get_tensor_desc_dim_v2(desc, 1), (32, SUCCESS))
        self.assertEqual(acl.get_tensor_desc_dim_v2(desc, 2), (0, INVALID_PARAM))
        self.assertEqual(acl.get_tensor_desc_dim(desc, 2), -1)
        self.assertEqual(acl.get_tensor_desc_address(desc), 0)
        self.assertEqual(acl.get_tensor_desc_by_index(desc, 0), desc)
        self.assertEqual(acl.get_tensor_desc_by_index(desc, 1), 0)

    def test_scalars_and_unknown_shapes(self):
        self.assertEqual(acl.get_tensor_desc_size(self.desc(FLOAT, [])), 4)
        self.assertEqual(acl.get_tensor_desc_size(self.desc(FLOAT, [16, -1])), 0)
        self.assertEqual(acl.get_tensor_desc_num_dims(self.desc(FLOAT, [-2])), UNKNOWN_RANK)

    def test_names(self):
        desc = self.desc(FLOAT, [1])
        self.assertEqual(acl.get_tensor_desc_name(desc), "")
        self.assertIsNone(acl.set_tensor_desc_name(desc, "größe"))
        self.assertEqual(acl.get_tensor_desc_name(desc), "größe")

    def test_ranges(self):
        desc = self.desc(FLOAT, [16, -1])
        self.assertEqual(acl.get_tensor_desc_dim_range(desc, 0, 2), ([0, 0], INVALID_PARAM))
        self.assertEqual(acl.set_tensor_shape_range(desc, [[16, 16], [1, -1]]), SUCCESS)
        self.assertEqual(acl.get_tensor_desc_dim_range(desc, 0, 2), ([16, 16], SUCCESS))
        self.assertEqual(acl.get_tensor_desc_dim_range(desc, 1, 4), ([1, -1, 0, 0], SUCCESS))
        self.assertEqual(acl.get_tensor_desc_dim_range(desc, 2, 2), ([0, 0], INVALID_PARAM))
        self.assertEqual(acl.get_tensor_desc_dim_range(desc, 0, 1), ([0], INVALID_PARAM))
        self.assertEqual(acl.get_tensor_desc_dim_range(desc, 0, 0), ([], INVALID_PARAM))
        self.assertEqual(acl.set_tensor_shape_range(desc, []), SUCCESS)
        self.assertEqual(acl.get_tensor_desc_dim_range(desc, 0, 2), ([0, 0], INVALID_PARAM))
        self.assertEqual(acl.set_tensor_value_range(desc, [[1, 128]]), SUCCESS)

    def test_original_and_storage(self):
        desc = self.desc(FLOAT16, [1, 3, 224, 224], NCHW)
        for call in (acl.set_tensor_format, acl.set_tensor_storage_format):
            self.assertEqual(call(desc, NC1HWC0), SUCCESS)
        for call in (acl.set_tensor_shape, acl.set_tensor_storage_shape):
            self.assertEqual(call(desc, [1, 1, 224, 224, 16]), SUCCESS)
            self.assertEqual(call(desc, []), INVALID_PARAM)
        self.assertEqual((acl.get_tensor_desc_format(desc), self.shape(desc)),
                         (NCHW, [1, 3, 224, 224]))
        self.assertEqual(acl.set_tensor_origin_format(desc, ND), SUCCESS)
        self.assertEqual(acl.set_tensor_origin_shape(desc, [2, 5]), SUCCESS)
        self.assertEqual((acl.get_tensor_desc_format(desc), self.shape(desc)), (ND, [2, 5]))

    def test_what_operators_ask_for(self):
        desc = self.desc(INT8, [4])
        data = b"data"
        self.assertEqual(acl.set_tensor_dynamic_input(desc, "x"), SUCCESS)
        self.assertEqual(acl.set_tensor_const(desc, acl.util.bytes_to_ptr(data), 4), SUCCESS)
        self.assertEqual(acl.set_tensor_const(desc, acl.util.bytes_to_ptr(data), 0), INVALID_PARAM)
        self.assertEqual(acl.set_tensor_const(desc, 0, 4), INVALID_PARAM)
        self.assertEqual(acl.set_tensor_place_ment(desc, 1), SUCCESS)

    def test_the_shape_in_another_format(self):
        desc = self.desc(FLOAT16, [1, 3, 224, 224], NCHW)
        for format_, shape in ((NC1HWC0, [1, 1, 224, 224, 16]), (NHWC, [1, 224, 224, 3])):
            made, code = acl.trans_tensor_desc_format(desc, format_)
            self.assertEqual(code, SUCCESS)
            self.assertEqual(self.shape(made), shape)
            self.assertEqual(acl.get_tensor_desc_format(made), NCHW)
            acl.destroy_tensor_desc(made)
        self.assertEqual(acl.trans_tensor_desc_format(desc, ND), (0, GE_FORMAT_INVALID))
        self.assertEqual(acl.trans_tensor_desc_format(self.desc(FLOAT, [2, 3], NCHW), NHWC),
                         (0, GE_SHAPE_INVALID))
        self.assertEqual(
            acl.trans_tensor_desc_format(self.desc(STRING, [1, 2, 3, 4], NCHW), NC1HWC0),
            (0, GE_DATATYPE_INVALID))

    def test_no_description_is_a_code_or_an_empty_value(self):
        dead = acl.create_tensor_desc(FLOAT, [1], ND)
        self.assertIsNone(acl.destroy_tensor_desc(dead))
        for desc, code in ((0, INVALID_PARAM), (dead, HANDLE), (12345, HANDLE)):
            with self.subTest(desc):
                self.assertEqual(acl.get_tensor_desc_type(desc), UNDEFINED)
                self.assertEqual(acl.get_tensor_desc_format(desc), -1)
                self.assertEqual(acl.get_tensor_desc_size(desc), 0)
                self.assertEqual(acl.get_tensor_desc_name(desc), "")
                self.assertEqual(acl.get_tensor_desc_dim_v2(desc, 0), (0, code))
                self.assertEqual(acl.get_tensor_desc_dim_range(desc, 0, 2), ([0, 0], code))
                self.assertEqual(acl.set_tensor_shape(desc, [1]), code)
                self.assertEqual(acl.set_tensor_place_ment(desc, 0), code)
                self.assertEqual(acl.trans_tensor_desc_format(desc, NHWC), (0, code))
                self.assertIsNone(acl.set_tensor_desc_name(desc, "x"))
                self.assertIsNone(acl.destroy_tensor_desc(desc))


if __name__ == "__main__":
    unittest.main()

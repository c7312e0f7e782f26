# SPDX-License-Identifier: Apache-2.0
"""Start and end, devices, contexts, settings, versions, logs."""

import inspect
import os
import subprocess
import sys
import unittest

import acl
from support import CONTEXT_NULL, DEVICE_ID, HANDLE, REPEAT_INITIALIZE, SUCCESS, ModelTest


class Start(unittest.TestCase):
    def test_init_takes_a_path_or_nothing(self):
        self.assertEqual(acl.init(), SUCCESS)
        self.assertEqual(acl.init(None), REPEAT_INITIALIZE)
        self.assertEqual(acl.finalize(), SUCCESS)
        self.assertNotEqual(acl.init("/no/such/file.json"), SUCCESS)
        self.assertIn("/no/such/file.json", acl.get_recent_err_msg())
        self.assertIsNone(acl.get_recent_err_msg())
        self.assertNotEqual(acl.finalize(), SUCCESS)

    def test_references_are_counted(self):
        self.assertEqual(acl.init(), SUCCESS)
        self.assertEqual(acl.init(), REPEAT_INITIALIZE)
        self.assertEqual(acl.finalize_reference(), (1, SUCCESS))
        self.assertEqual(acl.finalize_reference(), (0, SUCCESS))


class Device(ModelTest):
    def test_the_device_and_its_numbers(self):
        count = self.value(acl.rt.get_device_count())
        self.assertGreaterEqual(count, 1)
        self.assertEqual(acl.rt.get_device(), (0, SUCCESS))
        self.assertEqual(acl.rt.get_run_mode(), (1, SUCCESS))
        self.assertEqual(acl.rt.query_device_status(0), (0, SUCCESS))
        self.assertEqual(acl.rt.set_device(count), DEVICE_ID)
        self.assertEqual(acl.rt.set_ts_device(0), SUCCESS)
        self.assertTrue(acl.get_soc_name().startswith("Ascend"))
        self.assertEqual(self.value(acl.rt.device_get_stream_priority_range())[1], 0)
        self.assertGreater(self.value(acl.rt.get_device_info(0, 101)), 0)
        self.assertEqual(self.value(acl.get_device_capability(0, 0)),
                         self.value(acl.rt.get_device_info(0, 101)))
        self.assertEqual(len(self.value(acl.rt.device_get_uuid(0))["bytes"]), 16)
        self.assertEqual(acl.rt.device_get_bare_tgid(), (os.getpid(), SUCCESS))
        for ask in (acl.rt.get_logic_dev_id_by_user_dev_id, acl.rt.get_user_dev_id_by_logic_dev_id,
                    acl.rt.get_logic_dev_id_by_phy_dev_id, acl.rt.get_phy_dev_id_by_logic_dev_id):
            self.assertEqual(ask(0), (0, SUCCESS))

    def test_reset_counts_and_reset_force_does_not(self):
        self.ok(acl.rt.set_device(0))
        self.ok(acl.rt.reset_device(0))
        self.assertEqual(acl.rt.get_primary_ctx_state(0), (1, 0, SUCCESS))
        self.ok(acl.rt.reset_device_force(0))
        self.assertEqual(acl.rt.get_primary_ctx_state(0), (0, 0, SUCCESS))
        self.ok(acl.rt.set_device(0))

    def test_contexts(self):
        default = self.value(acl.rt.get_context())
        context = self.value(acl.rt.create_context(0))
        self.assertEqual(acl.rt.get_context(1, 2, 3), (context, SUCCESS))
        self.assertNotEqual(self.value(acl.rt.ctx_get_current_default_stream()), 0)
        self.ok(acl.rt.ctx_set_sys_param_opt(0, 1))
        self.assertEqual(acl.rt.ctx_get_sys_param_opt(0), (1, SUCCESS))
        self.ok(acl.rt.set_context(default))
        self.assertEqual(acl.rt.get_context(), (default, SUCCESS))
        self.ok(acl.rt.set_context(context))
        self.ok(acl.rt.destroy_context(context))
        self.assertEqual(acl.rt.get_context(), (0, CONTEXT_NULL))
        self.assertNotEqual(acl.rt.set_context(context), SUCCESS)
        self.ok(acl.rt.set_context(default))

    def test_settings_of_the_process(self):
        self.ok(acl.rt.set_sys_param_opt(0, 1))
        self.assertEqual(acl.rt.get_sys_param_opt(0), (1, SUCCESS))
        self.ok(acl.rt.set_device_sat_mode(1))
        self.assertEqual(acl.rt.get_device_sat_mode(), (1, SUCCESS))

    def test_shares_of_cores(self):
        cores = self.value(acl.rt.get_device_res_limit(0, 0))
        self.ok(acl.rt.set_device_res_limit(0, 0, cores - 1))
        self.assertEqual(acl.rt.get_device_res_limit(0, 0), (cores - 1, SUCCESS))
        self.ok(acl.rt.reset_device_res_limit(0))
        self.assertEqual(acl.rt.get_device_res_limit(0, 0), (cores, SUCCESS))

    def test_last_errors(self):
        self.assertEqual(acl.rt.destroy_stream(12345), HANDLE)
        self.assertEqual(acl.rt.peek_at_last_error(0), HANDLE)
        self.assertEqual(acl.rt.get_last_error(0), HANDLE)
        self.assertEqual(acl.rt.get_last_error(0), SUCCESS)
        self.assertIn("aclrtDestroyStream", acl.get_recent_err_msg())

    def test_versions_and_attributes(self):
        self.assertEqual(acl.get_version()[-1], SUCCESS)
        self.assertEqual(len(acl.get_version()), 4)
        attributes, count, code = acl.get_cann_attribute_list()
        self.assertEqual((len(attributes), code), (count, SUCCESS))
        for attribute in attributes:
            self.assertEqual(acl.get_cann_attribute(attribute)[1], SUCCESS)
        info, code = acl.get_cann_version(0)
        self.assertEqual(
            set(info), {"version", "major_version", "minor_version", "release_version",
                        "patch_version",
                        "reserved"})
        text, code = acl.get_version_str("runtime")
        self.assertIsInstance(text, str)
        self.assertIsInstance(code, int)

    def test_numbers(self):
        self.assertEqual([acl.data_type_size(t) for t in (0, 1, 2, 9, 13)], [4, 2, 1, 8, 0])
        self.assertEqual(acl.float16_to_float(0x3C00), 1.0)
        self.assertEqual(acl.float_to_float16(-2.0), 0xC000)
        self.assertEqual(acl.float_to_float16(1e9), 0x7C00)

    def test_data_buffers(self):
        buffer = acl.create_data_buffer(4096, 2**32 + 5)
        self.assertEqual((acl.get_data_buffer_addr(buffer), acl.get_data_buffer_size(buffer),
                          acl.get_data_buffer_size_v2(buffer)), (4096, 5, 2**32 + 5))
        self.ok(acl.update_data_buffer(buffer, 8192, 7))
        self.assertEqual((acl.get_data_buffer_addr(buffer), acl.get_data_buffer_size_v2(buffer)),
                         (8192, 7))
        self.ok(acl.destroy_data_buffer(buffer))
        empty = acl.create_data_buffer(0, 0)
        self.assertNotEqual(empty, 0)
        self.ok(acl.destroy_data_buffer(empty))

    def test_a_log_line_names_its_caller(self):
        script = "import acl\nacl.init()\ndef speaker():\n    acl.app_log(3, 'done: 100%')\nspeaker()\nacl.finalize()\n"
        environment = dict(os.environ, TWINRT_LOG="info")
        logged = subprocess.run([sys.executable, "-c", script], env=environment,
                                stderr=subprocess.PIPE, check=True).stderr
        self.assertIn(b"done: 100%", logged)
        self.assertIn(b"speaker", logged)
        self.assertIn(b"<string>", logged)
        self.assertIsNone(acl.app_log(0, inspect.currentframe().f_code.co_name))


    def test_repeated_refusals_are_logged_at_powers_of_ten(self):
        script = ("import acl\nacl.init()\nacl.rt.set_device(0)\n"
                  "for i in range(2500): acl.rt.destroy_stream(12345)\n"
                  "acl.rt.destroy_event(54321)\nacl.rt.destroy_stream(12345)\nacl.finalize()\n")
        environment = dict(os.environ, TWINRT_LOG="info")
        lines = subprocess.run([sys.executable, "-c", script], env=environment,
                               stderr=subprocess.PIPE, text=True,
                               check=True).stderr.splitlines()
        ends = [line.split(" -> ")[1] for line in lines if "aclrtDestroyStream" in line
                and " -> " in line]
        self.assertEqual(
            ends, ["107017"] + [f"107017, {times} times in a row" for times in (10, 100, 1000)] +
            ["107017"])
        self.assertEqual(len([line for line in lines if "aclrtDestroyEvent:" in line]), 1)


class Images(ModelTest):
    def test_an_image_that_is_none_is_refused(self):
        binary, code = acl.rt.binary_load_from_file("/no/such/kernel.o", [])
        self.assertEqual(binary, 0)
        self.assertNotEqual(code, SUCCESS)
        data = b"no image at all, but long enough to be looked at as one: " * 4
        binary, code = acl.rt.binary_load_from_data(acl.util.bytes_to_ptr(data), len(data),
                                                    [{"type": 1, "value": 1}])
        self.assertEqual(binary, 0)
        self.assertNotEqual(code, SUCCESS)
        self.assertNotEqual(acl.rt.binary_unload(12345), SUCCESS)
        for ask in (lambda: acl.rt.binary_get_function(12345, "name"),
                    lambda: acl.rt.get_function_name(12345, 64),
                    lambda: acl.rt.get_function_addr(12345)):
            self.assertNotEqual(ask()[-1], SUCCESS)


class Peers(unittest.TestCase):
    """Two devices: in a separate process, as their number is fixed when the model starts."""

    def test_peers(self):
        script = """
import acl
assert acl.init() == 0 and acl.rt.set_device(0) == 0
assert acl.rt.get_device_count() == (2, 0)
can, ret = acl.rt.device_can_access_peer(0, 1)
assert ret == 0 and can == 1, (can, ret)
assert acl.rt.device_peer_access_status(0, 1) == (0, 0), acl.rt.device_peer_access_status(0, 1)
assert acl.rt.device_enable_peer_access(1, 0) == 0
assert acl.rt.device_peer_access_status(0, 1) == (1, 0)
assert acl.rt.device_disable_peer_access(1) == 0
value, ret = acl.rt.get_devices_topo(0, 1)
assert ret == 0 and value > 0
assert acl.rt.reset_device(0) == 0 and acl.finalize() == 0
"""
        subprocess.run([sys.executable, "-c", script], env=dict(os.environ, TWINRT_DEVICES="2"),
                       check=True)


if __name__ == "__main__":
    unittest.main()

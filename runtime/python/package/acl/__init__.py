# SPDX-License-Identifier: Apache-2.0
"""The ACL runtime interface for Python.

Functions take positional arguments. Handles and addresses are ints, 0 is none and the default
stream. Results are the values first and the code last, or the code alone; 0 is success and a
failure is never an exception. Arguments of a wrong type, number or range raise TypeError."""

import twinrt as _twinrt

try:
    from acl._acl import *  # all functions, acl.media, acl.rt and acl.util
except ImportError as _error:
    raise ImportError(_twinrt.reason(_error), name="acl") from None
if _twinrt.lacks_model():
    raise ImportError(_twinrt.remedy(), name="acl")

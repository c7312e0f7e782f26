/* SPDX-License-Identifier: Apache-2.0 */
/* Python's stable interface, as old as the oldest Python that the module serves, and the public headers of the runtime. */
#ifndef TWINRT_PYTHON_INTERFACE_H
#define TWINRT_PYTHON_INTERFACE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x03090000
#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

#include "acl/acl.h"

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Python's stable interface, as old as the oldest Python that the module serves, and the public
 * headers of the runtime. */
#ifndef TWINRT_PYTHON_INTERFACE_H
#define TWINRT_PYTHON_INTERFACE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x03090000
#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

#include "acl/acl.h"

/* Every C function is weak: a library that lacks some of them, such as the vendor's of another
 * version, works with those it has. The others return the code of a function that is not built. */
#define TWIN_PY_WEAK(function) _Pragma(TWIN_PY_WORDS(weak function))
#define TWIN_PY_WORDS(words)   TWIN_PY_WORDS_(words)
#define TWIN_PY_WORDS_(words)  #words
#define TWIN_PY_IF_THERE(function, arguments)                                                      \
    ((function) ? function arguments : ACL_ERROR_RT_FEATURE_NOT_SUPPORT)

/* A call during which other threads run Python. */
#define TWIN_PY_RELEASED(call)                                                                     \
    do {                                                                                           \
        PyThreadState *thread_ = PyEval_SaveThread();                                              \
        call;                                                                                      \
        PyEval_RestoreThread(thread_);                                                             \
    } while (0)

#endif

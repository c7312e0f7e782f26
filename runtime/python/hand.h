/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that the rows HAND(…) of the tables name, and functions that the files of the
 * module share. */
#ifndef TWINRT_PYTHON_HAND_H
#define TWINRT_PYTHON_HAND_H

#include "convert.h"

#define CALL(...)
#define VALUE(...)
#define HAND(area, name, function, ...)                                                            \
    TWIN_PY_WEAK(function) PyObject *twin_py_hand_##area##_##name(struct twin_py_args *args);
#include "functions/device.def"
#include "functions/kernel.def"
#include "functions/main.def"
#include "functions/media.def"
#include "functions/memory.def"
#include "functions/stream.def"
#include "functions/tensor.def"
#undef HAND
#define HAND(area, name, ...) PyObject *twin_py_hand_##area##_##name(struct twin_py_args *args);
#include "functions/util.def" /* without C functions */
#undef CALL
#undef VALUE
#undef HAND

/* Taking the interpreter for a function of the program, on any thread. False: Python has ended or
 * is about to, and nothing may be called. */
bool twin_py_enter(PyGILState_STATE *out_state);
void twin_py_leave(PyGILState_STATE state);
/* From the atexit handler of the module on, threads of the runtime do not come in. Holds the
 * GIL. */
void twin_py_close(void);

/* Lets signals end waits of the main thread, where the library can do that. */
void twin_py_wait_setup(void);

#endif

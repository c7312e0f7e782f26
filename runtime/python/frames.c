/* SPDX-License-Identifier: Apache-2.0 */
/* Function, file and line of the Python program, for recordings with stacks. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "convert.h"

#include "twinrt/frames.h"

#pragma weak twinrt_set_frames /* absent from the vendor's library */

#define FRAMES_MOST    16
#define TEXT_BYTES     16384u
#define FUNCTION_BYTES 256u
#define FILE_BYTES     1024u
#define LINE_BYTES     16u

/* What the library reads during the calls of this thread. */
static _Thread_local char texts[TEXT_BYTES];

/* Settings are fixed with the first call, and so is this. */
static bool is_wanted(void)
{
    static atomic_int known; /* 0: not yet; 1: no; 2: yes */
    int wanted = atomic_load_explicit(&known, memory_order_relaxed);
    if (wanted == 0) {
        const char *stacks = getenv("TWINRT_RECORD_STACKS");
        wanted = twinrt_set_frames && stacks && strcmp(stacks, "on") == 0 ? 2 : 1;
        atomic_store_explicit(&known, wanted, memory_order_relaxed);
    }
    return wanted == 2;
}

size_t twin_py_attribute(PyObject *object, const char *name, char *out, size_t room)
{
    PyObject *value = twin_py_get(object, name);
    PyObject *text = value ? PyObject_Str(value) : NULL;
    PyObject *bytes = text ? PyUnicode_AsEncodedString(text, "utf-8", "surrogateescape") : NULL;
    int used = snprintf(out, room, "%s", bytes ? PyBytes_AsString(bytes) : "?");
    Py_XDECREF(bytes);
    Py_XDECREF(text);
    Py_XDECREF(value);
    PyErr_Clear();
    return used < 0 || (size_t)used >= room ? room : (size_t)used + 1;
}

/* A C function has no frame: the innermost is the caller's. */
PyObject *twin_py_frame(void)
{
    PyObject *get = PySys_GetObject("_getframe");
    return get ? PyObject_CallObject(get, NULL) : NULL;
}

void twin_py_note_frames(void)
{
    static const size_t frame_bytes = FUNCTION_BYTES + FILE_BYTES + LINE_BYTES;
    size_t used = 0;
    if (!is_wanted())
        return;
    PyObject *frame = twin_py_frame();
    for (int i = 0; i < FRAMES_MOST && frame && frame != Py_None; i++) {
        if (TEXT_BYTES - used < frame_bytes)
            break;
        PyObject *code = twin_py_get(frame, "f_code");
        PyObject *qualified = twin_py_get(code, "co_qualname"); /* from 3.11 on */
        PyErr_Clear();
        used += twin_py_attribute(code, qualified ? "co_qualname" : "co_name", texts + used,
                                  FUNCTION_BYTES);
        Py_XDECREF(qualified);
        used += twin_py_attribute(code, "co_filename", texts + used, FILE_BYTES);
        used += twin_py_attribute(frame, "f_lineno", texts + used, LINE_BYTES);
        Py_XDECREF(code);
        PyObject *outer = twin_py_get(frame, "f_back");
        Py_DECREF(frame);
        frame = outer;
    }
    Py_XDECREF(frame);
    PyErr_Clear();
    twinrt_set_frames(texts, used);
}

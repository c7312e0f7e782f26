/* SPDX-License-Identifier: Apache-2.0 */
#include "convert.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Lengths that programs ask text buffers of stay below this, as in the vendor's module. */
#define BUFFER_MOST 1024u

bool twin_py_refuse(const struct twin_py_args *args, const char *argument, const char *reason, ...)
{
    char text[200];
    va_list more;
    va_start(more, reason);
    (void)vsnprintf(text, sizeof(text), reason, more);
    va_end(more);
    PyErr_Format(PyExc_TypeError, "%s args parse failed: %s%s%s", args->function,
                 argument ? argument : "", argument ? ": " : "", text);
    return false;
}

bool twin_py_begin(struct twin_py_args *args, Py_ssize_t count)
{
    Py_ssize_t given = PyTuple_Size(args->tuple);
    args->next = 0;
    twin_py_note_frames();
    if (given == count)
        return true;
    return twin_py_refuse(args, NULL, "takes %zd argument%s, %zd given", count,
                          count == 1 ? "" : "s", given);
}

PyObject *twin_py_next(struct twin_py_args *args)
{
    return PyTuple_GetItem(args->tuple, args->next++);
}

PyObject *twin_py_get(PyObject *object, const char *name)
{
    PyObject *interned = object ? PyUnicode_InternFromString(name) : NULL;
    PyObject *value = interned ? PyObject_GetAttr(object, interned) : NULL;
    Py_XDECREF(interned);
    return value;
}

PyObject *twin_py_call(PyObject *object, const char *name, PyObject *first, PyObject *second)
{
    PyObject *method = first ? twin_py_get(object, name) : NULL;
    PyObject *answer = method ? PyObject_CallFunctionObjArgs(method, first, second, NULL) : NULL;
    Py_XDECREF(method);
    return answer;
}

static bool refuse_type(const struct twin_py_args *args, const char *name, const char *wanted,
                        PyObject *object)
{
    PyObject *type = (PyObject *)Py_TYPE(object);
    PyObject *found = twin_py_get(type, "__name__");
    PyObject *bytes = found ? PyUnicode_AsUTF8String(found) : NULL;
    PyErr_Clear();
    twin_py_refuse(args, name, "expected %s, not %s", wanted,
                   bytes ? PyBytes_AsString(bytes) : "this");
    Py_XDECREF(found);
    Py_XDECREF(bytes);
    return false;
}

/* A new reference to the int that an object is or converts to (numpy's integers); NULL: refused. */
static PyObject *as_integer(const struct twin_py_args *args, const char *name, PyObject *object)
{
    if (PyLong_Check(object)) {
        Py_INCREF(object);
        return object;
    }
    PyObject *integer = PyNumber_Index(object);
    if (!integer) {
        if (PyErr_ExceptionMatches(PyExc_TypeError)) {
            PyErr_Clear();
            refuse_type(args, name, "int", object);
        }
    }
    return integer;
}

static bool take_signed(const struct twin_py_args *args, const char *name, PyObject *object,
                        int64_t low, int64_t high, int64_t *out)
{
    PyObject *integer = as_integer(args, name, object);
    if (!integer)
        return false;
    int overflow = 0;
    long long value = PyLong_AsLongLongAndOverflow(integer, &overflow);
    Py_DECREF(integer);
    if (overflow != 0 || value < low || value > high)
        return twin_py_refuse(args, name, "must be %lld to %lld", (long long)low, (long long)high);
    *out = value;
    return true;
}

bool twin_py_unsigned(const struct twin_py_args *args, const char *name, PyObject *object,
                      uint64_t high, uint64_t *out)
{
    PyObject *integer = as_integer(args, name, object);
    if (!integer)
        return false;
    unsigned long long value = PyLong_AsUnsignedLongLong(integer);
    Py_DECREF(integer);
    bool outside = value == (unsigned long long)-1 && PyErr_Occurred();
    if (outside || value > high) {
        PyErr_Clear();
        return twin_py_refuse(args, name, "must be 0 to %llu", (unsigned long long)high);
    }
    *out = value;
    return true;
}

bool twin_py_take_handle(struct twin_py_args *args, const char *name, twin_py_handle *out)
{
    uint64_t value;
    if (!twin_py_unsigned(args, name, twin_py_next(args), UINTPTR_MAX, &value))
        return false;
    *out = (void *)(uintptr_t)value;
    return true;
}

#define TAKE_UNSIGNED(type, high)                                                                  \
    bool twin_py_take_##type(struct twin_py_args *args, const char *name, twin_py_##type *out)     \
    {                                                                                              \
        uint64_t value;                                                                            \
        if (!twin_py_unsigned(args, name, twin_py_next(args), high, &value))                       \
            return false;                                                                          \
        *out = (twin_py_##type)value;                                                              \
        return true;                                                                               \
    }
TAKE_UNSIGNED(size, SIZE_MAX)
TAKE_UNSIGNED(u16, UINT16_MAX)
TAKE_UNSIGNED(u32, UINT32_MAX)
TAKE_UNSIGNED(u64, UINT64_MAX)

bool twin_py_take_limit(struct twin_py_args *args, const char *name, size_t most, size_t *out)
{
    uint64_t value;
    if (!twin_py_unsigned(args, name, twin_py_next(args), most, &value))
        return false;
    *out = (size_t)value;
    return true;
}

bool twin_py_take_i32(struct twin_py_args *args, const char *name, twin_py_i32 *out)
{
    int64_t value;
    if (!take_signed(args, name, twin_py_next(args), INT32_MIN, INT32_MAX, &value))
        return false;
    *out = (int32_t)value;
    return true;
}

bool twin_py_take_i64(struct twin_py_args *args, const char *name, twin_py_i64 *out)
{
    return take_signed(args, name, twin_py_next(args), INT64_MIN, INT64_MAX, out);
}

bool twin_py_take_f32(struct twin_py_args *args, const char *name, twin_py_f32 *out)
{
    PyObject *object = twin_py_next(args);
    double value = PyFloat_AsDouble(object);
    if (value == -1.0 && PyErr_Occurred()) {
        PyErr_Clear();
        return refuse_type(args, name, "float", object);
    }
    *out = (float)value;
    return true;
}

bool twin_py_take_text(struct twin_py_args *args, const char *name, twin_py_text *out)
{
    PyObject *object = twin_py_next(args);
    if (!PyUnicode_Check(object))
        return refuse_type(args, name, "str", object);
    out->bytes = PyUnicode_AsUTF8String(object);
    if (!out->bytes) {
        PyErr_Clear();
        return twin_py_refuse(args, name, "no UTF-8 text");
    }
    Py_ssize_t length = 0;
    if (PyBytes_AsStringAndSize(out->bytes, &out->text, &length) != 0)
        return false;
    if (strlen(out->text) != (size_t)length)
        return twin_py_refuse(args, name, "embedded null character");
    return true;
}

void twin_py_drop_text(twin_py_text *text)
{
    Py_XDECREF(text->bytes);
}

bool twin_py_array(const struct twin_py_args *args, const char *name, PyObject *list, size_t bytes,
                   void **out_items, size_t *out_count)
{
    if (!PyList_Check(list))
        return refuse_type(args, name, "list", list);
    size_t count = (size_t)PyList_Size(list);
    *out_count = count;
    if (count == 0)
        return true;
    *out_items = PyMem_Calloc(count, bytes);
    if (!*out_items)
        PyErr_NoMemory();
    return *out_items != NULL;
}

PyObject *twin_py_element(const struct twin_py_args *args, const char *name, PyObject *list,
                          size_t index)
{
    PyObject *element = PyList_Check(list) && (Py_ssize_t)index < PyList_Size(list)
                            ? PyList_GetItem(list, (Py_ssize_t)index)
                            : NULL;
    Py_XINCREF(element);
    if (!element)
        (void)twin_py_refuse(args, name, "became shorter while it was read");
    return element;
}

bool twin_py_take_list(struct twin_py_args *args, const char *name, size_t bytes,
                       twin_py_put_element *put, const void *context, void **out_items,
                       size_t *out_count)
{
    PyObject *list = twin_py_next(args);
    if (!twin_py_array(args, name, list, bytes, out_items, out_count))
        return false;
    for (size_t i = 0; i < *out_count; i++) {
        PyObject *element = twin_py_element(args, name, list, i);
        const bool good =
            element && put(args, name, element, i, context, (char *)*out_items + i * bytes);
        Py_XDECREF(element);
        if (!good)
            return false;
    }
    return true;
}

static bool put_pid(const struct twin_py_args *args, const char *name, PyObject *element,
                    size_t index, const void *context, void *slot)
{
    int64_t value;
    (void)index;
    (void)context;
    if (!take_signed(args, name, element, INT32_MIN, INT32_MAX, &value))
        return false;
    *(int32_t *)slot = (int32_t)value;
    return true;
}

static bool put_handle(const struct twin_py_args *args, const char *name, PyObject *element,
                       size_t index, const void *context, void *slot)
{
    uint64_t value;
    (void)index;
    (void)context;
    if (!twin_py_unsigned(args, name, element, UINTPTR_MAX, &value))
        return false;
    *(void **)slot = (void *)(uintptr_t)value;
    return true;
}

static bool put_dim(const struct twin_py_args *args, const char *name, PyObject *element,
                    size_t index, const void *context, void *slot)
{
    (void)context;
    if (index >= INT_MAX)
        return twin_py_refuse(args, name, "more than %d elements", INT_MAX);
    return take_signed(args, name, element, INT64_MIN, INT64_MAX, slot);
}

static bool put_range(const struct twin_py_args *args, const char *name, PyObject *range,
                      size_t index, const void *context, void *slot)
{
    int64_t *ends = slot;
    if (!PyList_Check(range))
        return refuse_type(args, name, "list of two ints", range);
    if (PyList_Size(range) != 2)
        return twin_py_refuse(args, name, "element %zu must be a list of 2 ints, not of %zd", index,
                              PyList_Size(range));
    for (size_t i = 0; i < 2; i++) {
        PyObject *element = twin_py_element(args, name, range, i);
        const bool good = element && put_dim(args, name, element, i, context, &ends[i]);
        Py_XDECREF(element);
        if (!good)
            return false;
    }
    return true;
}

TWIN_PY_TAKE_LIST(pids, items, count, put_pid, NULL)
TWIN_PY_TAKE_LIST(handles, items, count, put_handle, NULL)
TWIN_PY_TAKE_LIST(dims, items, count, put_dim, NULL)
TWIN_PY_TAKE_LIST(ranges, items, count, put_range, NULL)

bool twin_py_take_buffer(struct twin_py_args *args, const char *name, twin_py_buffer *out)
{
    uint64_t bytes;
    if (!twin_py_unsigned(args, name, twin_py_next(args), BUFFER_MOST - 1, &bytes))
        return false;
    out->bytes = (uint32_t)bytes;
    out->text =
        PyMem_Calloc(BUFFER_MOST, 1); /* one more than any length: always ends with a zero */
    if (!out->text)
        PyErr_NoMemory();
    return out->text != NULL;
}

PyObject *twin_py_give_handle(const void *value)
{
    return PyLong_FromUnsignedLongLong((uintptr_t)value);
}

PyObject *twin_py_give_text(const char *text)
{
    if (!text)
        return twin_py_give_none();
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "surrogateescape");
}

PyObject *twin_py_give_none(void)
{
    Py_INCREF(Py_None);
    return Py_None;
}

/* Little endian, as every machine that the runtime supports. */
PyObject *twin_py_give_numbers(const void *items, size_t count, size_t bytes, bool is_signed)
{
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list && i < count; i++) {
        uint64_t number = 0;
        memcpy(&number, (const char *)items + i * bytes, bytes);
        const int64_t extended = bytes == 4 ? (int32_t)number : (int64_t)number;
        PyObject *value =
            is_signed ? PyLong_FromLongLong(extended) : PyLong_FromUnsignedLongLong(number);
        if (!value || PyList_SetItem(list, (Py_ssize_t)i, value) != 0)
            Py_CLEAR(list);
    }
    return list;
}

PyObject *twin_py_give_pair(PyObject *value, aclError code)
{
    struct twin_py_result result = {PyTuple_New(2), 0};
    twin_py_put(&result, value);
    twin_py_put(&result, PyLong_FromLong(code));
    return result.tuple;
}

void twin_py_put(struct twin_py_result *result, PyObject *value)
{
    if (!result->tuple || !value) {
        Py_XDECREF(value);
        Py_XDECREF(result->tuple);
        result->tuple = NULL;
        return;
    }
    if (PyTuple_SetItem(result->tuple, result->next++, value) != 0)
        Py_CLEAR(result->tuple);
}

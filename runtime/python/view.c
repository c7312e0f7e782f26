/* SPDX-License-Identifier: Apache-2.0 */
/* acl.util: memory as bytes and as numpy arrays. numpy is only asked for what the program has
 * loaded already, or for ptr_to_numpy; nothing of it is compiled in. */
#include "convert.h"
#include "hand.h"

#include <string.h>

#ifndef PyBUF_WRITE /* older than the name: Python 3.9 takes the number */
#define PyBUF_WRITE 0x200
#endif

/* ---- bytes ----------------------------------------------------------------------------------- */

PyObject *twin_py_hand_util_bytes_to_ptr(struct twin_py_args *args)
{
    if (!twin_py_begin(args, 1))
        return NULL;
    PyObject *object = twin_py_next(args);
    if (!PyBytes_Check(object)) {
        PyErr_SetString(PyExc_ValueError, "acl.util.bytes_to_ptr: data: expected bytes");
        return NULL;
    }
    return twin_py_give_handle(PyBytes_AsString(object));
}

PyObject *twin_py_hand_util_ptr_to_bytes(struct twin_py_args *args)
{
    void *from;
    size_t size;
    if (!twin_py_begin(args, 2) || !twin_py_take_handle(args, "ptr", &from) ||
        !twin_py_take_limit(args, "size", PY_SSIZE_T_MAX, &size))
        return NULL;
    if (!from && size > 0) {
        PyErr_SetString(PyExc_ValueError, "acl.util.ptr_to_bytes: ptr: must not be 0");
        return NULL;
    }
    return PyBytes_FromStringAndSize(from, (Py_ssize_t)size);
}

/* ---- numpy ----------------------------------------------------------------------------------- */

/* Whether it is an array; without numpy loaded nothing is. */
static bool is_array(PyObject *object)
{
    PyObject *modules = PyImport_GetModuleDict();
    PyObject *numpy = PyDict_GetItemString(modules, "numpy");
    PyObject *type = twin_py_get(numpy, "ndarray");
    bool is = type && PyObject_IsInstance(object, type) == 1;
    Py_XDECREF(type);
    PyErr_Clear();
    return is;
}

static bool expect_array(const char *function, PyObject *object)
{
    if (is_array(object))
        return true;
    PyErr_Format(PyExc_ValueError, "%s: array: expected a numpy array", function);
    return false;
}

static PyObject *address_of(PyObject *array)
{
    PyObject *interface = twin_py_get(array, "__array_interface__");
    PyObject *data = interface ? PyMapping_GetItemString(interface, "data") : NULL;
    PyObject *address = data ? PySequence_GetItem(data, 0) : NULL;
    Py_XDECREF(data);
    Py_XDECREF(interface);
    return address;
}

/* 1 its rows follow each other, 0 they do not, -1 with an error. */
static int is_contiguous(PyObject *array)
{
    PyObject *flags = twin_py_get(array, "flags");
    PyObject *flag = twin_py_get(flags, "c_contiguous");
    int is = flag ? PyObject_IsTrue(flag) : -1;
    Py_XDECREF(flag);
    Py_XDECREF(flags);
    return is;
}

PyObject *twin_py_hand_util_numpy_to_ptr(struct twin_py_args *args)
{
    if (!twin_py_begin(args, 1))
        return NULL;
    PyObject *array = twin_py_next(args);
    if (!expect_array(args->function, array) ||
        PyErr_WarnEx(PyExc_DeprecationWarning,
                     "acl.util.numpy_to_ptr will go; acl.util.bytes_to_ptr stays", 1) != 0)
        return NULL;
    int contiguous = is_contiguous(array);
    if (contiguous < 0 ||
        (contiguous == 0 &&
         PyErr_WarnEx(PyExc_RuntimeWarning,
                      "acl.util.numpy_to_ptr: the array is not contiguous: its memory holds other "
                      "elements too",
                      1) != 0))
        return NULL;
    return address_of(array);
}

PyObject *twin_py_hand_util_numpy_contiguous_to_ptr(struct twin_py_args *args)
{
    if (!twin_py_begin(args, 1))
        return NULL;
    PyObject *array = twin_py_next(args);
    if (!expect_array(args->function, array))
        return NULL;
    PyObject *numpy = PyImport_ImportModule("numpy");
    PyObject *whole = twin_py_call(numpy, "ascontiguousarray", array, NULL);
    Py_XDECREF(numpy);
    PyObject *address = whole ? address_of(whole) : NULL;
    PyObject *answer = address ? PyTuple_Pack(2, address, whole) : NULL;
    Py_XDECREF(address);
    Py_XDECREF(whole);
    return answer;
}

/* numpy's letter of a type number; 0: none that memory can hold. */
static char type_letter(int64_t number)
{
    static const char letters[] = "?bBhHiIlLqQfdgFDG";
    if (number == 23)
        return 'e';
    return number >= 0 && number < (int64_t)sizeof(letters) - 1 ? letters[number] : '\0';
}

/* Bytes of an array of the shape, a tuple; false with an error: no lengths, or more than memory can
 * hold. */
static bool bytes_of(const struct twin_py_args *args, PyObject *shape, size_t item,
                     size_t *out_bytes)
{
    size_t bytes = item;
    for (Py_ssize_t i = 0; i < PyTuple_Size(shape); i++) {
        uint64_t length;
        if (!twin_py_unsigned(args, "shape", PyTuple_GetItem(shape, i), PY_SSIZE_T_MAX, &length))
            return false;
        if (length > 0 && bytes > (size_t)PY_SSIZE_T_MAX / length)
            return twin_py_refuse(args, "shape", "more than memory can hold");
        bytes *= length;
    }
    *out_bytes = bytes;
    return true;
}

static bool item_bytes(PyObject *type, size_t *out_bytes)
{
    PyObject *size = twin_py_get(type, "itemsize");
    *out_bytes = size ? PyLong_AsSize_t(size) : 0;
    Py_XDECREF(size);
    return !PyErr_Occurred();
}

/* frombuffer refuses empty memory. */
static PyObject *view(PyObject *numpy, PyObject *type, void *memory, size_t bytes, PyObject *shape)
{
    if (bytes == 0)
        return twin_py_call(numpy, "empty", shape, type);
    PyObject *buffer = PyMemoryView_FromMemory(memory, (Py_ssize_t)bytes, PyBUF_WRITE);
    PyObject *flat = twin_py_call(numpy, "frombuffer", buffer, type);
    PyObject *array = twin_py_call(flat, "reshape", shape, NULL);
    Py_XDECREF(flat);
    Py_XDECREF(buffer);
    return array;
}

PyObject *twin_py_hand_util_ptr_to_numpy(struct twin_py_args *args)
{
    void *memory;
    int32_t number;
    if (!twin_py_begin(args, 3) || !twin_py_take_handle(args, "ptr", &memory))
        return NULL;
    PyObject *shape = twin_py_next(args);
    if (!PyTuple_Check(shape)) {
        twin_py_refuse(args, "shape", "expected a tuple");
        return NULL;
    }
    if (!twin_py_take_i32(args, "npy_type", &number))
        return NULL;
    char letter[2] = {type_letter(number), '\0'};
    if (letter[0] == '\0') {
        twin_py_refuse(args, "npy_type", "%d is not a type of numbers", number);
        return NULL;
    }
    PyObject *numpy = PyImport_ImportModule("numpy");
    PyObject *name = PyUnicode_FromString(letter);
    PyObject *type = twin_py_call(numpy, "dtype", name, NULL);
    Py_XDECREF(name);
    PyObject *array = NULL;
    size_t item = 0;
    size_t bytes = 0;
    if (type && item_bytes(type, &item) && bytes_of(args, shape, item, &bytes)) {
        if (memory || bytes == 0)
            array = view(numpy, type, memory, bytes, shape);
        else
            PyErr_SetString(PyExc_ValueError, "acl.util.ptr_to_numpy: ptr: must not be 0");
    }
    Py_XDECREF(type);
    Py_XDECREF(numpy);
    return array;
}

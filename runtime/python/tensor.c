/* SPDX-License-Identifier: Apache-2.0 */
/* Functions on tensor descriptions that return nothing or a list. */
#include "convert.h"
#include "hand.h"

#define RANGE_MOST 65536u /* longer lists are a mistake */

PyObject *twin_py_acl_destroy_tensor_desc(PyObject *module, PyObject *given)
{
    (void)module;
    struct twin_py_args args = {"acl.destroy_tensor_desc", given, 0};
    void *desc;
    if (!twin_py_begin(&args, 1) || !twin_py_take_handle(&args, "desc", &desc))
        return NULL;
    if (aclDestroyTensorDesc)
        aclDestroyTensorDesc(desc);
    Py_INCREF(Py_None);
    return Py_None;
}

PyObject *twin_py_acl_set_tensor_desc_name(PyObject *module, PyObject *given)
{
    (void)module;
    struct twin_py_args args = {"acl.set_tensor_desc_name", given, 0};
    void *desc;
    twin_py_text name = {0};
    bool read = twin_py_begin(&args, 2) && twin_py_take_handle(&args, "desc", &desc) &&
                twin_py_take_text(&args, "name", &name);
    if (read && aclSetTensorDescName)
        aclSetTensorDescName(desc, name.text);
    twin_py_drop_text(&name);
    if (!read)
        return NULL;
    Py_INCREF(Py_None);
    return Py_None;
}

PyObject *twin_py_acl_get_tensor_desc_dim_range(PyObject *module, PyObject *given)
{
    (void)module;
    struct twin_py_args args = {"acl.get_tensor_desc_dim_range", given, 0};
    void *desc;
    size_t index;
    size_t count;
    if (!twin_py_begin(&args, 3) || !twin_py_take_handle(&args, "desc", &desc) ||
        !twin_py_take_size(&args, "index", &index) ||
        !twin_py_take_limit(&args, "count", RANGE_MOST, &count))
        return NULL;
    int64_t *range = PyMem_Calloc(count > 0 ? count : 1, sizeof(*range));
    if (!range)
        return PyErr_NoMemory();
    aclError code = TWIN_PY_IF_THERE(aclGetTensorDescDimRange, (desc, index, count, range));
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list && i < count; i++) {
        PyObject *value = PyLong_FromLongLong(range[i]);
        if (!value || PyList_SetItem(list, (Py_ssize_t)i, value) != 0)
            Py_CLEAR(list);
    }
    PyMem_Free(range);
    struct twin_py_result result = {PyTuple_New(2), 0};
    twin_py_put(&result, list);
    twin_py_put(&result, PyLong_FromLong(code));
    return result.tuple;
}

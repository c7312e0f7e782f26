/* SPDX-License-Identifier: Apache-2.0 */
/* Functions on tensor descriptions that return nothing or a list. */
#include "convert.h"
#include "hand.h"

#define RANGE_MOST 65536u /* longer lists are a mistake */

PyObject *twin_py_hand_acl_destroy_tensor_desc(struct twin_py_args *args)
{
    void *desc;
    if (!twin_py_begin(args, 1) || !twin_py_take_handle(args, "desc", &desc))
        return NULL;
    if (aclDestroyTensorDesc)
        aclDestroyTensorDesc(desc);
    return twin_py_give_none();
}

PyObject *twin_py_hand_acl_set_tensor_desc_name(struct twin_py_args *args)
{
    void *desc;
    twin_py_text name = {0};
    bool read = twin_py_begin(args, 2) && twin_py_take_handle(args, "desc", &desc) &&
                twin_py_take_text(args, "name", &name);
    if (read && aclSetTensorDescName)
        aclSetTensorDescName(desc, name.text);
    twin_py_drop_text(&name);
    if (!read)
        return NULL;
    return twin_py_give_none();
}

PyObject *twin_py_hand_acl_get_tensor_desc_dim_range(struct twin_py_args *args)
{
    void *desc;
    size_t index;
    size_t count;
    if (!twin_py_begin(args, 3) || !twin_py_take_handle(args, "desc", &desc) ||
        !twin_py_take_size(args, "index", &index) ||
        !twin_py_take_limit(args, "count", RANGE_MOST, &count))
        return NULL;
    int64_t *range = PyMem_Calloc(count > 0 ? count : 1, sizeof(*range));
    if (!range)
        return PyErr_NoMemory();
    aclError code = TWIN_PY_IF_THERE(aclGetTensorDescDimRange, (desc, index, count, range));
    PyObject *list = twin_py_give_numbers(range, count, sizeof(*range), true);
    PyMem_Free(range);
    return twin_py_give_pair(list, code);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Functions whose arguments or results differ from those in C by more than a row of a table
 * says. */
#include "hand.h"
#include "structs.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* The values of a group of cores that fit: as many as in the vendor's module. */
#define GROUP_VALUES 256
#define UCE_MOST     65536u

/* ---- acl ------------------------------------------------------------------------------------- */

PyObject *twin_py_hand_acl_init(struct twin_py_args *args)
{
    twin_py_text path = {0};
    aclError code;
    twin_py_note_frames();
    const Py_ssize_t given = PyTuple_Size(args->tuple);
    const bool without = given == 0 || (given == 1 && PyTuple_GetItem(args->tuple, 0) == Py_None);
    if (!without && (!twin_py_begin(args, 1) || !twin_py_take_text(args, "config_path", &path))) {
        twin_py_drop_text(&path);
        return NULL;
    }
    TWIN_PY_RELEASED(code = TWIN_PY_IF_THERE(aclInit, (path.text)));
    twin_py_drop_text(&path);
    return PyLong_FromLong(code);
}

PyObject *twin_py_hand_acl_app_log(struct twin_py_args *args)
{
    int32_t level;
    twin_py_text text = {0};
    char file[1024];
    char name[256];
    if (!twin_py_begin(args, 2) || !twin_py_take_i32(args, "level", &level) ||
        !twin_py_take_text(args, "text", &text)) {
        twin_py_drop_text(&text);
        return NULL;
    }
    PyObject *frame = twin_py_frame();
    PyObject *code = twin_py_get(frame, "f_code");
    PyObject *number = twin_py_get(frame, "f_lineno");
    const long line = number ? PyLong_AsLong(number) : 0;
    (void)twin_py_attribute(code, "co_filename", file, sizeof(file));
    (void)twin_py_attribute(code, "co_name", name, sizeof(name));
    if (aclAppLog)
        aclAppLog((aclLogLevel)level, name, file, line > 0 ? (uint32_t)line : 0, "%s", text.text);
    Py_XDECREF(number);
    Py_XDECREF(code);
    Py_XDECREF(frame);
    twin_py_drop_text(&text);
    return twin_py_give_none();
}

PyObject *twin_py_hand_acl_get_cann_attribute_list(struct twin_py_args *args)
{
    if (!twin_py_begin(args, 0))
        return NULL;
    const aclCannAttr *attributes = NULL;
    size_t count = 0;
    aclError code = TWIN_PY_IF_THERE(aclGetCannAttributeList, (&attributes, &count));
    struct twin_py_result result = {PyTuple_New(3), 0};
    twin_py_put(&result, twin_py_give_numbers(attributes, attributes ? count : 0,
                                              sizeof(*attributes), true));
    twin_py_put(&result, PyLong_FromSize_t(count));
    twin_py_put(&result, PyLong_FromLong(code));
    return result.tuple;
}

PyObject *twin_py_hand_acl_get_version_str(struct twin_py_args *args)
{
    twin_py_text package = {0};
    PyObject *answer = NULL;
    if (twin_py_begin(args, 1) && twin_py_take_text(args, "package_name", &package)) {
        char text[ACL_PKG_VERSION_MAX_SIZE + 1] = "";
        aclError code = TWIN_PY_IF_THERE(aclsysGetVersionStr, (package.text, text));
        answer = twin_py_give_pair(twin_py_give_text(text), code);
    }
    twin_py_drop_text(&package);
    return answer;
}

/* ---- acl.rt ---------------------------------------------------------------------------------- */

PyObject *twin_py_hand_rt_get_context(struct twin_py_args *args)
{
    aclrtContext context = NULL;
    (void)args;
    twin_py_note_frames();
    aclError code = TWIN_PY_IF_THERE(aclrtGetCurrentContext, (&context));
    return twin_py_give_pair(twin_py_give_handle(context), code);
}

PyObject *twin_py_hand_rt_get_primary_ctx_state(struct twin_py_args *args)
{
    int32_t device;
    int32_t active = 0;
    aclError code;
    if (!twin_py_begin(args, 1) || !twin_py_take_i32(args, "device_id", &device))
        return NULL;
    /* C takes no flags */
    TWIN_PY_RELEASED(code = TWIN_PY_IF_THERE(aclrtGetPrimaryCtxState, (device, NULL, &active)));
    struct twin_py_result result = {PyTuple_New(3), 0};
    twin_py_put(&result, PyLong_FromLong(active));
    twin_py_put(&result, PyLong_FromLong(0));
    twin_py_put(&result, PyLong_FromLong(code));
    return result.tuple;
}

PyObject *twin_py_hand_rt_get_group_info_detail(struct twin_py_args *args)
{
    void *info;
    int32_t group;
    int32_t attribute;
    if (!twin_py_begin(args, 3) || !twin_py_take_handle(args, "info", &info) ||
        !twin_py_take_i32(args, "group", &group) || !twin_py_take_i32(args, "attr", &attribute))
        return NULL;
    int32_t values[GROUP_VALUES] = {0};
    size_t bytes = 0;
    aclError code =
        TWIN_PY_IF_THERE(aclrtGetGroupInfoDetail,
                         (info, group, (aclrtGroupAttr)attribute, values, sizeof(values), &bytes));
    size_t count = bytes / sizeof(*values);
    if (code != ACL_SUCCESS || count == 0 || count > GROUP_VALUES) {
        PyErr_Format(PyExc_RuntimeError, "aclrtGetGroupInfoDetail returned %d", code);
        return NULL;
    }
    return twin_py_give_pair(twin_py_give_numbers(values, count, sizeof(*values), true), code);
}

PyObject *twin_py_hand_rt_get_mem_uce_info(struct twin_py_args *args)
{
    int32_t device;
    size_t most;
    size_t found = 0;
    aclError code;
    if (!twin_py_begin(args, 2) || !twin_py_take_i32(args, "device_id", &device) ||
        !twin_py_take_limit(args, "count", UCE_MOST, &most))
        return NULL;
    aclrtMemUceInfo *infos = PyMem_Calloc(most > 0 ? most : 1, sizeof(*infos));
    if (!infos)
        return PyErr_NoMemory();
    TWIN_PY_RELEASED(code = TWIN_PY_IF_THERE(aclrtGetMemUceInfo, (device, infos, most, &found)));
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < found && i < most; i++) {
        PyObject *info = twin_py_give_uce_info(&infos[i]);
        if (!info || PyList_Append(list, info) != 0)
            Py_CLEAR(list);
        Py_XDECREF(info);
    }
    PyMem_Free(infos);
    return twin_py_give_pair(list, code);
}

PyObject *twin_py_hand_rt_set_memcpy_desc(struct twin_py_args *args)
{
    void *desc;
    void *from;
    void *to;
    void *config;
    int32_t kind;
    size_t count;
    aclError code;
    if (!twin_py_begin(args, 6) || !twin_py_take_handle(args, "desc", &desc) ||
        !twin_py_take_i32(args, "kind", &kind) || !twin_py_take_handle(args, "src", &from) ||
        !twin_py_take_handle(args, "dst", &to) || !twin_py_take_size(args, "count", &count) ||
        !twin_py_take_handle(args, "cfg", &config))
        return NULL;
    TWIN_PY_RELEASED(code = TWIN_PY_IF_THERE(aclrtSetMemcpyDesc, (desc, (aclrtMemcpyKind)kind, from,
                                                                  to, count, config)));
    return twin_py_give_pair(twin_py_give_handle(desc), code);
}

/* ---- acl.media ------------------------------------------------------------------------------- */

PyObject *twin_py_hand_media_dvpp_malloc(struct twin_py_args *args)
{
    size_t size;
    void *memory = NULL;
    aclError code;
    if (!twin_py_begin(args, 1) || !twin_py_take_size(args, "size", &size))
        return NULL;
    /* acldvppMalloc takes a size of 0, aclrtMalloc does not. */
    TWIN_PY_RELEASED(code = TWIN_PY_IF_THERE(
                         aclrtMalloc, (&memory, size > 0 ? size : 1, ACL_MEM_MALLOC_HUGE_FIRST)));
    return twin_py_give_pair(twin_py_give_handle(memory), code);
}

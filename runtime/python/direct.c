/* SPDX-License-Identifier: Apache-2.0 */
/* Functions whose arguments or results differ from those in C by more than a row of a table says. */
#include "hand.h"
#include "structs.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* Room for what a group of cores may tell: as much as the vendor's module gives. */
#define GROUP_VALUES 256
#define UCE_MOST     65536u

static PyObject *code_only(aclError code)
{
    return PyLong_FromLong(code);
}

/* ---- acl ------------------------------------------------------------------------------------------ */

PyObject *twin_py_acl_init(PyObject *module, PyObject *given)
{
    (void)module;
    struct twin_py_args args = {"acl.init", given, 0};
    twin_py_text path = {0};
    twin_py_note_frames();
    bool without = PyTuple_Size(given) == 0 ||
                   (PyTuple_Size(given) == 1 && PyTuple_GetItem(given, 0) == Py_None);
    if (!without && (!twin_py_begin(&args, 1) || !twin_py_take_text(&args, "config_path", &path))) {
        twin_py_drop_text(&path);
        return NULL;
    }
    PyThreadState *thread = PyEval_SaveThread();
    aclError code = TWIN_PY_IF_THERE(aclInit, (path.text));
    PyEval_RestoreThread(thread);
    twin_py_drop_text(&path);
    return code_only(code);
}

/* The text of an attribute of an object, kept in *out_bytes; "" without one. */
static const char *attribute_text(PyObject *object, const char *name, PyObject **out_bytes)
{
    PyObject *value = object ? PyObject_GetAttrString(object, name) : NULL;
    *out_bytes = value && PyUnicode_Check(value) ? PyUnicode_AsUTF8String(value) : NULL;
    Py_XDECREF(value);
    return *out_bytes ? PyBytes_AsString(*out_bytes) : "";
}

PyObject *twin_py_acl_app_log(PyObject *module, PyObject *given)
{
    (void)module;
    struct twin_py_args args = {"acl.app_log", given, 0};
    int32_t level;
    twin_py_text text = {0};
    if (!twin_py_begin(&args, 2) || !twin_py_take_i32(&args, "level", &level) ||
        !twin_py_take_text(&args, "text", &text)) {
        twin_py_drop_text(&text);
        return NULL;
    }
    /* A C function has no frame of its own: the innermost is the caller's. */
    PyObject *get = PySys_GetObject("_getframe");
    PyObject *frame = get ? PyObject_CallObject(get, NULL) : NULL;
    PyObject *code = frame ? PyObject_GetAttrString(frame, "f_code") : NULL;
    PyObject *number = frame ? PyObject_GetAttrString(frame, "f_lineno") : NULL;
    long line = number ? PyLong_AsLong(number) : 0;
    PyObject *file_bytes;
    PyObject *name_bytes;
    const char *file = attribute_text(code, "co_filename", &file_bytes);
    const char *name = attribute_text(code, "co_name", &name_bytes);
    PyErr_Clear();
    if (aclAppLog)
        aclAppLog((aclLogLevel)level, name, file, line > 0 ? (uint32_t)line : 0, "%s", text.text);
    Py_XDECREF(name_bytes);
    Py_XDECREF(file_bytes);
    Py_XDECREF(number);
    Py_XDECREF(code);
    Py_XDECREF(frame);
    twin_py_drop_text(&text);
    Py_INCREF(Py_None);
    return Py_None;
}

PyObject *twin_py_acl_get_cann_attribute_list(PyObject *module, PyObject *given)
{
    (void)module;
    struct twin_py_args args = {"acl.get_cann_attribute_list", given, 0};
    if (!twin_py_begin(&args, 0))
        return NULL;
    const aclCannAttr *attributes = NULL;
    size_t count = 0;
    aclError code = TWIN_PY_IF_THERE(aclGetCannAttributeList, (&attributes, &count));
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && attributes && i < count; i++) {
        PyObject *value = PyLong_FromLong(attributes[i]);
        if (!value || PyList_Append(list, value) != 0)
            Py_CLEAR(list);
        Py_XDECREF(value);
    }
    struct twin_py_result result = {PyTuple_New(3), 0};
    twin_py_put(&result, list);
    twin_py_put(&result, PyLong_FromSize_t(count));
    twin_py_put(&result, code_only(code));
    return result.tuple;
}

PyObject *twin_py_acl_get_version_str(PyObject *module, PyObject *given)
{
    (void)module;
    struct twin_py_args args = {"acl.get_version_str", given, 0};
    twin_py_text package = {0};
    PyObject *answer = NULL;
    if (twin_py_begin(&args, 1) && twin_py_take_text(&args, "package_name", &package)) {
        char text[ACL_PKG_VERSION_MAX_SIZE + 1] = "";
        aclError code = TWIN_PY_IF_THERE(aclsysGetVersionStr, (package.text, text));
        struct twin_py_result result = {PyTuple_New(2), 0};
        twin_py_put(&result, twin_py_give_text(text));
        twin_py_put(&result, code_only(code));
        answer = result.tuple;
    }
    twin_py_drop_text(&package);
    return answer;
}

/* ---- acl.rt --------------------------------------------------------------------------------------- */

PyObject *twin_py_rt_get_context(PyObject *module, PyObject *given)
{
    (void)module;
    (void)given;
    aclrtContext context = NULL;
    twin_py_note_frames();
    aclError code = TWIN_PY_IF_THERE(aclrtGetCurrentContext, (&context));
    struct twin_py_result result = {PyTuple_New(2), 0};
    twin_py_put(&result, twin_py_give_handle(context));
    twin_py_put(&result, code_only(code));
    return result.tuple;
}

PyObject *twin_py_rt_get_primary_ctx_state(PyObject *module, PyObject *given)
{
    (void)module;
    struct twin_py_args args = {"acl.rt.get_primary_ctx_state", given, 0};
    int32_t device;
    if (!twin_py_begin(&args, 1) || !twin_py_take_i32(&args, "device_id", &device))
        return NULL;
    int32_t active = 0;
    PyThreadState *thread = PyEval_SaveThread();
    aclError code =
        TWIN_PY_IF_THERE(aclrtGetPrimaryCtxState, (device, NULL, &active)); /* C wants no flags */
    PyEval_RestoreThread(thread);
    struct twin_py_result result = {PyTuple_New(3), 0};
    twin_py_put(&result, PyLong_FromLong(active));
    twin_py_put(&result, PyLong_FromLong(0));
    twin_py_put(&result, code_only(code));
    return result.tuple;
}

PyObject *twin_py_rt_get_group_info_detail(PyObject *module, PyObject *given)
{
    (void)module;
    struct twin_py_args args = {"acl.rt.get_group_info_detail", given, 0};
    void *info;
    int32_t group;
    int32_t attribute;
    if (!twin_py_begin(&args, 3) || !twin_py_take_handle(&args, "info", &info) ||
        !twin_py_take_i32(&args, "group", &group) || !twin_py_take_i32(&args, "attr", &attribute))
        return NULL;
    int32_t values[GROUP_VALUES] = {0};
    size_t bytes = 0;
    aclError code =
        TWIN_PY_IF_THERE(aclrtGetGroupInfoDetail,
                         (info, group, (aclrtGroupAttr)attribute, values, sizeof(values), &bytes));
    size_t count = bytes / sizeof(*values);
    if (code != ACL_SUCCESS || count == 0 || count > GROUP_VALUES) {
        PyErr_Format(PyExc_RuntimeError, "aclrtGetGroupInfoDetail answered %d", code);
        return NULL;
    }
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list && i < count; i++) {
        PyObject *value = PyLong_FromLong(values[i]);
        if (!value || PyList_SetItem(list, (Py_ssize_t)i, value) != 0)
            Py_CLEAR(list);
    }
    struct twin_py_result result = {PyTuple_New(2), 0};
    twin_py_put(&result, list);
    twin_py_put(&result, code_only(code));
    return result.tuple;
}

PyObject *twin_py_rt_get_mem_uce_info(PyObject *module, PyObject *given)
{
    (void)module;
    struct twin_py_args args = {"acl.rt.get_mem_uce_info", given, 0};
    int32_t device;
    size_t most;
    if (!twin_py_begin(&args, 2) || !twin_py_take_i32(&args, "device_id", &device) ||
        !twin_py_take_limit(&args, "count", UCE_MOST, &most))
        return NULL;
    aclrtMemUceInfo *infos = PyMem_Calloc(most > 0 ? most : 1, sizeof(*infos));
    if (!infos)
        return PyErr_NoMemory();
    size_t found = 0;
    PyThreadState *thread = PyEval_SaveThread();
    aclError code = TWIN_PY_IF_THERE(aclrtGetMemUceInfo, (device, infos, most, &found));
    PyEval_RestoreThread(thread);
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < found && i < most; i++) {
        PyObject *info = twin_py_give_uce_info(&infos[i]);
        if (!info || PyList_Append(list, info) != 0)
            Py_CLEAR(list);
        Py_XDECREF(info);
    }
    PyMem_Free(infos);
    struct twin_py_result result = {PyTuple_New(2), 0};
    twin_py_put(&result, list);
    twin_py_put(&result, code_only(code));
    return result.tuple;
}

PyObject *twin_py_rt_set_memcpy_desc(PyObject *module, PyObject *given)
{
    (void)module;
    struct twin_py_args args = {"acl.rt.set_memcpy_desc", given, 0};
    void *desc;
    void *from;
    void *to;
    void *config;
    int32_t kind;
    size_t count;
    if (!twin_py_begin(&args, 6) || !twin_py_take_handle(&args, "desc", &desc) ||
        !twin_py_take_i32(&args, "kind", &kind) || !twin_py_take_handle(&args, "src", &from) ||
        !twin_py_take_handle(&args, "dst", &to) || !twin_py_take_size(&args, "count", &count) ||
        !twin_py_take_handle(&args, "cfg", &config))
        return NULL;
    PyThreadState *thread = PyEval_SaveThread();
    aclError code = TWIN_PY_IF_THERE(aclrtSetMemcpyDesc,
                                     (desc, (aclrtMemcpyKind)kind, from, to, count, config));
    PyEval_RestoreThread(thread);
    struct twin_py_result result = {PyTuple_New(2), 0};
    twin_py_put(&result, twin_py_give_handle(desc));
    twin_py_put(&result, code_only(code));
    return result.tuple;
}

/* ---- acl.media ------------------------------------------------------------------------------------ */

PyObject *twin_py_media_dvpp_malloc(PyObject *module, PyObject *given)
{
    (void)module;
    struct twin_py_args args = {"acl.media.dvpp_malloc", given, 0};
    size_t size;
    if (!twin_py_begin(&args, 1) || !twin_py_take_size(&args, "size", &size))
        return NULL;
    void *memory = NULL;
    PyThreadState *thread = PyEval_SaveThread();
    /* acldvppMalloc takes a size of 0, aclrtMalloc does not. */
    aclError code =
        TWIN_PY_IF_THERE(aclrtMalloc, (&memory, size > 0 ? size : 1, ACL_MEM_MALLOC_HUGE_FIRST));
    PyEval_RestoreThread(thread);
    struct twin_py_result result = {PyTuple_New(2), 0};
    twin_py_put(&result, twin_py_give_handle(memory));
    twin_py_put(&result, code_only(code));
    return result.tuple;
}

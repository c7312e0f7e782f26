/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the program that the runtime calls: from streams, on exceptions, as an allocator. */
#include <stdarg.h>
#include <stdatomic.h>

#include "convert.h"
#include "hand.h"

static atomic_bool closed;

bool twin_py_enter(PyGILState_STATE *out_state)
{
    if (atomic_load(&closed))
        return false;
    *out_state = PyGILState_Ensure();
    return true;
}

void twin_py_leave(PyGILState_STATE state)
{
    PyGILState_Release(state);
}

/* Calls and drops `arguments`. What the function raises is reported, and the runtime goes on. */
static PyObject *call(PyObject *function, PyObject *arguments)
{
    PyObject *answer = arguments ? PyObject_CallObject(function, arguments) : NULL;
    Py_XDECREF(arguments);
    if (!answer)
        PyErr_WriteUnraisable(function);
    return answer;
}

static bool take_function(struct twin_py_args *args, const char *name, bool or_none,
                          PyObject **out_function)
{
    *out_function = twin_py_next(args);
    return PyCallable_Check(*out_function) || (or_none && *out_function == Py_None) ||
           twin_py_refuse(args, name, "expected a function");
}

/* Keeps `object`, which may be NULL, in the slot if the C function succeeded. */
static PyObject *keep(aclError code, PyObject **slot, PyObject *object)
{
    if (code == ACL_SUCCESS) {
        PyObject *before = *slot;
        Py_XINCREF(object);
        *slot = object;
        Py_XDECREF(before);
    }
    return PyLong_FromLong(code);
}

/* ---- streams --------------------------------------------------------------------------------- */

struct launched {
    PyObject *function, *data;
};

static void drop_launched(struct launched *launched)
{
    Py_DECREF(launched->function);
    Py_DECREF(launched->data);
    PyMem_Free(launched);
}

static void run_launched(void *data)
{
    struct launched *launched = data;
    PyGILState_STATE state;
    if (!twin_py_enter(&state))
        return;
    Py_XDECREF(call(launched->function, PyTuple_Pack(1, launched->data)));
    drop_launched(launched);
    twin_py_leave(state);
}

PyObject *twin_py_hand_rt_launch_callback(struct twin_py_args *args)
{
    PyObject *function;
    int32_t block;
    void *stream;
    if (!twin_py_begin(args, 4) || !take_function(args, "fn", false, &function))
        return NULL;
    PyObject *data = twin_py_next(args);
    if (!twin_py_take_i32(args, "block_type", &block) ||
        !twin_py_take_handle(args, "stream", &stream))
        return NULL;
    struct launched *launched = PyMem_Malloc(sizeof(*launched));
    if (!launched)
        return PyErr_NoMemory();
    *launched = (struct launched){function, data};
    Py_INCREF(function);
    Py_INCREF(data);
    aclError code;
    TWIN_PY_RELEASED(
        code = TWIN_PY_IF_THERE(aclrtLaunchCallback,
                                (run_launched, launched, (aclrtCallbackBlockType)block, stream)));
    if (code != ACL_SUCCESS)
        drop_launched(launched);
    return PyErr_Occurred() ? NULL : PyLong_FromLong(code);
}

/* ---- exceptions ------------------------------------------------------------------------------ */

#pragma GCC diagnostic ignored                                                                     \
    "-Wdeprecated-declarations" /* it is the one that takes one function */

static PyObject *exception_function; /* guarded by the GIL */

static void report_exception(aclrtExceptionInfo *info)
{
    PyGILState_STATE state;
    if (!twin_py_enter(&state))
        return;
    PyObject *function = exception_function;
    if (function) {
        Py_INCREF(function);
        Py_XDECREF(call(function, Py_BuildValue("(N)", twin_py_give_handle(info))));
        Py_DECREF(function);
    }
    twin_py_leave(state);
}

PyObject *twin_py_hand_rt_set_exception_info_callback(struct twin_py_args *args)
{
    PyObject *function;
    if (!twin_py_begin(args, 1) || !take_function(args, "fn", true, &function))
        return NULL;
    bool clears = function == Py_None;
    aclError code;
    TWIN_PY_RELEASED(
        code = TWIN_PY_IF_THERE(aclrtSetExceptionInfoCallback, (clears ? NULL : report_exception)));
    return keep(code, &exception_function, clears ? NULL : function);
}

void twin_py_close(void)
{
    atomic_store(&closed, true);
}

/* ---- allocators ------------------------------------------------------------------------------ */

/* One function of each kind: C passes nothing but the allocator. Guarded by the GIL. */
static struct {
    PyObject *object, *alloc, *free, *advise, *address;
} allocator;

/* For "O&" of Py_BuildValue(). */
static PyObject *the_object(void *unused)
{
    PyObject *object = allocator.object ? allocator.object : Py_None;
    (void)unused;
    Py_INCREF(object);
    return object;
}

/* Takes over what a function returned: an address, or NULL if it is not one. */
static void *as_address(PyObject *answer)
{
    void *address = NULL;
    if (answer && answer != Py_None) {
        address = (void *)(uintptr_t)PyLong_AsUnsignedLongLong(answer);
        if (PyErr_Occurred()) {
            PyErr_WriteUnraisable(answer);
            address = NULL;
        }
    }
    Py_XDECREF(answer);
    return address;
}

/* The address that one of the functions returns for arguments as of Py_BuildValue(); NULL: Python
 * has ended. */
static void *ask(PyObject *const *function, const char *format, ...)
{
    PyGILState_STATE state;
    va_list values;
    if (!twin_py_enter(&state))
        return NULL;
    va_start(values, format);
    void *address = as_address(call(*function, Py_VaBuildValue(format, values)));
    va_end(values);
    twin_py_leave(state);
    return address;
}

static void *call_alloc(aclrtAllocator object, size_t size)
{
    (void)object;
    return ask(&allocator.alloc, "(O&n)", the_object, NULL, (Py_ssize_t)size);
}

static void call_free(aclrtAllocator object, aclrtAllocatorBlock block)
{
    (void)object;
    PyGILState_STATE state;
    if (!twin_py_enter(&state))
        return;
    Py_XDECREF(
        call(allocator.free, Py_BuildValue("(O&N)", the_object, NULL, twin_py_give_handle(block))));
    twin_py_leave(state);
}

static void *call_advise(aclrtAllocator object, size_t size, aclrtAllocatorAddr near)
{
    (void)object;
    return ask(&allocator.advise, "(O&nK)", the_object, NULL, (Py_ssize_t)size,
               (unsigned long long)(uintptr_t)near);
}

static void *call_address(aclrtAllocatorBlock block)
{
    return ask(&allocator.address, "(K)", (unsigned long long)(uintptr_t)block);
}

PyObject *twin_py_hand_rt_allocator_set_obj_to_desc(struct twin_py_args *args)
{
    void *desc;
    if (!twin_py_begin(args, 2) || !twin_py_take_handle(args, "desc", &desc))
        return NULL;
    PyObject *object = twin_py_next(args);
    return keep(TWIN_PY_IF_THERE(aclrtAllocatorSetObjToDesc, (desc, object)), &allocator.object,
                object);
}

#define SETTER(kind, name, function)                                                               \
    PyObject *twin_py_hand_rt_allocator_set_##name##_func_to_desc(struct twin_py_args *args)       \
    {                                                                                              \
        void *desc;                                                                                \
        PyObject *callable;                                                                        \
        if (!twin_py_begin(args, 2) || !twin_py_take_handle(args, "desc", &desc) ||                \
            !take_function(args, "fn", false, &callable))                                          \
            return NULL;                                                                           \
        return keep(TWIN_PY_IF_THERE(function, (desc, call_##kind)), &allocator.kind, callable);   \
    }
SETTER(alloc, alloc, aclrtAllocatorSetAllocFuncToDesc)
SETTER(free, free, aclrtAllocatorSetFreeFuncToDesc)
SETTER(advise, alloc_advise, aclrtAllocatorSetAllocAdviseFuncToDesc)
SETTER(address, get_addr_from_block, aclrtAllocatorSetGetAddrFromBlockFuncToDesc)

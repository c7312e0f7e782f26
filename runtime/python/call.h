/* SPDX-License-Identifier: Apache-2.0 */
/* A row of a table in functions/ as a C function that Python calls.
 *
 *   CALL(area, name, c_function, gil, "text", (in, type, name), (out, type, name), ...)
 *       the C function returns a code; the parameters are in its order. Python gives the `in` ones
 *       and gets a tuple of the `out` ones and the code, or the code alone.
 *   VALUE(area, name, c_function, gil, type, "text", (in, type, name), ...)
 *       the C function returns a value, and so does the Python one.
 *   HAND(area, name, c_function, ", parameter, parameter, /", "their types", "result", "text")
 *       twin_py_hand_<area>_<name> does it: callbacks, other orders of results, what has no
 *       counterpart in C.
 *
 * gil: RELEASE lets other threads run Python meanwhile: whatever may wait for the device, a full
 * queue included. KEEP
 *      is for results from the memory of the process.
 * Directions: in; out; out_as for a C type that is given as an int (enumerations); both for a
 * length that Python gives and a text that comes back; limit for how many elements of the list
 * `type` count; (none, none, none) alone. */
#ifndef TWINRT_PYTHON_CALL_H
#define TWINRT_PYTHON_CALL_H

#include "convert.h"
#include "structs.h"

/* ---- each parameter of a row ----------------------------------------------------------------- */

#define TWIN_PY_FIRST(a, ...) a

#define TWIN_PY_COUNT(...) TWIN_PY_COUNT_(__VA_ARGS__, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)

#define TWIN_PY_COUNT_(a, b, c, d, e, f, g, h, i, n, ...) n
#define TWIN_PY_JOIN(a, b)                                TWIN_PY_JOIN_(a, b)
#define TWIN_PY_JOIN_(a, b)                               a##b

/* EACH(M, gap, (…), (…)): M (…) gap M (…); the gap is a macro without arguments. */
#define TWIN_PY_EACH(M, gap, ...)                                                                  \
    TWIN_PY_JOIN(TWIN_PY_EACH_, TWIN_PY_COUNT(__VA_ARGS__))(M, gap, __VA_ARGS__)
#define TWIN_PY_EACH_1(M, gap, p)      M p
#define TWIN_PY_EACH_2(M, gap, p, ...) M p gap() TWIN_PY_EACH_1(M, gap, __VA_ARGS__)
#define TWIN_PY_EACH_3(M, gap, p, ...) M p gap() TWIN_PY_EACH_2(M, gap, __VA_ARGS__)
#define TWIN_PY_EACH_4(M, gap, p, ...) M p gap() TWIN_PY_EACH_3(M, gap, __VA_ARGS__)
#define TWIN_PY_EACH_5(M, gap, p, ...) M p gap() TWIN_PY_EACH_4(M, gap, __VA_ARGS__)
#define TWIN_PY_EACH_6(M, gap, p, ...) M p gap() TWIN_PY_EACH_5(M, gap, __VA_ARGS__)
#define TWIN_PY_EACH_7(M, gap, p, ...) M p gap() TWIN_PY_EACH_6(M, gap, __VA_ARGS__)
#define TWIN_PY_EACH_8(M, gap, p, ...) M p gap() TWIN_PY_EACH_7(M, gap, __VA_ARGS__)
#define TWIN_PY_EACH_9(M, gap, p, ...) M p gap() TWIN_PY_EACH_8(M, gap, __VA_ARGS__)
#define TWIN_PY_NO_GAP()
#define TWIN_PY_COMMA() ,

/* Its variables. */
#define TWIN_PY_VAR(way, type, name) TWIN_PY_VAR_##way(type, name)
#define TWIN_PY_VAR_none(type, name)
#define TWIN_PY_VAR_in(type, name)     twin_py_##type v_##name = {0};
#define TWIN_PY_VAR_out(type, name)    twin_py_##type v_##name = {0};
#define TWIN_PY_VAR_both(type, name)   twin_py_##type v_##name = {0};
#define TWIN_PY_VAR_out_as(type, name) type v_##name = (type)0;
#define TWIN_PY_VAR_limit(list, name)  size_t v_##name = 0;

/* How many arguments and results it is. */
#define TWIN_PY_INS(way, type, name)  TWIN_PY_INS_##way
#define TWIN_PY_OUTS(way, type, name) TWIN_PY_OUTS_##way
#define TWIN_PY_PLUS()                +
#define TWIN_PY_INS_none              0
#define TWIN_PY_INS_in                1
#define TWIN_PY_INS_out               0
#define TWIN_PY_INS_both              1
#define TWIN_PY_INS_out_as            0
#define TWIN_PY_INS_limit             1
#define TWIN_PY_OUTS_none             0
#define TWIN_PY_OUTS_in               0
#define TWIN_PY_OUTS_out              1
#define TWIN_PY_OUTS_both             1
#define TWIN_PY_OUTS_out_as           1
#define TWIN_PY_OUTS_limit            0

/* Reading it; inside a do { … } while (0) that ends with the first refusal. */
#define TWIN_PY_TAKE(way, type, name) TWIN_PY_TAKE_##way(type, name)
#define TWIN_PY_TAKE_none(type, name)
#define TWIN_PY_TAKE_in(type, name)                                                                \
    if (!twin_py_take_##type(&args, #name, &v_##name))                                             \
        break;
#define TWIN_PY_TAKE_both(type, name) TWIN_PY_TAKE_in(type, name)
#define TWIN_PY_TAKE_out(type, name)
#define TWIN_PY_TAKE_out_as(type, name)
#define TWIN_PY_TAKE_limit(list, name)                                                             \
    if (!twin_py_take_limit(&args, #name, v_##list.count, &v_##name))                              \
        break;

/* What C gets. */
#define TWIN_PY_PASS(way, type, name) TWIN_PY_PASS_##way(type, name)
#define TWIN_PY_PASS_none(type, name)
#define TWIN_PY_PASS_in(type, name)     TWIN_PY_PASS_##type(v_##name)
#define TWIN_PY_PASS_both(type, name)   TWIN_PY_PASS_##type(v_##name)
#define TWIN_PY_PASS_out(type, name)    &v_##name
#define TWIN_PY_PASS_out_as(type, name) &v_##name
#define TWIN_PY_PASS_limit(list, name)  v_##name
#define TWIN_PY_PASS_handle(v)          (v)
#define TWIN_PY_PASS_u16(v)             (v)
#define TWIN_PY_PASS_i32(v)             (v)
#define TWIN_PY_PASS_u32(v)             (v)
#define TWIN_PY_PASS_i64(v)             (v)
#define TWIN_PY_PASS_u64(v)             (v)
#define TWIN_PY_PASS_size(v)            (v)
#define TWIN_PY_PASS_f32(v)             (v)
#define TWIN_PY_PASS_text(v)            ((v).text)
#define TWIN_PY_PASS_pids(v)            (v).items, (v).count
#define TWIN_PY_PASS_handles(v)         (v).items, (v).count
#define TWIN_PY_PASS_dims(v)            (int)(v).count, (v).items
#define TWIN_PY_PASS_ranges(v)          (v).count, (v).items
#define TWIN_PY_PASS_key_buffer(v)      (v).text, (v).bytes
#define TWIN_PY_PASS_name_buffer(v)     (v).bytes, (v).text
#define TWIN_PY_PASS_memory_prop(v)     (&(v))
#define TWIN_PY_PASS_malloc_cfg(v)      ((v).given ? &(v).cfg : NULL)
#define TWIN_PY_PASS_load_options(v)    ((v).cfg.numOpt > 0 ? &(v).cfg : NULL)
#define TWIN_PY_PASS_launch_cfg(v)      ((v).cfg.numAttrs > 0 ? &(v).cfg : NULL)
#define TWIN_PY_PASS_place_holders(v)   (v).items
#define TWIN_PY_PASS_stream_value(v)    (&(v))
#define TWIN_PY_PASS_uce_infos(v)       (v).items, (v).count

/* What Python gets. */
#define TWIN_PY_GIVE(way, type, name) TWIN_PY_GIVE_##way(type, name)
#define TWIN_PY_GIVE_none(type, name)
#define TWIN_PY_GIVE_in(type, name)
#define TWIN_PY_GIVE_both(type, name) twin_py_put(&result, twin_py_give_text(v_##name.text));
#define TWIN_PY_GIVE_limit(list, name)
#define TWIN_PY_GIVE_out(type, name)    twin_py_put(&result, TWIN_PY_MAKE_##type(v_##name));
#define TWIN_PY_GIVE_out_as(type, name) twin_py_put(&result, PyLong_FromLong((long)v_##name));
#define TWIN_PY_MAKE_handle(v)          twin_py_give_handle(v)
#define TWIN_PY_MAKE_tensor(v)          twin_py_give_handle(v)
#define TWIN_PY_MAKE_u16(v)             PyLong_FromUnsignedLong(v)
#define TWIN_PY_MAKE_i32(v)             PyLong_FromLong(v)
#define TWIN_PY_MAKE_u32(v)             PyLong_FromUnsignedLong(v)
#define TWIN_PY_MAKE_i64(v)             PyLong_FromLongLong(v)
#define TWIN_PY_MAKE_u64(v)             PyLong_FromUnsignedLongLong(v)
#define TWIN_PY_MAKE_size(v)            PyLong_FromSize_t(v)
#define TWIN_PY_MAKE_f32(v)             PyFloat_FromDouble((double)(v))
#define TWIN_PY_MAKE_text(v)            twin_py_give_text(v)
#define TWIN_PY_MAKE_uuid(v)            twin_py_give_uuid(&(v))
#define TWIN_PY_MAKE_utilization(v)     twin_py_give_utilization(&(v))
#define TWIN_PY_MAKE_pointer_attr(v)    twin_py_give_pointer_attr(&(v))
#define TWIN_PY_MAKE_stream_value(v)    twin_py_give_stream_value(&(v))
#define TWIN_PY_MAKE_package_version(v) twin_py_give_package_version(&(v))

/* Giving back what reading it took. */
#define TWIN_PY_DROP(way, type, name) TWIN_PY_DROP_##way(type, name)
#define TWIN_PY_DROP_none(type, name)
#define TWIN_PY_DROP_in(type, name)   TWIN_PY_DROP_##type(v_##name)
#define TWIN_PY_DROP_both(type, name) PyMem_Free(v_##name.text);
#define TWIN_PY_DROP_out(type, name)
#define TWIN_PY_DROP_out_as(type, name)
#define TWIN_PY_DROP_limit(list, name)
#define TWIN_PY_DROP_handle(v)
#define TWIN_PY_DROP_u16(v)
#define TWIN_PY_DROP_i32(v)
#define TWIN_PY_DROP_u32(v)
#define TWIN_PY_DROP_i64(v)
#define TWIN_PY_DROP_u64(v)
#define TWIN_PY_DROP_size(v)
#define TWIN_PY_DROP_f32(v)
#define TWIN_PY_DROP_text(v)    twin_py_drop_text(&(v));
#define TWIN_PY_DROP_pids(v)    PyMem_Free((v).items);
#define TWIN_PY_DROP_handles(v) PyMem_Free((v).items);
#define TWIN_PY_DROP_dims(v)    PyMem_Free((v).items);
#define TWIN_PY_DROP_ranges(v)  PyMem_Free((v).items);
#define TWIN_PY_DROP_memory_prop(v)
#define TWIN_PY_DROP_malloc_cfg(v)    PyMem_Free((v).cfg.attrs);
#define TWIN_PY_DROP_load_options(v)  PyMem_Free((v).cfg.options);
#define TWIN_PY_DROP_launch_cfg(v)    PyMem_Free((v).cfg.attrs);
#define TWIN_PY_DROP_place_holders(v) PyMem_Free((v).items);
#define TWIN_PY_DROP_stream_value(v)
#define TWIN_PY_DROP_uce_infos(v) PyMem_Free((v).items);

/* Its place in the signature, and in the line of results. */
#define TWIN_PY_SIGN(way, type, name) TWIN_PY_SIGN_##way(name)
#define TWIN_PY_SIGN_none(name)
#define TWIN_PY_SIGN_in(name)   ", " #name
#define TWIN_PY_SIGN_both(name) ", " #name
#define TWIN_PY_SIGN_out(name)
#define TWIN_PY_SIGN_out_as(name)
#define TWIN_PY_SIGN_limit(name)      ", " #name
#define TWIN_PY_NAME(way, type, name) TWIN_PY_NAME_##way(name)
#define TWIN_PY_NAME_none(name)
#define TWIN_PY_NAME_in(name)
#define TWIN_PY_NAME_both(name)   "text, "
#define TWIN_PY_NAME_out(name)    #name ", "
#define TWIN_PY_NAME_out_as(name) #name ", "
#define TWIN_PY_NAME_limit(name)

/* ---- a row ----------------------------------------------------------------------------------- */

#define TWIN_PY_AREA_acl   "acl."
#define TWIN_PY_AREA_media "acl.media."
#define TWIN_PY_AREA_rt    "acl.rt."
#define TWIN_PY_AREA_util  "acl.util."

/* The exception of a signal that ended the wait goes before any result. */
#define TWIN_PY_GIL_KEEP(call) call
#define TWIN_PY_GIL_RELEASE(call)                                                                  \
    TWIN_PY_RELEASED(call);                                                                        \
    if (PyErr_Occurred())                                                                          \
    break

#define TWIN_PY_PROLOGUE(area, name, ...)                                                          \
    (void)module;                                                                                  \
    struct twin_py_args args = {TWIN_PY_AREA_##area #name, given, 0};                              \
    PyObject *answer = NULL;                                                                       \
    TWIN_PY_EACH(TWIN_PY_VAR, TWIN_PY_NO_GAP, __VA_ARGS__)

#define TWIN_PY_READ(...)                                                                          \
    if (!twin_py_begin(&args, TWIN_PY_EACH(TWIN_PY_INS, TWIN_PY_PLUS, __VA_ARGS__)))               \
        break;                                                                                     \
    TWIN_PY_EACH(TWIN_PY_TAKE, TWIN_PY_NO_GAP, __VA_ARGS__)

#define TWIN_PY_PASS_ALL(...) TWIN_PY_EACH(TWIN_PY_PASS, TWIN_PY_COMMA, __VA_ARGS__)

#define TWIN_PY_DEFINE_CALL(area, name, function, gil, text, ...)                                  \
    TWIN_PY_WEAK(function)                                                                         \
    static PyObject *twin_py_##area##_##name(PyObject *module, PyObject *given)                    \
    {                                                                                              \
        TWIN_PY_PROLOGUE(area, name, __VA_ARGS__)                                                  \
        do {                                                                                       \
            TWIN_PY_READ(__VA_ARGS__)                                                              \
            aclError code;                                                                         \
            TWIN_PY_GIL_##gil(code = TWIN_PY_IF_THERE(function, (TWIN_PY_PASS_ALL(__VA_ARGS__)))); \
            if ((TWIN_PY_EACH(TWIN_PY_OUTS, TWIN_PY_PLUS, __VA_ARGS__)) == 0) {                    \
                answer = PyLong_FromLong(code);                                                    \
                break;                                                                             \
            }                                                                                      \
            struct twin_py_result result = {                                                       \
                PyTuple_New((TWIN_PY_EACH(TWIN_PY_OUTS, TWIN_PY_PLUS, __VA_ARGS__)) + 1), 0};      \
            TWIN_PY_EACH(TWIN_PY_GIVE, TWIN_PY_NO_GAP, __VA_ARGS__)                                \
            twin_py_put(&result, PyLong_FromLong(code));                                           \
            answer = result.tuple;                                                                 \
        } while (0);                                                                               \
        TWIN_PY_EACH(TWIN_PY_DROP, TWIN_PY_NO_GAP, __VA_ARGS__)                                    \
        return answer;                                                                             \
    }

#define TWIN_PY_DEFINE_VALUE(area, name, function, gil, type, text, ...)                           \
    TWIN_PY_WEAK(function)                                                                         \
    static PyObject *twin_py_##area##_##name(PyObject *module, PyObject *given)                    \
    {                                                                                              \
        TWIN_PY_PROLOGUE(area, name, __VA_ARGS__)                                                  \
        do {                                                                                       \
            TWIN_PY_READ(__VA_ARGS__)                                                              \
            __typeof__(function(TWIN_PY_PASS_ALL(__VA_ARGS__))) value = 0;                         \
            TWIN_PY_GIL_##gil(value = (function) ? function(TWIN_PY_PASS_ALL(__VA_ARGS__)) : 0);   \
            answer = TWIN_PY_MAKE_##type(value);                                                   \
        } while (0);                                                                               \
        TWIN_PY_EACH(TWIN_PY_DROP, TWIN_PY_NO_GAP, __VA_ARGS__)                                    \
        return answer;                                                                             \
    }

#define TWIN_PY_DEFINE_HAND(area, name, ...)                                                       \
    static PyObject *twin_py_##area##_##name(PyObject *module, PyObject *given)                    \
    {                                                                                              \
        (void)module;                                                                              \
        struct twin_py_args args = {TWIN_PY_AREA_##area #name, given, 0};                          \
        return twin_py_hand_##area##_##name(&args);                                                \
    }

/* Its entry in a table of methods. The first line is what inspect.signature() reads. */
#define TWIN_PY_METHOD_CALL(area, name, function, gil, text, ...)                                  \
    {#name, twin_py_##area##_##name, METH_VARARGS,                                                 \
     #name "($module" TWIN_PY_EACH(TWIN_PY_SIGN, TWIN_PY_NO_GAP,                                   \
                                   __VA_ARGS__) ", /)\n--\n\n" text                                \
                                                "\n\nReturns: " TWIN_PY_EACH(                      \
                                                    TWIN_PY_NAME, TWIN_PY_NO_GAP,                  \
                                                    __VA_ARGS__) "ret\n"                           \
                                                                 "C function: " #function},
#define TWIN_PY_METHOD_VALUE(area, name, function, gil, type, text, ...)                           \
    {#name, twin_py_##area##_##name, METH_VARARGS,                                                 \
     #name "($module" TWIN_PY_EACH(                                                                \
         TWIN_PY_SIGN, TWIN_PY_NO_GAP,                                                             \
         __VA_ARGS__) ", /)\n--\n\n" text                                                          \
                      "\n\nReturns: the value, no code\nC function: " #function},
#define TWIN_PY_METHOD_HAND(area, name, function, parameters, types, returned, text)               \
    {#name, twin_py_##area##_##name, METH_VARARGS,                                                 \
     #name "($module" parameters ")\n--\n\n" text "\n\nReturns: " returned                         \
           "\nC function: " #function},

#endif

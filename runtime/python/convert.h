/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of a call from Python, one function per type of C argument, and results on their way
 * back.
 *
 * A `take` reads the next argument. It refuses an invalid one with a TypeError that names function
 * and argument, for type, range and length alike. What a `take` fills owns its memory until its
 * `drop`. */
#ifndef TWINRT_PYTHON_CONVERT_H
#define TWINRT_PYTHON_CONVERT_H

#include "interface.h"

/* The arguments of one call. */
struct twin_py_args {
    const char *function; /* "acl.rt.malloc" */
    PyObject *tuple;
    Py_ssize_t next;
};

/* Notes where the Python program calls from, if stacks are recorded. Each function of the module
 * calls it at its begin (twin_py_begin() does it). Holds the GIL. */
void twin_py_note_frames(void);
/* The innermost frame of the Python program, a new reference; NULL: there is none. */
PyObject *twin_py_frame(void);
/* The text of an attribute with its end, cut off at `room`; "?" if there is none. Returns its
 * bytes. */
size_t twin_py_attribute(PyObject *object, const char *name, char *out, size_t room);

/* An attribute, a new reference; NULL: it does not exist, which sets an error, or `object` is NULL.
 * The name is interned, since CPython keeps each string that it looked up in a type: a new string
 * for each call would stay in memory. */
PyObject *twin_py_get(PyObject *object, const char *name);
/* Calls a method with two arguments, or one if the second is NULL. NULL: it failed, which sets an
 * error, or one of `object` and `first` is NULL. */
PyObject *twin_py_call(PyObject *object, const char *name, PyObject *first, PyObject *second);

/* False, with a TypeError: there are not `count` arguments. */
bool twin_py_begin(struct twin_py_args *args, Py_ssize_t count);
/* The next argument, borrowed. */
PyObject *twin_py_next(struct twin_py_args *args);
/* Sets the TypeError "FUNCTION args parse failed: ARGUMENT: REASON"; always false. */
bool twin_py_refuse(const struct twin_py_args *args, const char *argument, const char *reason, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- types of arguments: twin_py_<type>, and how each is passed on and dropped --------------- */

typedef void *twin_py_handle; /* of an object, or an address; 0 is NULL */
typedef uint16_t twin_py_u16;
typedef int32_t twin_py_i32; /* enumerations too */
typedef uint32_t twin_py_u32;
typedef int64_t twin_py_i64;
typedef uint64_t twin_py_u64;
typedef size_t twin_py_size;
typedef float twin_py_f32;

/* A str, kept as bytes while the call lasts. */
typedef struct {
    PyObject *bytes;
    char *text;
} twin_py_text;

typedef struct {
    int32_t *items;
    size_t count;
} twin_py_pids;

typedef struct {
    void **items;
    size_t count;
} twin_py_handles;

/* The sizes of a shape; as many as an int can count. */
typedef struct {
    int64_t *items;
    size_t count;
} twin_py_dims;

/* Lists of two ints. */
typedef struct {
    int64_t (*items)[2];
    size_t count;
} twin_py_ranges;

typedef aclTensorDesc *twin_py_tensor; /* a result only */

/* A length that the program gives, and a text of at most that many bytes that comes back. */
typedef struct {
    char *text;
    uint32_t bytes;
} twin_py_buffer;

bool twin_py_take_handle(struct twin_py_args *args, const char *name, twin_py_handle *out);
bool twin_py_take_u16(struct twin_py_args *args, const char *name, twin_py_u16 *out);
bool twin_py_take_i32(struct twin_py_args *args, const char *name, twin_py_i32 *out);
bool twin_py_take_u32(struct twin_py_args *args, const char *name, twin_py_u32 *out);
bool twin_py_take_i64(struct twin_py_args *args, const char *name, twin_py_i64 *out);
bool twin_py_take_u64(struct twin_py_args *args, const char *name, twin_py_u64 *out);
bool twin_py_take_size(struct twin_py_args *args, const char *name, twin_py_size *out);
bool twin_py_take_f32(struct twin_py_args *args, const char *name, twin_py_f32 *out);
bool twin_py_take_text(struct twin_py_args *args, const char *name, twin_py_text *out);
bool twin_py_take_pids(struct twin_py_args *args, const char *name, twin_py_pids *out);
bool twin_py_take_handles(struct twin_py_args *args, const char *name, twin_py_handles *out);
bool twin_py_take_dims(struct twin_py_args *args, const char *name, twin_py_dims *out);
bool twin_py_take_ranges(struct twin_py_args *args, const char *name, twin_py_ranges *out);
bool twin_py_take_buffer(struct twin_py_args *args, const char *name, twin_py_buffer *out);

/* A number of at most `most`. */
bool twin_py_take_limit(struct twin_py_args *args, const char *name, size_t most, size_t *out);

void twin_py_drop_text(twin_py_text *text);

/* An integer of [0, high] out of any object that is one; a refusal names `name`. */
bool twin_py_unsigned(const struct twin_py_args *args, const char *name, PyObject *object,
                      uint64_t high, uint64_t *out);
/* An array with a slot of `bytes`, all zero, per element of a list; *out_items is NULL for []. */
bool twin_py_array(const struct twin_py_args *args, const char *name, PyObject *list, size_t bytes,
                   void **out_items, size_t *out_count);
/* A new reference to an element of a list, which code of the program may have changed since
 * twin_py_array(). NULL, refused: the list has become shorter. */
PyObject *twin_py_element(const struct twin_py_args *args, const char *name, PyObject *list,
                          size_t index);

/* Puts an element, number `index` of a list, into its slot. False: refused. */
typedef bool twin_py_put_element(const struct twin_py_args *args, const char *name,
                                 PyObject *element, size_t index, const void *context, void *slot);
/* Reads a list into an array with a slot of `bytes` for each element. */
bool twin_py_take_list(struct twin_py_args *args, const char *name, size_t bytes,
                       twin_py_put_element *put, const void *context, void **out_items,
                       size_t *out_count);
/* Defines twin_py_take_<type>(), whose result has the list in `items_` and `count_`. */
#define TWIN_PY_TAKE_LIST(type, items_, count_, put, context)                                      \
    bool twin_py_take_##type(struct twin_py_args *args, const char *name, twin_py_##type *out)     \
    {                                                                                              \
        void *items = NULL;                                                                        \
        const bool taken = twin_py_take_list(args, name, sizeof(*out->items_), put, context,       \
                                             &items, &out->count_);                                \
        out->items_ = items;                                                                       \
        return taken;                                                                              \
    }

/* ---- results --------------------------------------------------------------------------------- */

PyObject *twin_py_give_handle(const void *value);
/* UTF-8, NULL is None; bytes that are not UTF-8 come as surrogates. */
PyObject *twin_py_give_text(const char *text);
/* A list of numbers, each of 1, 4 or 8 bytes in memory. */
PyObject *twin_py_give_numbers(const void *items, size_t count, size_t bytes, bool is_signed);
/* A new reference to None. */
PyObject *twin_py_give_none(void);
/* The tuple of a value, which is taken over, and a code; NULL: the value is. */
PyObject *twin_py_give_pair(PyObject *value, aclError code);

/* The tuple that a call returns, filled from the left. */
struct twin_py_result {
    PyObject *tuple;
    Py_ssize_t next;
};
/* Adds `value` and takes it over; NULL spoils the result. */
void twin_py_put(struct twin_py_result *result, PyObject *value);

#endif

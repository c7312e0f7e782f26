/* SPDX-License-Identifier: Apache-2.0 */
/* acl.util.start_thread and stop_thread. */
#define _GNU_SOURCE /* sem_clockwait */
#include "convert.h"
#include "hand.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

/* How long stop_thread sleeps at most without looking for signals. */
#define LOOK_NS 100000000

struct thread {
    struct thread *next;
    pthread_t id;
    sem_t ended;
    bool stopping; /* a stop_thread() waits for its end */
    PyObject *function, *argument;
    PyObject *failure; /* text of what the function raised */
};

static struct thread *threads; /* guarded by the GIL, with all their fields but `ended` */

static void drop(struct thread *thread)
{
    Py_XDECREF(thread->function);
    Py_XDECREF(thread->argument);
    Py_XDECREF(thread->failure);
    sem_destroy(&thread->ended);
    PyMem_Free(thread);
}

/* "exception=TYPE,msg=TEXT" of the error that is set, which is cleared. */
static PyObject *failure_text(void)
{
    PyObject *type;
    PyObject *value;
    PyObject *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    PyObject *name = twin_py_get(type, "__name__");
    PyObject *text =
        PyUnicode_FromFormat("exception=%S,msg=%S", name ? name : Py_None, value ? value : Py_None);
    if (!text) {
        PyErr_Clear();
        text = PyUnicode_FromString("exception=?,msg=?");
    }
    Py_XDECREF(name);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    return text;
}

static void *body(void *data)
{
    struct thread *thread = data;
    PyGILState_STATE state;
    if (twin_py_enter(&state)) {
        PyObject *arguments =
            thread->argument == Py_None ? PyTuple_New(0) : PyTuple_Pack(1, thread->argument);
        PyObject *answer = arguments ? PyObject_CallObject(thread->function, arguments) : NULL;
        Py_XDECREF(arguments);
        if (!answer)
            thread->failure = failure_text();
        Py_XDECREF(answer);
        twin_py_leave(state);
    }
    sem_post(&thread->ended);
    return NULL;
}

PyObject *twin_py_hand_util_start_thread(struct twin_py_args *args)
{
    if (!twin_py_begin(args, 2))
        return NULL;
    PyObject *function = twin_py_next(args);
    if (!PyCallable_Check(function)) {
        twin_py_refuse(args, "func", "expected a function");
        return NULL;
    }
    struct thread *thread = PyMem_Calloc(1, sizeof(*thread));
    if (!thread)
        return PyErr_NoMemory();
    sem_init(&thread->ended, 0, 0);
    thread->function = function;
    thread->argument = twin_py_next(args);
    Py_INCREF(thread->function);
    Py_INCREF(thread->argument);
    int failed = pthread_create(&thread->id, NULL, body, thread);
    unsigned long long id = failed == 0 ? (unsigned long long)thread->id : 0;
    if (failed == 0) {
        thread->next = threads;
        threads = thread;
    } else {
        drop(thread);
    }
    return Py_BuildValue("(Ki)", id, failed == 0 ? ACL_SUCCESS : ACL_ERROR_FAILURE);
}

/* The link to a thread of the list that is not being stopped; NULL: none has this id. */
static struct thread **find(uint64_t id)
{
    for (struct thread **link = &threads; *link; link = &(*link)->next)
        if ((uint64_t)(*link)->id == id && !(*link)->stopping)
            return link;
    return NULL;
}

/* Waits for the thread's end; false: a signal's handler raised. */
static bool await_end(struct thread *thread)
{
    for (;;) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += LOOK_NS;
        if (until.tv_nsec >= 1000000000) {
            until.tv_sec++;
            until.tv_nsec -= 1000000000;
        }
        int waited;
        TWIN_PY_RELEASED(waited = sem_clockwait(&thread->ended, CLOCK_MONOTONIC, &until));
        if (waited == 0)
            return true;
        if (PyErr_CheckSignals() != 0)
            return false;
    }
}

PyObject *twin_py_hand_util_stop_thread(struct twin_py_args *args)
{
    uint64_t id;
    if (!twin_py_begin(args, 1) || !twin_py_take_u64(args, "tid", &id))
        return NULL;
    struct thread **link = find(id);
    if (!link || pthread_equal((*link)->id, pthread_self()))
        return PyLong_FromLong(ACL_ERROR_INVALID_PARAM);
    struct thread *thread = *link;
    thread->stopping = true;
    if (!await_end(thread)) {
        thread->stopping = false; /* it can be stopped later */
        return NULL;
    }
    for (link = &threads; *link != thread; link = &(*link)->next)
        continue;
    *link = thread->next;
    TWIN_PY_RELEASED(pthread_join(thread->id, NULL));
    if (thread->failure)
        PyErr_SetObject(PyExc_RuntimeError, thread->failure);
    drop(thread);
    return PyErr_Occurred() ? NULL : PyLong_FromLong(ACL_SUCCESS);
}

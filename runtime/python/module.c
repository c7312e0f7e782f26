/* SPDX-License-Identifier: Apache-2.0 */
/* `acl._acl`, the functions of the module `acl`, with `acl.media`, `acl.rt` and `acl.util`, from
 * the tables in functions/. */
#include "hand.h"
#include "structs.h"

/* The interface keeps old functions, and so does the module. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#include "functions.inc" /* and the lists of them, by area */

static PyObject *at_exit(PyObject *module, PyObject *given)
{
    (void)module;
    (void)given;
    twin_py_close();
    Py_INCREF(Py_None);
    return Py_None;
}

static PyMethodDef exit_method = {"close", at_exit, METH_NOARGS, "Before Python ends."};

static bool register_exit(void)
{
    PyObject *atexit = PyImport_ImportModule("atexit");
    PyObject *function = atexit ? PyCFunction_NewEx(&exit_method, NULL, NULL) : NULL;
    PyObject *done = function ? PyObject_CallMethod(atexit, "register", "O", function) : NULL;
    bool registered = done != NULL;
    Py_XDECREF(done);
    Py_XDECREF(function);
    Py_XDECREF(atexit);
    return registered;
}

/* A submodule is an attribute and an entry of sys.modules: `import acl` alone is enough. */
static bool add_submodule(PyObject *module, const char *full, const char *name,
                          PyMethodDef *methods, const char *text)
{
    PyObject *submodule = PyImport_AddModule(full); /* borrowed */
    if (!submodule || PyModule_AddFunctions(submodule, methods) != 0 ||
        PyModule_SetDocString(submodule, text) != 0)
        return false;
    return PyObject_SetAttrString(module, name, submodule) == 0;
}

static struct PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "acl",
    .m_doc = "What `acl` is made of: see there.",
    .m_size = -1,
    .m_methods = acl_methods,
};

PyMODINIT_FUNC PyInit__acl(void);
PyMODINIT_FUNC PyInit__acl(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (!module)
        return NULL;
    if (!add_submodule(module, "acl.media", "media", media_methods, "Device memory.") ||
        !add_submodule(module, "acl.rt", "rt", rt_methods,
                       "Devices, contexts, streams, events, memory and kernels.") ||
        !add_submodule(module, "acl.util", "util", util_methods,
                       "Memory as Python objects, and threads.") ||
        !register_exit()) {
        Py_DECREF(module);
        return NULL;
    }
    twin_py_wait_setup();
    return module;
}

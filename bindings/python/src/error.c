/* SPDX-License-Identifier: BSD-3-Clause */
#include "common.h"

#include <errno.h>

struct pyach_hooks pyach_hooks;

PyObject *pyach_set_hooks(PyObject *module, PyObject *args)
{
    struct pyach_hooks new;

    (void)module;
    if (!PyArg_ParseTuple(args, "OOO:set_hooks", &new.error, &new.array, &new.cls))
        return NULL;
    Py_INCREF(new.error);
    Py_INCREF(new.array);
    Py_INCREF(new.cls);
    Py_XDECREF(pyach_hooks.error);
    Py_XDECREF(pyach_hooks.array);
    Py_XDECREF(pyach_hooks.cls);
    pyach_hooks = new;
    Py_RETURN_NONE;
}

static PyObject *raise_text(enum ach_status status, PyObject *what, const char *text)
{
    int number = status == ACH_FAILED_SYSCALL ? errno : 0;
    PyObject *message = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    PyObject *error = NULL;

    if (!pyach_hooks.error)
        PyErr_SetString(PyExc_RuntimeError, ach_result_to_string(status));
    else if (message)
        error = PyObject_CallFunction(pyach_hooks.error, "iOOi", (int)status, what ? what : Py_None,
                                      message, number);
    if (error)
        PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    Py_XDECREF(message);
    Py_XDECREF(error);
    return NULL;
}

PyObject *pyach_raise(enum ach_status status, PyObject *what)
{
    return raise_text(status, what, status == ACH_FAILED_SYSCALL ? ach_errstr() : "");
}

PyObject *pyach_raise_why(enum ach_status status, PyObject *what)
{
    return raise_text(status, what, ach_errstr());
}

void pyach_forget(void)
{
    ach_errstr_set(ACH_OK, "%s", "");
}

PyObject *pyach_none(enum ach_status status, PyObject *what)
{
    if (status != ACH_OK)
        return pyach_raise_why(status, what);
    Py_RETURN_NONE;
}

PyObject *pyach_raise_busy(PyObject *what)
{
    return PyErr_Format(PyExc_RuntimeError,
                        "%S: another thread uses this handle; open one for each thread",
                        what ? what : Py_None);
}

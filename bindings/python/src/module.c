/* SPDX-License-Identifier: BSD-3-Clause */
/* module.c - the module _ach, and functions on names of channels */
#include "common.h"

#include <limits.h>

#include <ach/device.h>

PyTypeObject *pyach_add_class(PyObject *module, PyType_Spec *spec)
{
    PyObject *class = PyType_FromSpec(spec);

    if (class && PyModule_AddType(module, (PyTypeObject *)class) < 0)
        Py_CLEAR(class);
    return (PyTypeObject *)class;
}

void pyach_free(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

    release(self);
    Py_DECREF((PyObject *)type);
}

const char *pyach_name_text(PyObject *name)
{
    Py_ssize_t size;
    const char *text = PyUnicode_AsUTF8AndSize(name, &size);

    if (text && strlen(text) != (size_t)size) {
        pyach_forget();
        pyach_raise_why(ACH_INVALID_NAME, name);
        return NULL;
    }
    return text;
}

static PyObject *create(PyObject *module, PyObject *args)
{
    int map, clock, truncate, replace, timestamps, wake, single, relayed, anticipated, mode;
    PyObject *name, *type_tuple;
    unsigned long long count, size;
    ach_channel_type_t type;
    ach_create_attr_t attr;
    const char *text;
    enum ach_status r;

    (void)module;
    if (!PyArg_ParseTuple(args, "UKKiipppppppiO:create", &name, &count, &size, &map, &clock,
                          &truncate, &replace, &timestamps, &wake, &single, &relayed, &anticipated,
                          &mode, &type_tuple) ||
        (type_tuple != Py_None && pyach_type_from(type_tuple, &type) < 0))
        return NULL;
    text = pyach_name_text(name);
    if (!text)
        return NULL;
    ach_create_attr_init(&attr);
    attr.map = (enum ach_map)map;
    attr.truncate = truncate != 0;
    attr.replace_corrupt = replace != 0;
    attr.timestamps = timestamps != 0;
    attr.readonly_wake = wake != 0;
    attr.single_writer = single != 0;
    attr.relayed = relayed != 0;
    attr.anticipated = anticipated != 0;
    attr.type = type_tuple != Py_None ? &type : NULL;
    pyach_forget();
    r = clock >= 0 ? ach_create_attr_set_clock(&attr, clock) : ACH_OK;
    if (r == ACH_OK && mode >= 0)
        r = ach_create_attr_set_mode(&attr, (mode_t)mode);
    if (r == ACH_OK) {
        Py_BEGIN_ALLOW_THREADS
        r = ach_create(text, (size_t)count, (size_t)size, &attr);
        Py_END_ALLOW_THREADS
    }
    if (r == ACH_OK && attr.map == ACH_MAP_ANON)
        return pyach_heap_new(attr.shm);
    return pyach_none(r, name);
}

static PyObject *unlink_name(PyObject *module, PyObject *args)
{
    PyObject *name;
    const char *text;

    (void)module;
    if (!PyArg_ParseTuple(args, "U:unlink", &name))
        return NULL;
    text = pyach_name_text(name);
    pyach_forget();
    return text ? pyach_none(ach_unlink(text), name) : NULL;
}

static PyObject *path(PyObject *module, PyObject *args)
{
    PyObject *name;
    const char *text;
    char room[PATH_MAX];
    enum ach_status r;

    (void)module;
    if (!PyArg_ParseTuple(args, "U:path", &name))
        return NULL;
    text = pyach_name_text(name);
    if (!text)
        return NULL;
    pyach_forget();
    r = ach_channel_path(text, room, sizeof(room));
    return r == ACH_OK ? PyUnicode_DecodeFSDefault(room) : pyach_raise_why(r, name);
}

static enum ach_status add_listed(void *list, const char *name, enum ach_map map)
{
    PyObject *tuple = Py_BuildValue("Ni", PyUnicode_DecodeFSDefault(name), (int)map);
    int r = tuple ? PyList_Append(list, tuple) : -1;

    Py_XDECREF(tuple);
    return r == 0 ? ACH_OK : ACH_BUG;
}

static PyObject *list_channels(PyObject *module, PyObject *unused)
{
    PyObject *list = PyList_New(0);
    enum ach_status r;

    (void)module;
    (void)unused;
    if (!list)
        return NULL;
    pyach_forget();
    r = ach_list(add_listed, list);
    if (r == ACH_OK)
        return list;
    Py_DECREF(list);
    return PyErr_Occurred() ? NULL : pyach_raise_why(r, NULL);
}

static PyObject *type_hash(PyObject *module, PyObject *tuple)
{
    ach_channel_type_t type;

    (void)module;
    if (!PyTuple_Check(tuple))
        return PyErr_Format(PyExc_TypeError, "expected a tuple");
    if (pyach_type_from(tuple, &type) < 0)
        return NULL;
    return PyLong_FromUnsignedLongLong(ach_channel_type_hash(&type));
}

static PyObject *status_name(PyObject *module, PyObject *args)
{
    int status;

    (void)module;
    if (!PyArg_ParseTuple(args, "i:status_name", &status))
        return NULL;
    return PyUnicode_FromString(ach_result_to_string((ach_status_t)status));
}

static PyObject *handle_sigbus(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    pyach_forget();
    return pyach_none(ach_handle_sigbus(), NULL);
}

static PyMethodDef methods[] = {
    {"set_hooks", pyach_set_hooks, METH_VARARGS, "set_hooks(error, array, class)"},
    {"create", create, METH_VARARGS,
     "create(name, count, size, map, clock, truncate, replace_corrupt, timestamps, readonly_wake, "
     "single_writer, relayed, anticipated, mode, type)"},
    {"unlink", unlink_name, METH_VARARGS, "unlink(name)"},
    {"path", path, METH_VARARGS, "path(name) -> str"},
    {"list", list_channels, METH_NOARGS, "list() -> [(name, map)]"},
    {"wait", pyach_wait, METH_VARARGS, "wait(channels, timeout, absolute, options) -> [status]"},
    {"type_hash", type_hash, METH_O, "type_hash(tuple) -> int"},
    {"status_name", status_name, METH_VARARGS, "status_name(status) -> str"},
    {"handle_sigbus", handle_sigbus, METH_NOARGS, "handle_sigbus()"},
    {"interface", pyach_interface, METH_O,
     "interface(name) -> [(name, type, subtype, text, Table or None)]"},
    {"devices", pyach_devices, METH_VARARGS,
     "devices(where, transport, timeout) -> [(address, driver)]"},
    {0},
};

/* The Python part takes numbers of the C headers from here, so that they cannot differ. */
static int add_constants(PyObject *module)
{
#define ADD(name) PyModule_AddIntConstant(module, #name, name)
    return ADD(ACH_O_WAIT) | ADD(ACH_O_LAST) | ADD(ACH_O_COPY) | ADD(ACH_O_LINKED) |
           ADD(ACH_MAP_DEFAULT) | ADD(ACH_MAP_ANON) | ADD(ACH_MAP_USER) | ADD(ACH_MAP_KERNEL) |
           ADD(ACH_READY_NONE) | ADD(ACH_READY_IO_URING) | ADD(ACH_READY_THREAD) |
           ADD(ACH_READY_KERNEL) | ADD(ACH_MSG_DATA) | ADD(ACH_MSG_CMD) | ADD(ACH_MSG_REQ) |
           ADD(ACH_SUBTYPE_ANY) | ADD(ACH_RIGHT_LIST) | ADD(ACH_RIGHT_DATA) |
           ADD(ACH_RIGHT_COMMAND) | ADD(ACH_RIGHT_REQUEST) | ADD(ACH_KIND_INT8) |
           ADD(ACH_KIND_UINT8) | ADD(ACH_KIND_CHAR) | ADD(ACH_KIND_INT16) | ADD(ACH_KIND_UINT16) |
           ADD(ACH_KIND_INT32) | ADD(ACH_KIND_UINT32) | ADD(ACH_KIND_INT64) | ADD(ACH_KIND_UINT64) |
           ADD(ACH_KIND_FLOAT) | ADD(ACH_KIND_DOUBLE) | ADD(ACH_KIND_BOOL) | ADD(ACH_ARRAY_NONE) |
           ADD(ACH_ARRAY_FIXED) | ADD(PYACH_OVERWRITTEN);
#undef ADD
}

/* Classes and hooks are global, so a second interpreter would use objects of the first one. */
static int module_exec(PyObject *module)
{
    if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0) {
        PyErr_SetString(PyExc_ImportError, "ach cannot be used in a sub-interpreter");
        return -1;
    }
    if (pyach_channel_init(module) < 0 || pyach_inplace_init(module) < 0 ||
        pyach_table_init(module) < 0 || pyach_device_init(module) < 0 ||
        pyach_period_init(module) < 0 || add_constants(module) < 0)
        return -1;
    return 0;
}

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, module_exec},
    {0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "ach._ach",
                                        .m_doc = "The functions of libach, for the package ach.",
                                        .m_methods = methods, .m_slots = module_slots};

PyMODINIT_FUNC PyInit__ach(void)
{
    return PyModuleDef_Init(&definition);
}

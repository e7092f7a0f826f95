/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * device.c - the class Device: a handle of a device
 *
 * Every call may wait for a server, so all of them release the GIL. Meanwhile the device is busy: a
 * second thread gets an exception. It may close the device, though: then the first one
 * closes the handle of libach at the end of its call.
 */
#include "common.h"

#include <limits.h>
#include <stdlib.h>

#include <ach/device.h>

struct device {
    PyObject_HEAD;
    ach_device_t *device; /* NULL: closed */
    PyObject *address;
    bool busy;
    bool ended; /* close was called while it was busy */
};

static struct device *device_of(PyObject *self)
{
    return (struct device *)self;
}

static int device_check(struct device *d)
{
    if (!d->device || d->ended)
        pyach_raise(ACH_CLOSED, d->address);
    else if (d->busy)
        pyach_raise_busy(d->address);
    else
        return 0;
    return -1;
}

static int device_begin(struct device *d)
{
    if (device_check(d) < 0)
        return -1;
    pyach_forget();
    d->busy = true;
    return 0;
}

static enum ach_status device_close_handle(struct device *d)
{
    ach_device_t *open = d->device;
    enum ach_status r;

    d->device = NULL;
    d->ended = false;
    Py_BEGIN_ALLOW_THREADS
    r = ach_device_close(open);
    Py_END_ALLOW_THREADS
    return r;
}

/* After a call without the GIL; ACH_CLOSED if another thread closed the device meanwhile. */
static enum ach_status device_end(struct device *d, enum ach_status r)
{
    d->busy = false;
    if (!d->ended)
        return r;
    device_close_handle(d);
    return ach_errstr_set(ACH_CLOSED, "the device was closed during the call");
}

static void device_dealloc(PyObject *self)
{
    struct device *d = device_of(self);

    device_close_handle(d);
    Py_CLEAR(d->address);
    pyach_free(self);
}

/* Longer waits are cut to this, in seconds: libach computes with smaller numbers. */
#define FOREVER 1e9

static int timeout_check(double *timeout)
{
    if (!(*timeout >= 0)) {
        PyErr_SetString(PyExc_ValueError, "a timeout must be a number, and not negative");
        return -1;
    }
    if (*timeout > FOREVER)
        *timeout = FOREVER;
    return 0;
}

static int attr_from(ach_device_attr_t *attr, const char *transport, double timeout,
                     long long messages)
{
    if (messages < 0 || messages > UINT_MAX) {
        PyErr_Format(PyExc_ValueError, "messages must be from 0 to %u, not %lld", UINT_MAX,
                     messages);
        return -1;
    }
    if (timeout_check(&timeout) < 0)
        return -1;
    *attr = (ach_device_attr_t){.size = sizeof(*attr),
                                .transport = transport,
                                .timeout = timeout,
                                .messages = (unsigned)messages};
    return 0;
}

static PyObject *device_open(PyObject *self, PyObject *args)
{
    struct device *d = device_of(self);
    const char *address, *transport;
    double timeout;
    long long messages;
    ach_device_attr_t attr;
    ach_device_t *opened = NULL;
    enum ach_status r;

    if (!PyArg_ParseTuple(args, "szdL:_open", &address, &transport, &timeout, &messages) ||
        attr_from(&attr, transport, timeout, messages) < 0)
        return NULL;
    if (d->device || d->busy)
        return PyErr_Format(PyExc_ValueError, "%s: the device is open already", address);
    Py_XDECREF(d->address);
    d->address = PyUnicode_FromString(address);
    if (!d->address)
        return NULL;
    pyach_forget();
    d->busy = true;
    Py_BEGIN_ALLOW_THREADS
    r = ach_device_open(address, &attr, &opened);
    Py_END_ALLOW_THREADS
    d->busy = false;
    d->device = r == ACH_OK ? opened : NULL;
    return pyach_none(r, d->address);
}

static PyObject *device_close(PyObject *self, PyObject *unused)
{
    struct device *d = device_of(self);

    (void)unused;
    if (!d->device || d->ended)
        return pyach_raise(ACH_CLOSED, d->address);
    if (d->busy) {
        d->ended = true;
        Py_RETURN_NONE;
    }
    pyach_forget();
    return pyach_none(device_close_handle(d), d->address);
}

static PyObject *device_flush(PyObject *self, PyObject *args)
{
    struct device *d = device_of(self);
    double seconds;
    enum ach_status r;

    if (!PyArg_ParseTuple(args, "d:_flush", &seconds) || timeout_check(&seconds) < 0 ||
        device_begin(d) < 0)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    r = ach_device_flush(d->device, seconds);
    Py_END_ALLOW_THREADS
    return pyach_none(device_end(d, r), d->address);
}

/* The body as an object; bytes if this process does not know the message; None: there is none. */
static PyObject *body_object(const ach_message_t *m, const ach_message_def_t *def)
{
    const void *body = ach_message_body(m), *bytes;
    size_t size;

    if (body && def && def->body)
        return pyach_body_load(pyach_device_tables(), def->body, body);
    bytes = ach_message_bytes(m, &size);
    if (size == 0)
        Py_RETURN_NONE;
    if (def && def->body)
        return pyach_raise_why(ach_message_check(m), NULL);
    return PyBytes_FromStringAndSize(bytes, (Py_ssize_t)size);
}

/* (name, type, subtype, sequence, timestamp, body). Releases the message. */
static PyObject *message_tuple(ach_message_t *m)
{
    const ach_header_t *h = ach_message_header(m);
    const ach_message_def_t *def =
        ach_interface_message(ach_interface_by_code(h->address.interf), h->type, h->subtype);
    PyObject *body = body_object(m, def);
    PyObject *tuple = body ? Py_BuildValue("sBBIdN", def ? def->name : "", h->type, h->subtype,
                                           h->sequence, h->timestamp, body)
                           : NULL;

    ach_message_unref(m);
    return tuple;
}

/* One part of a wait; ACH_EINTR: a signal handler raised an exception. */
static enum ach_status device_wait(struct device *d, int subtype, int options,
                                   struct pyach_limit *limit, ach_message_t **m)
{
    enum ach_status r;

    for (;;) {
        double seconds = options & ACH_O_WAIT ? pyach_limit_seconds(limit) : 0;

        Py_BEGIN_ALLOW_THREADS
        r = ach_device_get(d->device, subtype, seconds, options, m);
        Py_END_ALLOW_THREADS
        if (r != ACH_TIMEOUT || limit->last)
            return r;
        pyach_forget();
        if (PyErr_CheckSignals() < 0)
            return ACH_EINTR;
        if (d->ended)
            return ACH_CLOSED;
    }
}

static PyObject *device_get(PyObject *self, PyObject *args)
{
    struct device *d = device_of(self);
    struct pyach_limit limit;
    ach_message_t *m = NULL;
    PyObject *timeout;
    int subtype, options;
    enum ach_status r;

    if (!PyArg_ParseTuple(args, "iiO:_get", &subtype, &options, &timeout) ||
        pyach_limit_init(&limit, timeout, false, CLOCK_MONOTONIC) < 0 || device_begin(d) < 0)
        return NULL;
    limit.sliced = true; /* libach has no call that ends a wait for a device */
    r = device_end(d, device_wait(d, subtype, options, &limit, &m));
    if (PyErr_Occurred()) /* of a signal handler, even if it closed the device */
        return NULL;
    if (r == ACH_OK || r == ACH_MISSED_FRAME)
        return message_tuple(m);
    ach_message_unref(m);
    return r == ACH_CLOSED ? pyach_raise_why(r, d->address) : pyach_raise(r, d->address);
}

/* A struct from an object; NULL without an exception: no body. */
static void *body_struct(const ach_message_def_t *def, PyObject *from, struct pyach_arena *arena)
{
    *arena = (struct pyach_arena){0};
    if (from == Py_None)
        return NULL;
    if (def->body)
        return pyach_body_store(def->body, from, arena);
    PyErr_Format(PyExc_ValueError, "%s has no fields", def->name);
    return NULL;
}

/* The message of a device by type and number; NULL: exception. */
static const ach_message_def_t *message_def(struct device *d, unsigned type, unsigned subtype)
{
    const ach_address_t *a = ach_device_address(d->device);
    const ach_message_def_t *def =
        ach_interface_message(ach_interface_by_code(a->interf), type, subtype);

    if (!def)
        pyach_raise(ACH_EINVAL, d->address);
    return def;
}

static PyObject *device_command(PyObject *self, PyObject *args)
{
    struct device *d = device_of(self);
    const ach_message_def_t *def;
    struct pyach_arena arena;
    unsigned char subtype;
    PyObject *from;
    void *body;
    enum ach_status r;

    if (!PyArg_ParseTuple(args, "bO:_command", &subtype, &from) || device_check(d) < 0)
        return NULL;
    def = message_def(d, ACH_MSG_CMD, subtype);
    if (!def)
        return NULL;
    body = body_struct(def, from, &arena);
    if (!PyErr_Occurred() && device_begin(d) == 0) {
        Py_BEGIN_ALLOW_THREADS
        r = ach_device_command(d->device, subtype, body);
        Py_END_ALLOW_THREADS
        r = device_end(d, r);
        if (r != ACH_OK)
            pyach_raise_why(r, d->address);
    }
    pyach_arena_free(&arena);
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

static PyObject *device_request(PyObject *self, PyObject *args)
{
    struct device *d = device_of(self);
    const ach_message_def_t *def;
    ach_message_t *answer = NULL;
    struct pyach_arena arena;
    unsigned char subtype;
    PyObject *from, *tuple = NULL;
    double timeout;
    void *body;
    enum ach_status r;

    if (!PyArg_ParseTuple(args, "bOd:_request", &subtype, &from, &timeout) ||
        timeout_check(&timeout) < 0 || device_check(d) < 0)
        return NULL;
    def = message_def(d, ACH_MSG_REQ, subtype);
    if (!def)
        return NULL;
    body = body_struct(def, from, &arena);
    if (!PyErr_Occurred() && device_begin(d) == 0) {
        Py_BEGIN_ALLOW_THREADS
        r = ach_device_request(d->device, subtype, body, timeout, &answer);
        Py_END_ALLOW_THREADS
        r = device_end(d, r);
        tuple = r == ACH_OK ? message_tuple(answer) : pyach_raise_why(r, d->address);
        if (r != ACH_OK)
            ach_message_unref(answer);
    }
    pyach_arena_free(&arena);
    return tuple;
}

static PyObject *device_fileno(PyObject *self, PyObject *unused)
{
    struct device *d = device_of(self);

    (void)unused;
    return device_check(d) < 0 ? NULL : PyLong_FromLong(ach_device_fd(d->device));
}

static PyObject *device_lost(PyObject *self, void *unused)
{
    struct device *d = device_of(self);

    (void)unused;
    return device_check(d) < 0 ? NULL : PyLong_FromUnsignedLongLong(ach_device_lost(d->device));
}

static PyObject *device_transport(PyObject *self, void *unused)
{
    struct device *d = device_of(self);

    (void)unused;
    return device_check(d) < 0 ? NULL : PyUnicode_FromString(ach_device_transport(d->device));
}

static PyObject *device_rights(PyObject *self, void *unused)
{
    struct device *d = device_of(self);

    (void)unused;
    return device_check(d) < 0 ? NULL : PyLong_FromUnsignedLong(ach_device_rights(d->device));
}

static PyObject *device_interface(PyObject *self, void *unused)
{
    struct device *d = device_of(self);
    const ach_interface_t *i;

    (void)unused;
    if (device_check(d) < 0)
        return NULL;
    i = ach_interface_by_code(ach_device_address(d->device)->interf);
    return PyUnicode_FromString(i ? i->name : "");
}

static PyObject *device_address(PyObject *self, void *unused)
{
    PyObject *address = device_of(self)->address;

    (void)unused;
    return Py_NewRef(address ? address : Py_None);
}

static PyObject *device_closed(PyObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(!device_of(self)->device || device_of(self)->ended);
}

static PyMethodDef device_methods[] = {
    {"_open", device_open, METH_VARARGS, "_open(address, transport, timeout, messages)"},
    {"_close", device_close, METH_NOARGS, "_close()"},
    {"_flush", device_flush, METH_VARARGS, "_flush(seconds)"},
    {"_get", device_get, METH_VARARGS, "_get(subtype, options, timeout) -> tuple"},
    {"_command", device_command, METH_VARARGS, "_command(subtype, body)"},
    {"_request", device_request, METH_VARARGS, "_request(subtype, body, timeout) -> tuple"},
    {"fileno", device_fileno, METH_NOARGS,
     "fileno($self, /)\n--\n\nA descriptor that is readable while there is a message. Only poll "
     "it."},
    {0},
};

static PyGetSetDef device_attributes[] = {
    {"lost", device_lost, NULL, "messages that were lost since the device was opened", NULL},
    {"transport", device_transport, NULL, "how the device is reached: channel, tcp, ...", NULL},
    {"_rights", device_rights, NULL, NULL, NULL},
    {"interface", device_interface, NULL, "name of the interface", NULL},
    {"address", device_address, NULL, "the address that was opened", NULL},
    {"closed", device_closed, NULL, "True if the device is not open", NULL},
    {0},
};

/* Functions of the module. */

PyObject *pyach_interface(PyObject *module, PyObject *name)
{
    PyObject *text =
        PyUnicode_Check(name) ? PyUnicode_AsUTF8String(name) : PyBytes_FromObject(name);
    const ach_interface_t *i;
    PyObject *list;
    uint32_t n;

    (void)module;
    if (!text)
        return NULL;
    i = ach_interface_find(PyBytes_AsString(text));
    Py_DECREF(text);
    if (!i)
        return PyErr_Format(PyExc_ValueError, "there is no interface %R", name);
    list = PyList_New(0);
    for (n = 0; list && n < i->message_count; n++) {
        const ach_message_def_t *m = &i->messages[n];
        PyObject *body =
            m->body ? pyach_table_new(pyach_device_tables(), m->body) : Py_NewRef(Py_None);
        PyObject *tuple = body ? Py_BuildValue("sBBsN", m->name, m->type, m->subtype,
                                               m->text ? m->text : "", body)
                               : NULL;

        if (!tuple || PyList_Append(list, tuple) < 0)
            Py_CLEAR(list);
        Py_XDECREF(tuple);
    }
    return list;
}

static PyObject *devices_list(const ach_device_info_t *devices, size_t count)
{
    PyObject *list = PyList_New(0);
    char text[ACH_ADDRESS_MAX];
    size_t i;

    for (i = 0; list && i < count; i++) {
        PyObject *tuple =
            Py_BuildValue("ss", ach_address_text(&devices[i].address, text), devices[i].driver);

        if (!tuple || PyList_Append(list, tuple) < 0)
            Py_CLEAR(list);
        Py_XDECREF(tuple);
    }
    return list;
}

PyObject *pyach_devices(PyObject *module, PyObject *args)
{
    const char *where, *transport;
    ach_device_info_t *devices = NULL;
    ach_device_attr_t attr;
    size_t count = 64, room = 0;
    double timeout;
    PyObject *list;
    enum ach_status r = ACH_OK;

    (void)module;
    if (!PyArg_ParseTuple(args, "szd:devices", &where, &transport, &timeout) ||
        attr_from(&attr, transport, timeout, 0) < 0)
        return NULL;
    pyach_forget();
    while (r == ACH_OK && count > room) { /* devices may come between two calls */
        free(devices);
        room = count;
        devices = calloc(room, sizeof(*devices));
        if (!devices)
            return PyErr_NoMemory();
        Py_BEGIN_ALLOW_THREADS
        r = ach_device_list(where, &attr, devices, room, &count);
        Py_END_ALLOW_THREADS
    }
    list = r == ACH_OK ? devices_list(devices, count) : pyach_raise_why(r, NULL);
    free(devices);
    return list;
}

int pyach_device_init(PyObject *module)
{
    PyType_Slot slots[] = {
        {Py_tp_dealloc, device_dealloc},
        {Py_tp_methods, device_methods},
        {Py_tp_getset, device_attributes},
        {Py_tp_doc, "A handle of a device."},
        {0, NULL},
    };
    PyType_Spec spec = {.name = "ach._ach.Device",
                        .basicsize = sizeof(struct device),
                        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                        .slots = slots};

    return pyach_add_class(module, &spec) ? 0 : -1;
}

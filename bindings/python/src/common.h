/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * common.h - what the files of the extension share
 *
 * The module _ach is a thin layer: one method for each function of libach, with statuses turned
 * into exceptions. The classes that programs use are written in Python on top of it.
 *
 * The GIL protects all fields of the structs below. It is released only while a call waits, and
 * while many bytes are copied. Meanwhile the object is marked as busy, so a second thread
 * gets an exception instead of using the same handle.
 */
#ifndef PYACH_COMMON_H
#define PYACH_COMMON_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include <stdbool.h>
#include <string.h>
#include <time.h>

#include <ach.h>
#include <ach/interface.h>

/* Copies of more bytes release the GIL. */
#define PYACH_LARGE 65536

/* error.c: exceptions */

/* Not a status: a view was overwritten. */
#define PYACH_OVERWRITTEN ((enum ach_status)100)

/* Functions of the Python part, set by _ach.set_hooks. */
struct pyach_hooks {
    PyObject *error; /* (status, what, text, errno): an exception */
    PyObject *array; /* (kind, bytearray): an array */
    PyObject *cls;   /* (table): the class of a struct's messages */
};
extern struct pyach_hooks pyach_hooks;

PyObject *pyach_set_hooks(PyObject *module, PyObject *args);

/* Raise the exception of a status; what: the name of a channel or device, or NULL. Returns NULL. */
PyObject *pyach_raise(enum ach_status status, PyObject *what);

/* The same, with the text of ach_errstr. pyach_forget clears that text before a call. */
PyObject *pyach_raise_why(enum ach_status status, PyObject *what);
void pyach_forget(void);

/* None for ACH_OK; else raise, with the text of ach_errstr. */
PyObject *pyach_none(enum ach_status status, PyObject *what);

/* Raise: another thread uses the object. Returns NULL. */
PyObject *pyach_raise_busy(PyObject *what);

/* limit.c: when a wait ends */

/* Python runs signal handlers in the main thread, so waits there end this often to call them. */
#define PYACH_SLICE_NS 100000000

struct pyach_limit {
    bool forever;
    bool sliced; /* in other threads, too */
    bool last;   /* the time of pyach_limit_next is the end of the wait, not of a slice */
    clockid_t clock;
    struct timespec at, next;
};

/* timeout: None, or seconds from now, or with absolute a time on the clock. -1: exception. */
int pyach_limit_init(struct pyach_limit *limit, PyObject *timeout, bool absolute, clockid_t clock);

/* When the next part of the wait ends; NULL: never. */
const struct timespec *pyach_limit_next(struct pyach_limit *limit);

/* The same in seconds from now; negative: never. */
double pyach_limit_seconds(struct pyach_limit *limit);

/* channel.c: handles */

struct pyach_view;

struct pyach_channel {
    PyObject_HEAD;
    ach_channel_t chan;
    PyObject *name;          /* str; NULL: a heap channel, or never opened */
    PyObject *heap;          /* the memory of a heap channel, or NULL */
    struct pyach_view *view; /* the view that ach_view_check is about; NULL: none */
    size_t capacity;         /* bytes of the largest message */
    uint64_t reservation;    /* number of the last reservation */
    unsigned rooms;          /* buffers of reservations that exist */
    unsigned holds;          /* calls and views that need the handle, even if it was closed */
    clockid_t clock;
    int status; /* of the last get or view */
    bool open;  /* the handle of libach is open */
    bool ended; /* close was called */
    bool busy;  /* a call without the GIL uses the read position */
    bool single_writer;
};

extern PyTypeObject *pyach_channel_class;

/* 0; or -1 and an exception: it is closed, or another thread uses it. */
int pyach_channel_check(struct pyach_channel *c);

/* Keep the handle of libach open until pyach_channel_drop, even if close is called. */
void pyach_channel_hold(struct pyach_channel *c);
void pyach_channel_drop(struct pyach_channel *c);

int pyach_channel_init(PyObject *module);

/* A type from (name, encoding, schema_encoding, schema), which must outlive it. -1: exception. */
int pyach_type_from(PyObject *tuple, ach_channel_type_t *type);

/* inplace.c: views, reservations, memory of heap channels */

PyObject *pyach_view_new(struct pyach_channel *c, const void *place, size_t size);
PyObject *pyach_reservation_new(struct pyach_channel *c, void *place, size_t size);
PyObject *pyach_heap_new(struct ach_header *shm);
struct ach_header *pyach_heap_memory(PyObject *object); /* NULL and an exception: not a heap */
int pyach_inplace_init(PyObject *module);

/* body.c: structs and Python objects, by tables */

/* The tables of one definition, or those of all devices. */
struct pyach_tables {
    PyObject_HEAD;
    struct ach_definition *definition; /* NULL: devices */
    PyObject *classes;                 /* dict: address of a table: (class, names of fields) */
};

PyObject *pyach_body_load(struct pyach_tables *tables, const ach_type_t *type, const void *body);

/* Memory of a body that was made from an object. */
struct pyach_arena {
    struct pyach_block *blocks;
    size_t used;
};

/* A new struct, with all it points to in the arena; NULL: exception. Free the arena in any case. */
void *pyach_body_store(const ach_type_t *type, PyObject *from, struct pyach_arena *arena);
void pyach_arena_free(struct pyach_arena *arena);

size_t pyach_kind_size(unsigned kind); /* of scalars */

/* table.c: a struct of a definition or of a device */

struct pyach_table {
    PyObject_HEAD;
    const ach_type_t *type;
    struct pyach_tables *tables;
};

extern PyTypeObject *pyach_table_class;

PyObject *pyach_table_new(struct pyach_tables *tables, const ach_type_t *type);
struct pyach_tables *pyach_device_tables(void); /* borrowed */
int pyach_table_init(PyObject *module);

/* device.c: devices */

PyObject *pyach_interface(PyObject *module, PyObject *name);
PyObject *pyach_devices(PyObject *module, PyObject *args);
int pyach_device_init(PyObject *module);

/* module.c: functions on names of channels */

/* A name for libach, valid as long as the str; NULL: exception. */
const char *pyach_name_text(PyObject *name);

/* wait.c: waiting for several channels, and for periods */

PyObject *pyach_wait(PyObject *module, PyObject *args);
int pyach_period_init(PyObject *module);

/* Create a class from its specification, and add it to the module. */
PyTypeObject *pyach_add_class(PyObject *module, PyType_Spec *spec);

/* The end of every tp_dealloc. */
void pyach_free(PyObject *self);

#endif

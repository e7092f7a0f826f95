/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * inplace.c - messages without a copy: the classes View, Reservation and Heap
 *
 * The memory of a view is in the channel, and so is that of a reservation on a single-writer
 * channel. Python cannot take back a buffer: arrays and memoryviews may exist as long as the
 * program likes. So each of them holds the handle, and the mapping with it. Buffers of a
 * reservation can be written, so the message is not put while one of them exists, and neither are
 * later ones that could have the same place.
 */
#include "common.h"

#include <stdlib.h>

static PyTypeObject *view_class, *reservation_class, *heap_class;
static PyObject *release_method; /* memoryview.release */

/*
 * The memoryview that __enter__ returns. The reference is weak, because the memoryview refers to
 * the object that made it.
 */
static PyObject *memoryview_new(PyObject *self, PyObject **weak)
{
    PyObject *memoryview;

    if (*weak) {
        PyErr_SetString(PyExc_RuntimeError, "this object can be entered only once");
        return NULL;
    }
    memoryview = PyMemoryView_FromObject(self);
    *weak = memoryview ? PyWeakref_NewRef(memoryview, NULL) : NULL;
    if (memoryview && !*weak)
        Py_CLEAR(memoryview);
    return memoryview;
}

/* Release that memoryview, if it exists and nothing was made from it. */
static void memoryview_release(PyObject *weak)
{
    PyObject *memoryview = weak ? Py_XNewRef(PyWeakref_GetObject(weak)) : NULL;
    PyObject *released = NULL;

    if (memoryview && memoryview != Py_None)
        released = PyObject_CallFunctionObjArgs(release_method, memoryview, NULL);
    if (!released)
        PyErr_Clear(); /* arrays of it exist */
    Py_XDECREF(released);
    Py_XDECREF(memoryview);
}

/* The type of the exception that ended a block, or None; NULL: __exit__ was called wrongly. */
static PyObject *exit_type(PyObject *const *args, Py_ssize_t count)
{
    if (count == 3)
        return args[0];
    PyErr_Format(PyExc_TypeError, "__exit__ expected 3 arguments, got %zd", count);
    return NULL;
}

/* Views. */

struct pyach_view {
    PyObject_HEAD;
    struct pyach_channel *channel;
    PyObject *memoryview; /* weak reference; NULL: __enter__ was not called */
    const void *place;
    size_t size;
    unsigned exports;
    bool ended;
};

static struct pyach_view *view_of(PyObject *self)
{
    return (struct pyach_view *)self;
}

PyObject *pyach_view_new(struct pyach_channel *c, const void *place, size_t size)
{
    struct pyach_view *v = PyObject_GC_New(struct pyach_view, view_class);

    if (!v)
        return NULL;
    v->channel = (struct pyach_channel *)Py_NewRef((PyObject *)c);
    v->memoryview = NULL;
    v->place = place;
    v->size = size;
    v->exports = 0;
    v->ended = false;
    pyach_channel_hold(c);
    c->view = v;
    PyObject_GC_Track((PyObject *)v);
    return (PyObject *)v;
}

/* The channel needs to be mapped until the view has ended and its last buffer is gone. */
static void view_end(struct pyach_view *v)
{
    if (v->ended)
        return;
    v->ended = true;
    v->channel->view = NULL;
    if (v->exports == 0)
        pyach_channel_drop(v->channel);
}

/*
 * An attribute of a channel may refer to a view or reservation of it. The garbage collector clears
 * the attributes of the channel. These objects need it until they end, so they have no tp_clear.
 */
static int view_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(view_of(self)->channel);
    return 0;
}

static void view_dealloc(PyObject *self)
{
    struct pyach_view *v = view_of(self);

    PyObject_GC_UnTrack(self);
    Py_CLEAR(v->memoryview);
    view_end(v);
    Py_DECREF((PyObject *)v->channel);
    pyach_free(self);
}

static int view_getbuffer(PyObject *self, Py_buffer *buffer, int flags)
{
    struct pyach_view *v = view_of(self);

    if (v->ended) {
        PyErr_SetString(PyExc_BufferError, "the view has ended");
        buffer->obj = NULL;
        return -1;
    }
    if (PyBuffer_FillInfo(buffer, self, (void *)v->place, (Py_ssize_t)v->size, 1, flags) < 0)
        return -1;
    v->exports++;
    return 0;
}

static void view_releasebuffer(PyObject *self, Py_buffer *buffer)
{
    struct pyach_view *v = view_of(self);

    (void)buffer;
    v->exports--;
    if (v->ended && v->exports == 0)
        pyach_channel_drop(v->channel);
}

static PyObject *view_enter(PyObject *self, PyObject *unused)
{
    struct pyach_view *v = view_of(self);

    (void)unused;
    return memoryview_new(self, &v->memoryview);
}

static enum ach_status view_check(struct pyach_view *v)
{
    return v->ended ? ACH_EINVAL : ach_view_check(&v->channel->chan);
}

PyDoc_STRVAR(view_intact_doc, "False if a writer has overwritten the message");

static PyObject *view_intact(PyObject *self, void *unused)
{
    struct pyach_view *v = view_of(self);
    enum ach_status r = view_check(v);

    (void)unused;
    if (r != ACH_OK && r != ACH_EAGAIN)
        return pyach_raise(r, v->channel->name);
    return PyBool_FromLong(r == ACH_OK);
}

PyDoc_STRVAR(
    view_release_doc,
    "release($self, /)\n--\n\nEnd the view. Returns whether the message was intact until now.");

static PyObject *view_release(PyObject *self, PyObject *unused)
{
    struct pyach_view *v = view_of(self);
    enum ach_status r = view_check(v);

    (void)unused;
    memoryview_release(v->memoryview);
    view_end(v);
    return PyBool_FromLong(r == ACH_OK);
}

PyDoc_STRVAR(view_exit_doc, "End the view; raise Overwritten if the message was overwritten.");

/* An exception of the block may be due to overwritten data; not so KeyboardInterrupt. */
static PyObject *view_exit(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    struct pyach_view *v = view_of(self);
    PyObject *type = exit_type(args, count), *intact;
    bool ended = v->ended;
    int is_exception;

    if (!type)
        return NULL;
    is_exception = type == Py_None ? 1 : PyObject_IsSubclass(type, PyExc_Exception);
    if (is_exception < 0)
        return NULL;
    intact = view_release(self, NULL);
    if (intact == Py_False && !ended && is_exception) {
        Py_DECREF(intact);
        return pyach_raise(PYACH_OVERWRITTEN, v->channel->name);
    }
    return intact ? (Py_DECREF(intact), PyBool_FromLong(0)) : NULL;
}

static Py_ssize_t view_length(PyObject *self)
{
    return (Py_ssize_t)view_of(self)->size;
}

static PyMethodDef view_methods[] = {
    {"__enter__", view_enter, METH_NOARGS, "A read-only memoryview of the message."},
    {"__exit__", (PyCFunction)(void (*)(void))view_exit, METH_FASTCALL, view_exit_doc},
    {"release", view_release, METH_NOARGS, view_release_doc},
    {0},
};

static PyGetSetDef view_attributes[] = {
    {"intact", view_intact, NULL, view_intact_doc, NULL},
    {0},
};

/* Reservations. */

struct pyach_reservation {
    PyObject_HEAD;
    struct pyach_channel *channel;
    PyObject *memoryview; /* as in a view */
    void *place;
    size_t size;     /* that will be committed */
    size_t reserved; /* at most */
    uint64_t number;
    unsigned exports;
};

static struct pyach_reservation *reservation_of(PyObject *self)
{
    return (struct pyach_reservation *)self;
}

PyObject *pyach_reservation_new(struct pyach_channel *c, void *place, size_t size)
{
    struct pyach_reservation *r = PyObject_GC_New(struct pyach_reservation, reservation_class);

    if (!r) {
        ach_abort(&c->chan);
        return NULL;
    }
    r->channel = (struct pyach_channel *)Py_NewRef((PyObject *)c);
    r->memoryview = NULL;
    r->place = place;
    r->size = r->reserved = size;
    r->number = ++c->reservation;
    r->exports = 0;
    PyObject_GC_Track((PyObject *)r);
    return (PyObject *)r;
}

/* A later reservation, or the end of this one, gives it another number. */
static bool reservation_is_open(const struct pyach_reservation *r)
{
    return r->number == r->channel->reservation;
}

static void reservation_end(struct pyach_reservation *r)
{
    r->channel->reservation++;
}

static int reservation_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(reservation_of(self)->channel);
    return 0;
}

static void reservation_dealloc(PyObject *self)
{
    struct pyach_reservation *r = reservation_of(self);

    PyObject_GC_UnTrack(self);
    Py_CLEAR(r->memoryview);
    if (reservation_is_open(r)) {
        ach_abort(&r->channel->chan);
        reservation_end(r);
    }
    Py_DECREF((PyObject *)r->channel);
    pyach_free(self);
}

static int reservation_getbuffer(PyObject *self, Py_buffer *buffer, int flags)
{
    struct pyach_reservation *r = reservation_of(self);

    if (!reservation_is_open(r) || r->channel->ended) {
        PyErr_SetString(PyExc_BufferError, "the reservation has ended");
        buffer->obj = NULL;
        return -1;
    }
    if (PyBuffer_FillInfo(buffer, self, r->place, (Py_ssize_t)r->reserved, 0, flags) < 0)
        return -1;
    if (r->exports++ == 0)
        pyach_channel_hold(r->channel);
    r->channel->rooms++;
    return 0;
}

static void reservation_releasebuffer(PyObject *self, Py_buffer *buffer)
{
    struct pyach_reservation *r = reservation_of(self);

    (void)buffer;
    r->channel->rooms--;
    if (--r->exports == 0)
        pyach_channel_drop(r->channel);
}

static PyObject *reservation_enter(PyObject *self, PyObject *unused)
{
    struct pyach_reservation *r = reservation_of(self);

    (void)unused;
    return memoryview_new(self, &r->memoryview);
}

/* 0; -1 and an exception: the handle is in use, or somebody can still write to the message. */
static int reservation_check(struct pyach_reservation *r)
{
    if (pyach_channel_check(r->channel) < 0)
        return -1;
    if (!reservation_is_open(r)) {
        pyach_raise(ACH_EINVAL, r->channel->name);
        return -1;
    }
    if (r->exports) {
        PyErr_SetString(PyExc_BufferError,
                        "an array or memoryview of the reservation exists; delete it before the "
                        "message is put");
        return -1;
    }
    return 0;
}

static enum ach_status commit_unlocked(struct pyach_channel *c, size_t size)
{
    enum ach_status r;

    if (size <= PYACH_LARGE)
        return ach_commit(&c->chan, size);
    pyach_channel_hold(c);
    c->busy = true;
    Py_BEGIN_ALLOW_THREADS
    r = ach_commit(&c->chan, size);
    Py_END_ALLOW_THREADS
    c->busy = false;
    pyach_channel_drop(c);
    return r;
}

/* As ach_commit: after ACH_EINVAL and ACH_LOCKED the reservation stays open. */
static PyObject *commit_size(struct pyach_reservation *r, size_t size)
{
    enum ach_status status;

    memoryview_release(r->memoryview);
    if (reservation_check(r) < 0)
        return NULL;
    status = commit_unlocked(r->channel, size);
    if (status != ACH_EINVAL && status != ACH_LOCKED)
        reservation_end(r);
    if (status != ACH_OK)
        return pyach_raise(status, r->channel->name);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(commit_doc,
             "commit($self, size=None, /)\n--\n\nPut the message: the first bytes, or all.");

static PyObject *reservation_commit(PyObject *self, PyObject *args)
{
    struct pyach_reservation *r = reservation_of(self);
    PyObject *number = Py_None;
    size_t size = r->size;

    if (!PyArg_ParseTuple(args, "|O:commit", &number))
        return NULL;
    if (number != Py_None)
        size = PyLong_AsSize_t(number);
    return PyErr_Occurred() ? NULL : commit_size(r, size);
}

PyDoc_STRVAR(abort_doc, "abort($self, /)\n--\n\nDrop the reservation; nothing is put.");

static PyObject *reservation_abort(PyObject *self, PyObject *unused)
{
    struct pyach_reservation *r = reservation_of(self);

    (void)unused;
    memoryview_release(r->memoryview);
    if (pyach_channel_check(r->channel) < 0)
        return NULL;
    if (!reservation_is_open(r))
        return pyach_raise(ACH_EINVAL, r->channel->name);
    ach_abort(&r->channel->chan);
    reservation_end(r);
    Py_RETURN_NONE;
}

/* Drop what is still open, and keep the exception that is set. */
static void reservation_discard(struct pyach_reservation *r)
{
    memoryview_release(r->memoryview);
    if (reservation_is_open(r) && r->channel->open && !r->channel->busy) {
        ach_abort(&r->channel->chan);
        reservation_end(r);
    }
}

PyDoc_STRVAR(reservation_exit_doc, "Put the message; after an exception drop it.");

static PyObject *reservation_exit(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    struct pyach_reservation *r = reservation_of(self);
    PyObject *type = exit_type(args, count), *done;

    if (!type)
        return NULL;
    if (type == Py_None && reservation_is_open(r)) {
        done = commit_size(r, r->size);
        if (!done) {
            PyObject *error[3];

            PyErr_Fetch(&error[0], &error[1], &error[2]);
            reservation_discard(r);
            PyErr_Restore(error[0], error[1], error[2]);
            return NULL;
        }
        Py_DECREF(done);
    } else {
        reservation_discard(r);
    }
    Py_RETURN_FALSE;
}

static PyObject *reservation_size(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromSize_t(reservation_of(self)->size);
}

static int reservation_set_size(PyObject *self, PyObject *value, void *unused)
{
    struct pyach_reservation *r = reservation_of(self);
    size_t size;

    (void)unused;
    if (!value) {
        PyErr_SetString(PyExc_AttributeError, "the size cannot be deleted");
        return -1;
    }
    size = PyLong_AsSize_t(value);
    if (PyErr_Occurred())
        return -1;
    if (size == 0 || size > r->reserved) {
        PyErr_Format(PyExc_ValueError, "the size must be from 1 to %zu, not %zu", r->reserved,
                     size);
        return -1;
    }
    r->size = size;
    return 0;
}

static PyMethodDef reservation_methods[] = {
    {"__enter__", reservation_enter, METH_NOARGS, "A writable memoryview of the reserved bytes."},
    {"__exit__", (PyCFunction)(void (*)(void))reservation_exit, METH_FASTCALL,
     reservation_exit_doc},
    {"commit", reservation_commit, METH_VARARGS, commit_doc},
    {"abort", reservation_abort, METH_NOARGS, abort_doc},
    {0},
};

static PyGetSetDef reservation_attributes[] = {
    {"size", reservation_size, reservation_set_size,
     "bytes that will be put; set it for a message that is smaller than the reservation", NULL},
    {0},
};

/* Heap channels. */

struct heap {
    PyObject_HEAD;
    struct ach_header *shm;
};

PyObject *pyach_heap_new(struct ach_header *shm)
{
    struct heap *h = PyObject_New(struct heap, heap_class);

    if (!h)
        free(shm);
    else
        h->shm = shm;
    return (PyObject *)h;
}

struct ach_header *pyach_heap_memory(PyObject *object)
{
    if (!PyObject_TypeCheck(object, heap_class)) {
        PyErr_SetString(PyExc_TypeError, "expected a channel that ach.create made with map='anon'");
        return NULL;
    }
    return ((struct heap *)object)->shm;
}

static void heap_dealloc(PyObject *self)
{
    free(((struct heap *)self)->shm);
    pyach_free(self);
}

int pyach_inplace_init(PyObject *module)
{
    PyType_Slot view_slots[] = {
        {Py_tp_dealloc, view_dealloc},
        {Py_tp_traverse, view_traverse},
        {Py_tp_methods, view_methods},
        {Py_tp_getset, view_attributes},
        {Py_bf_getbuffer, view_getbuffer},
        {Py_bf_releasebuffer, view_releasebuffer},
        {Py_sq_length, view_length},
        {Py_tp_doc, "A message in the memory of the channel, for `with`; see Channel.view."},
        {0, NULL},
    };
    PyType_Slot reservation_slots[] = {
        {Py_tp_dealloc, reservation_dealloc},
        {Py_tp_traverse, reservation_traverse},
        {Py_tp_methods, reservation_methods},
        {Py_tp_getset, reservation_attributes},
        {Py_bf_getbuffer, reservation_getbuffer},
        {Py_bf_releasebuffer, reservation_releasebuffer},
        {Py_tp_doc, "Room for a message, for `with`; see Channel.reserve."},
        {0, NULL},
    };
    PyType_Slot heap_slots[] = {
        {Py_tp_dealloc, heap_dealloc},
        {Py_tp_doc, "The memory of a channel of this process; pass it to Channel."},
        {0, NULL},
    };
    unsigned flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION;
    PyType_Spec view_spec = {.name = "ach._ach.View",
                             .basicsize = sizeof(struct pyach_view),
                             .flags = flags | Py_TPFLAGS_HAVE_GC,
                             .slots = view_slots};
    PyType_Spec reservation_spec = {.name = "ach._ach.Reservation",
                                    .basicsize = sizeof(struct pyach_reservation),
                                    .flags = flags | Py_TPFLAGS_HAVE_GC,
                                    .slots = reservation_slots};
    PyType_Spec heap_spec = {.name = "ach._ach.Heap",
                             .basicsize = sizeof(struct heap),
                             .flags = flags,
                             .slots = heap_slots};

    view_class = pyach_add_class(module, &view_spec);
    reservation_class = pyach_add_class(module, &reservation_spec);
    heap_class = pyach_add_class(module, &heap_spec);
    release_method = PyObject_GetAttrString((PyObject *)&PyMemoryView_Type, "release");
    return view_class && reservation_class && heap_class && release_method ? 0 : -1;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * channel.c - the class Channel: one handle
 *
 * A handle of libach stays open while views or calls of other threads need it: they hold it. After
 * close, the last one to drop it closes it.
 */
#include "common.h"

/* Messages of up to this size are received without asking for their size first. */
#define SMALL 1024

PyTypeObject *pyach_channel_class;

static struct pyach_channel *channel_of(PyObject *self)
{
    return (struct pyach_channel *)self;
}

/* Holding and closing. */

static bool channel_unused(const struct pyach_channel *c)
{
    return c->holds == 0 && !c->busy;
}

static void channel_close_unused(struct pyach_channel *c)
{
    if (c->open && c->ended && channel_unused(c)) {
        c->open = false;
        ach_close(&c->chan);
        Py_CLEAR(c->heap);
    }
}

void pyach_channel_hold(struct pyach_channel *c)
{
    c->holds++;
}

void pyach_channel_drop(struct pyach_channel *c)
{
    c->holds--;
    channel_close_unused(c);
}

int pyach_channel_check(struct pyach_channel *c)
{
    if (!c->open || c->ended)
        pyach_raise(ACH_CLOSED, c->name);
    else if (c->busy)
        pyach_raise_busy(c->name);
    else
        return 0;
    return -1;
}

/* Before and after a call without the GIL. */
static void channel_begin(struct pyach_channel *c)
{
    c->busy = true;
}

static void channel_end(struct pyach_channel *c)
{
    c->busy = false;
    channel_close_unused(c);
}

static void channel_dealloc(PyObject *self)
{
    struct pyach_channel *c = channel_of(self);

    c->ended = true;
    channel_close_unused(c);
    Py_CLEAR(c->name);
    Py_CLEAR(c->heap);
    pyach_free(self);
}

PyDoc_STRVAR(close_doc,
             "close($self, /)\n--\n\nClose the handle. Waits of other threads end with Closed.\n\n"
             "Returns False if views, or arrays made from them, still exist: their memory stays "
             "mapped\nuntil the last one is gone. Closing again does nothing.");

static PyObject *channel_close(PyObject *self, PyObject *unused)
{
    struct pyach_channel *c = channel_of(self);

    (void)unused;
    c->ended = true;
    if (c->open && c->busy)
        ach_cancel(&c->chan, NULL);
    channel_close_unused(c);
    return PyBool_FromLong(!c->open);
}

/* Opening. */

int pyach_type_from(PyObject *tuple, ach_channel_type_t *type)
{
    const char *schema;
    Py_ssize_t size;

    *type = (ach_channel_type_t){0};
    if (!PyArg_ParseTuple(tuple, "sssy#", &type->name, &type->encoding, &type->schema_encoding,
                          &schema, &size))
        return -1;
    type->schema = schema;
    type->schema_size = (size_t)size;
    return 0;
}

static int channel_opened(struct pyach_channel *c, PyObject *name, PyObject *heap)
{
    ach_info_t info = {0};

    c->open = true;
    c->ended = false;
    c->status = ACH_OK;
    c->reservation++; /* those of an earlier handle have ended */
    ach_channel_info(&c->chan, &info);
    c->single_writer = info.single_writer;
    c->capacity = info.capacity;
    Py_XDECREF(c->name);
    c->name = Py_NewRef(name);
    c->heap = heap != Py_None ? Py_NewRef(heap) : NULL;
    return ach_channel_clock(&c->chan, &c->clock) == ACH_OK ? 0 : -1;
}

PyDoc_STRVAR(open_doc, "_open(name, heap, map, readonly, source, spin_ns, lock_timeout_ns, type)");

static PyObject *channel_open(PyObject *self, PyObject *args)
{
    struct pyach_channel *c = channel_of(self);
    unsigned long long spin, lock_timeout;
    int map, readonly, source;
    PyObject *name, *heap, *type_tuple;
    ach_channel_type_t type;
    ach_attr_t attr;
    const char *text;
    enum ach_status r;

    ach_attr_init(&attr);
    if (!PyArg_ParseTuple(args, "UOippKKO:_open", &name, &heap, &map, &readonly, &source, &spin,
                          &lock_timeout, &type_tuple))
        return NULL;
    if (c->open || c->busy)
        return PyErr_Format(PyExc_ValueError, "%S: the handle is open already", name);
    attr.map = (enum ach_map)map;
    attr.readonly = readonly;
    attr.lock_source = source;
    attr.spin_ns = spin;
    attr.lock_timeout_ns = lock_timeout;
    if (type_tuple != Py_None && pyach_type_from(type_tuple, &type) < 0)
        return NULL;
    if (type_tuple != Py_None)
        attr.type = &type;
    if (heap != Py_None) {
        attr.map = ACH_MAP_ANON;
        attr.shm = pyach_heap_memory(heap);
        if (!attr.shm)
            return NULL;
    }
    text = pyach_name_text(name);
    if (!text)
        return NULL;
    pyach_forget();
    c->busy = true;
    Py_BEGIN_ALLOW_THREADS
    r = ach_open(&c->chan, text, &attr);
    Py_END_ALLOW_THREADS
    c->busy = false;
    if (r != ACH_OK)
        return pyach_raise_why(r, name);
    if (channel_opened(c, name, heap) < 0)
        return pyach_raise(ACH_BUG, name);
    Py_RETURN_NONE;
}

/* Getting. */

/* One get or view. */
struct transfer {
    bool view;
    void *buffer; /* get: where to copy the message */
    size_t room;
    const void *place; /* view: where it is */
    size_t size;       /* of the message */
    int options;
    struct pyach_limit limit;
};

/* The timeout may be an object whose __float__ closes the channel, or lets a thread use it. */
static int transfer_check(struct pyach_channel *c, struct transfer *t, PyObject *timeout,
                          bool absolute)
{
    if (pyach_channel_check(c) < 0 || pyach_limit_init(&t->limit, timeout, absolute, c->clock) < 0)
        return -1;
    return pyach_channel_check(c);
}

static enum ach_status transfer_once(struct pyach_channel *c, struct transfer *t,
                                     const struct timespec *until, int options)
{
    if (t->view)
        return ach_view(&c->chan, &t->place, &t->size, until, options);
    return ach_get(&c->chan, t->buffer, t->room, &t->size, until, options);
}

static enum ach_status transfer_unlocked(struct pyach_channel *c, struct transfer *t,
                                         const struct timespec *until, int options)
{
    enum ach_status r;

    channel_begin(c);
    Py_BEGIN_ALLOW_THREADS
    r = transfer_once(c, t, until, options);
    Py_END_ALLOW_THREADS
    if (c->ended) /* close was called meanwhile */
        r = ACH_CLOSED;
    channel_end(c);
    return r;
}

/* The status; ACH_EINTR: a signal handler raised an exception. */
static enum ach_status transfer_wait(struct pyach_channel *c, struct transfer *t)
{
    enum ach_status r;

    for (;;) {
        const struct timespec *until = pyach_limit_next(&t->limit);

        r = transfer_unlocked(c, t, until, t->options);
        if (r != ACH_TIMEOUT || t->limit.last)
            return r;
        if (PyErr_CheckSignals() < 0)
            return ACH_EINTR;
        if (c->ended)
            return ACH_CLOSED;
    }
}

static enum ach_status transfer_run(struct pyach_channel *c, struct transfer *t)
{
    int now = t->options & ~ACH_O_WAIT;
    enum ach_status r;

    if (t->options & ACH_O_WAIT) /* as ach_get: a wait is for a new message */
        now &= ~ACH_O_COPY;
    r = t->room > PYACH_LARGE ? transfer_unlocked(c, t, NULL, now) : transfer_once(c, t, NULL, now);
    if (r == ACH_EAGAIN && (t->options & ACH_O_WAIT))
        r = transfer_wait(c, t);
    c->status = (int)r;
    return r;
}

static PyObject *transfer_failed(struct pyach_channel *c, enum ach_status r)
{
    return r == ACH_EINTR ? NULL : pyach_raise(r, c->name);
}

static int set_number(PyObject *object, const char *name, size_t value)
{
    PyObject *number = PyLong_FromSize_t(value);
    int r = number ? PyObject_SetAttrString(object, name, number) : -1;

    Py_XDECREF(number);
    return r;
}

/* Raise Overflow for a message of @size bytes, with @room bytes in the buffer or channel. */
static PyObject *raise_overflow(struct pyach_channel *c, size_t size, const char *where,
                                size_t room)
{
    PyObject *class, *error, *traceback;

    pyach_raise_why(ach_errstr_set(ACH_OVERFLOW,
                                   "the message has %zu bytes; %s has room for %zu bytes", size,
                                   where, room),
                    c->name);
    PyErr_Fetch(&class, &error, &traceback);
    if (error && (set_number(error, "size", size) < 0 || set_number(error, "room", room) < 0))
        PyErr_Clear(); /* the text has both */
    PyErr_Restore(class, error, traceback);
    return NULL;
}

static bool delivered(enum ach_status r)
{
    return r == ACH_OK || r == ACH_MISSED_FRAME;
}

/* A message of unknown size: it may grow from try to try, if the newest is wanted. */
static PyObject *get_large(struct pyach_channel *c, struct transfer *t)
{
    PyObject *bytes = NULL, *whole;
    enum ach_status r;

    do {
        Py_XDECREF(bytes);
        if (t->size > (size_t)PY_SSIZE_T_MAX)
            return PyErr_NoMemory();
        bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)t->size);
        if (!bytes)
            return NULL;
        t->buffer = PyBytes_AsString(bytes);
        t->room = t->size;
        r = transfer_run(c, t);
    } while (r == ACH_OVERFLOW);
    if (!delivered(r)) {
        Py_DECREF(bytes);
        return transfer_failed(c, r);
    }
    if (t->size == t->room)
        return bytes;
    whole = PyBytes_FromStringAndSize(t->buffer, (Py_ssize_t)t->size);
    Py_DECREF(bytes);
    return whole;
}

static PyObject *get_bytes(struct pyach_channel *c, struct transfer *t)
{
    char small[SMALL];
    enum ach_status r;

    t->buffer = small;
    t->room = sizeof(small);
    r = transfer_run(c, t);
    if (r == ACH_OVERFLOW)
        return get_large(c, t);
    if (!delivered(r))
        return transfer_failed(c, r);
    return PyBytes_FromStringAndSize(small, (Py_ssize_t)t->size);
}

static PyObject *get_into(struct pyach_channel *c, struct transfer *t, PyObject *into)
{
    Py_buffer buffer;
    enum ach_status r;

    if (PyObject_GetBuffer(into, &buffer, PyBUF_WRITABLE) < 0)
        return NULL;
    if (pyach_channel_check(c) < 0) {
        PyBuffer_Release(&buffer);
        return NULL;
    }
    t->buffer = buffer.buf;
    t->room = (size_t)buffer.len;
    r = transfer_run(c, t);
    PyBuffer_Release(&buffer);
    if (r == ACH_OVERFLOW)
        return raise_overflow(c, t->size, "the buffer", t->room);
    if (!delivered(r))
        return transfer_failed(c, r);
    return PyLong_FromSize_t(t->size);
}

PyDoc_STRVAR(get_doc, "_get(options, timeout, absolute, into) -> bytes, or the size with into");

static PyObject *channel_get(PyObject *self, PyObject *args)
{
    struct pyach_channel *c = channel_of(self);
    struct transfer t = {0};
    PyObject *timeout, *into;
    int absolute;

    if (!PyArg_ParseTuple(args, "iOpO:_get", &t.options, &timeout, &absolute, &into) ||
        transfer_check(c, &t, timeout, absolute) < 0)
        return NULL;
    return into == Py_None ? get_bytes(c, &t) : get_into(c, &t, into);
}

/* Also after a wait: a signal handler may have made another view. */
static int view_check(struct pyach_channel *c)
{
    if (!c->view)
        return 0;
    PyErr_Format(PyExc_RuntimeError, "%S: a handle has one view at a time; end the other one first",
                 c->name);
    return -1;
}

PyDoc_STRVAR(view_doc, "_view(options, timeout, absolute) -> View");

static PyObject *channel_view(PyObject *self, PyObject *args)
{
    struct pyach_channel *c = channel_of(self);
    struct transfer t = {.view = true};
    PyObject *timeout;
    int absolute;
    enum ach_status r;

    if (!PyArg_ParseTuple(args, "iOp:_view", &t.options, &timeout, &absolute) ||
        transfer_check(c, &t, timeout, absolute) < 0 || view_check(c) < 0)
        return NULL;
    r = transfer_run(c, &t);
    if (!delivered(r))
        return transfer_failed(c, r);
    return view_check(c) < 0 ? NULL : pyach_view_new(c, t.place, t.size);
}

/* Putting. */

/* 0; or -1: buffers of a reservation point into the channel, where the message would be written. */
static int put_check(struct pyach_channel *c)
{
    if (!c->open || c->ended) {
        pyach_raise(ACH_CLOSED, c->name);
    } else if (c->single_writer && c->busy) {
        pyach_raise_busy(c->name);
    } else if (c->single_writer && c->rooms) {
        PyErr_Format(PyExc_BufferError, "%S: a buffer of a reservation exists; delete it first",
                     c->name);
    } else {
        return 0;
    }
    return -1;
}

static enum ach_status put_large(struct pyach_channel *c, const Py_buffer *message,
                                 const ach_origin_t *origin)
{
    enum ach_status r;

    pyach_channel_hold(c);
    if (c->single_writer)
        channel_begin(c);
    Py_BEGIN_ALLOW_THREADS
    r = origin ? ach_put_relayed(&c->chan, message->buf, (size_t)message->len, origin)
               : ach_put(&c->chan, message->buf, (size_t)message->len);
    Py_END_ALLOW_THREADS
    if (c->single_writer)
        channel_end(c);
    pyach_channel_drop(c);
    return r;
}

static PyObject *put_failed(struct pyach_channel *c, enum ach_status r, size_t size)
{
    return r == ACH_OVERFLOW ? raise_overflow(c, size, "the channel", c->capacity)
                             : pyach_raise(r, c->name);
}

static PyObject *put_object(struct pyach_channel *c, PyObject *object, const ach_origin_t *origin)
{
    Py_buffer message;
    enum ach_status r;
    size_t size;

    if (PyObject_GetBuffer(object, &message, PyBUF_SIMPLE) < 0)
        return NULL;
    if (put_check(c) < 0) {
        PyBuffer_Release(&message);
        return NULL;
    }
    if (message.len > PYACH_LARGE)
        r = put_large(c, &message, origin);
    else if (origin)
        r = ach_put_relayed(&c->chan, message.buf, (size_t)message.len, origin);
    else
        r = ach_put(&c->chan, message.buf, (size_t)message.len);
    size = (size_t)message.len;
    PyBuffer_Release(&message);
    if (r != ACH_OK)
        return put_failed(c, r, size);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(put_doc, "_put(buffer)");

static PyObject *channel_put(PyObject *self, PyObject *object)
{
    return put_object(channel_of(self), object, NULL);
}

PyDoc_STRVAR(put_relayed_doc, "_put_relayed(buffer, epoch, seq, stamp)");

static PyObject *channel_put_relayed(PyObject *self, PyObject *args)
{
    PyObject *object, *numbers[3];
    ach_origin_t origin;

    if (!PyArg_ParseTuple(args, "OOOO:_put_relayed", &object, &numbers[0], &numbers[1],
                          &numbers[2]))
        return NULL;
    origin.epoch = PyLong_AsUnsignedLongLong(numbers[0]);
    origin.seq = PyErr_Occurred() ? 0 : PyLong_AsUnsignedLongLong(numbers[1]);
    origin.stamp = PyErr_Occurred() ? 0 : PyLong_AsUnsignedLongLong(numbers[2]);
    return PyErr_Occurred() ? NULL : put_object(channel_of(self), object, &origin);
}

PyDoc_STRVAR(reserve_doc, "_reserve(size) -> Reservation");

static PyObject *channel_reserve(PyObject *self, PyObject *args)
{
    struct pyach_channel *c = channel_of(self);
    Py_ssize_t size;
    void *place;
    enum ach_status r;

    if (!PyArg_ParseTuple(args, "n:_reserve", &size) || pyach_channel_check(c) < 0)
        return NULL;
    if (c->rooms)
        return PyErr_Format(PyExc_BufferError,
                            "%S: a buffer of another reservation exists; delete it first", c->name);
    pyach_forget();
    r = size > 0 ? ach_reserve(&c->chan, (size_t)size, &place) : ACH_EINVAL;
    if (r == ACH_OK)
        return pyach_reservation_new(c, place, (size_t)size);
    return r == ACH_OVERFLOW ? put_failed(c, r, (size_t)size) : pyach_raise_why(r, c->name);
}

/* The other functions. */

PyDoc_STRVAR(flush_doc, "flush($self, /)\n--\n\nSkip all messages that are in the channel now.");

static PyObject *channel_flush(PyObject *self, PyObject *unused)
{
    struct pyach_channel *c = channel_of(self);
    enum ach_status r;

    (void)unused;
    if (pyach_channel_check(c) < 0)
        return NULL;
    r = ach_flush(&c->chan);
    if (r != ACH_OK)
        return pyach_raise(r, c->name);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(cancel_doc, "cancel($self, /)\n--\n\nEnd a wait of another thread with Canceled, and "
                         "let later gets raise it, "
                         "too, until resume.\nMay be called from a signal handler.");

static PyObject *channel_cancel(PyObject *self, PyObject *unused)
{
    struct pyach_channel *c = channel_of(self);
    enum ach_status r = c->open && !c->ended ? ach_cancel(&c->chan, NULL) : ACH_CLOSED;

    (void)unused;
    if (r != ACH_OK)
        return pyach_raise(r, c->name);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(resume_doc, "resume($self, /)\n--\n\nEnd the effect of cancel.");

static PyObject *channel_resume(PyObject *self, PyObject *unused)
{
    struct pyach_channel *c = channel_of(self);

    (void)unused;
    if (!c->open || c->ended)
        return pyach_raise(ACH_CLOSED, c->name);
    c->chan.cancel = 0;
    Py_RETURN_NONE;
}

PyDoc_STRVAR(
    chmod_doc,
    "chmod($self, mode, /)\n--\n\nChange the permissions of the channel, such as to 0o640.");

static PyObject *channel_chmod(PyObject *self, PyObject *args)
{
    struct pyach_channel *c = channel_of(self);
    int mode;

    if (!PyArg_ParseTuple(args, "i:chmod", &mode) || pyach_channel_check(c) < 0)
        return NULL;
    pyach_forget();
    return pyach_none(ach_chmod(&c->chan, (mode_t)mode), c->name);
}

PyDoc_STRVAR(
    fileno_doc,
    "fileno($self, /)\n--\n\nA descriptor for select, poll and asyncio. It is readable while a "
    "get without waiting would\nreturn a message. Only poll it. It belongs to the handle; "
    "a child of fork gets another one.");

static PyObject *channel_fileno(PyObject *self, PyObject *unused)
{
    struct pyach_channel *c = channel_of(self);
    enum ach_status r;
    int fd;

    (void)unused;
    if (pyach_channel_check(c) < 0)
        return NULL;
    pyach_forget();
    r = ach_channel_fd(&c->chan, &fd);
    return r == ACH_OK ? PyLong_FromLong(fd) : pyach_raise_why(r, c->name);
}

PyDoc_STRVAR(type_doc, "_type() -> (name, encoding, schema_encoding, schema, hash)");

static PyObject *channel_type(PyObject *self, PyObject *unused)
{
    struct pyach_channel *c = channel_of(self);
    const ach_channel_type_t *type;
    enum ach_status r;

    (void)unused;
    if (pyach_channel_check(c) < 0)
        return NULL;
    r = ach_channel_type(&c->chan, &type);
    if (r != ACH_OK)
        return pyach_raise(r, c->name);
    return Py_BuildValue(
        "sssy#K", type->name, type->encoding, type->schema_encoding ? type->schema_encoding : "",
        type->schema ? (const char *)type->schema : "", (Py_ssize_t)type->schema_size,
        (unsigned long long)ach_channel_type_hash(type));
}

PyDoc_STRVAR(info_doc, "_info() -> dict");

static PyObject *channel_info(PyObject *self, PyObject *unused)
{
    struct pyach_channel *c = channel_of(self);
    ach_info_t i;
    enum ach_status r;

    (void)unused;
    if (pyach_channel_check(c) < 0)
        return NULL;
    r = ach_channel_info(&c->chan, &i);
    if (r != ACH_OK)
        return pyach_raise(r, c->name);
#define BOOL(member) #member, i.member ? Py_True : Py_False
#define U64(member) #member, (unsigned long long)i.member
#define INT(member) #member, (int)i.member
    return Py_BuildValue("{sisisKsKsKsKsKsKsKsKsisisisOsOsOsOsOsOsOsOsKsKsKsKsKsisIsKsOsOsO}",
                         INT(map), INT(clock), U64(frame_cnt), U64(frame_size), U64(capacity),
                         U64(memory), U64(newest), U64(oldest), U64(recovered), U64(inode),
                         INT(mode), INT(uid), INT(gid), BOOL(timestamps), BOOL(single_writer),
                         BOOL(readonly_wake), BOOL(unlinked), BOOL(replaced), BOOL(readonly),
                         BOOL(source), BOOL(sourced), U64(seen), U64(received), U64(missed),
                         U64(overtaken), U64(slept), INT(ready), "source_pid", i.source_pid,
                         U64(epoch), BOOL(relayed), BOOL(typed), BOOL(anticipated));
#undef BOOL
#undef U64
#undef INT
}

/* Attributes. */

static PyObject *channel_seq(PyObject *self, void *unused)
{
    struct pyach_channel *c = channel_of(self);
    uint64_t seq = 0;

    (void)unused;
    if (pyach_channel_check(c) < 0)
        return NULL;
    ach_channel_seq(&c->chan, &seq);
    return PyLong_FromUnsignedLongLong(seq);
}

static PyObject *channel_missed(PyObject *self, void *unused)
{
    struct pyach_channel *c = channel_of(self);
    uint64_t last = 0, total = 0;

    (void)unused;
    if (pyach_channel_check(c) < 0)
        return NULL;
    ach_channel_missed(&c->chan, &last, &total);
    return Py_BuildValue("KK", (unsigned long long)last, (unsigned long long)total);
}

static PyObject *channel_timestamp_ns(PyObject *self, void *unused)
{
    struct pyach_channel *c = channel_of(self);
    struct timespec when;
    enum ach_status r;

    (void)unused;
    if (pyach_channel_check(c) < 0)
        return NULL;
    r = ach_channel_timestamp(&c->chan, &when);
    if (r != ACH_OK)
        return pyach_raise(r, c->name);
    return PyLong_FromUnsignedLongLong((uint64_t)when.tv_sec * 1000000000 + (uint64_t)when.tv_nsec);
}

static PyObject *channel_origin(PyObject *self, void *unused)
{
    struct pyach_channel *c = channel_of(self);
    ach_origin_t origin;
    enum ach_status r;

    (void)unused;
    if (pyach_channel_check(c) < 0)
        return NULL;
    r = ach_channel_origin(&c->chan, &origin);
    if (r != ACH_OK)
        return pyach_raise(r, c->name);
    return Py_BuildValue("KKK", (unsigned long long)origin.epoch, (unsigned long long)origin.seq,
                         (unsigned long long)origin.stamp);
}

static PyObject *channel_clock(PyObject *self, void *unused)
{
    (void)unused;
    return pyach_channel_check(channel_of(self)) < 0 ? NULL
                                                     : PyLong_FromLong(channel_of(self)->clock);
}

static PyObject *channel_map(PyObject *self, void *unused)
{
    struct pyach_channel *c = channel_of(self);
    enum ach_map map = ACH_MAP_DEFAULT;

    (void)unused;
    if (pyach_channel_check(c) < 0)
        return NULL;
    ach_channel_map(&c->chan, &map);
    return PyLong_FromLong(map);
}

static PyObject *channel_name(PyObject *self, void *unused)
{
    PyObject *name = channel_of(self)->name;

    (void)unused;
    return Py_NewRef(name ? name : Py_None);
}

static PyObject *channel_closed(PyObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(!channel_of(self)->open || channel_of(self)->ended);
}

static PyObject *channel_mapped(PyObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(channel_of(self)->open);
}

static PyObject *channel_status(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromLong(channel_of(self)->status);
}

static PyMethodDef channel_methods[] = {
    {"_open", channel_open, METH_VARARGS, open_doc},
    {"_get", channel_get, METH_VARARGS, get_doc},
    {"_view", channel_view, METH_VARARGS, view_doc},
    {"_put", channel_put, METH_O, put_doc},
    {"_put_relayed", channel_put_relayed, METH_VARARGS, put_relayed_doc},
    {"_reserve", channel_reserve, METH_VARARGS, reserve_doc},
    {"_type", channel_type, METH_NOARGS, type_doc},
    {"_info", channel_info, METH_NOARGS, info_doc},
    {"close", channel_close, METH_NOARGS, close_doc},
    {"flush", channel_flush, METH_NOARGS, flush_doc},
    {"cancel", channel_cancel, METH_NOARGS, cancel_doc},
    {"resume", channel_resume, METH_NOARGS, resume_doc},
    {"chmod", channel_chmod, METH_VARARGS, chmod_doc},
    {"fileno", channel_fileno, METH_NOARGS, fileno_doc},
    {0},
};

static PyGetSetDef channel_attributes[] = {
    {"seq", channel_seq, NULL, "sequence number of the last message got or flushed", NULL},
    {"_missed", channel_missed, NULL, NULL, NULL},
    {"_origin", channel_origin, NULL, NULL, NULL},
    {"_clock", channel_clock, NULL, NULL, NULL},
    {"_map", channel_map, NULL, NULL, NULL},
    {"_status", channel_status, NULL, NULL, NULL},
    {"timestamp_ns", channel_timestamp_ns, NULL,
     "when the last message was put, in nanoseconds on the channel's clock", NULL},
    {"name", channel_name, NULL, "name of the channel", NULL},
    {"closed", channel_closed, NULL, "True after close", NULL},
    {"mapped", channel_mapped, NULL,
     "True while the channel is mapped: it is open, or was closed while views existed", NULL},
    {0},
};

int pyach_channel_init(PyObject *module)
{
    PyType_Slot slots[] = {
        {Py_tp_dealloc, channel_dealloc},
        {Py_tp_methods, channel_methods},
        {Py_tp_getset, channel_attributes},
        {Py_tp_doc, "A handle of a channel."},
        {0, NULL},
    };
    PyType_Spec spec = {.name = "ach._ach.Channel",
                        .basicsize = sizeof(struct pyach_channel),
                        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                        .slots = slots};

    pyach_channel_class = pyach_add_class(module, &spec);
    return pyach_channel_class ? 0 : -1;
}

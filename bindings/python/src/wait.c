/* SPDX-License-Identifier: BSD-3-Clause */
/* wait.c - waiting for several channels, and the class Period */
#include "common.h"

/* Channels. */

struct waiting {
    struct pyach_channel *channels[ACH_WAIT_MAX];
    ach_wait_item_t items[ACH_WAIT_MAX];
    size_t n;
};

/* A channel that is listed twice would be used by two calls at once. */
static int waiting_init(struct waiting *w, PyObject *tuple)
{
    size_t i, k;

    w->n = (size_t)PyTuple_Size(tuple);
    if (w->n == 0 || w->n > ACH_WAIT_MAX) {
        PyErr_Format(PyExc_ValueError, "from 1 to %u channels, not %zu", ACH_WAIT_MAX, w->n);
        return -1;
    }
    for (i = 0; i < w->n; i++) {
        PyObject *c = PyTuple_GetItem(tuple, (Py_ssize_t)i);

        if (!PyObject_TypeCheck(c, pyach_channel_class)) {
            PyErr_Format(PyExc_TypeError, "expected a Channel, not %R", c);
            return -1;
        }
        w->channels[i] = (struct pyach_channel *)c;
        if (pyach_channel_check(w->channels[i]) < 0)
            return -1;
        for (k = 0; k < i; k++)
            if (w->channels[k] == w->channels[i]) {
                PyErr_SetString(PyExc_ValueError, "a channel is listed twice");
                return -1;
            }
        w->items[i].chan = &w->channels[i]->chan;
    }
    return 0;
}

static void waiting_mark(struct waiting *w, bool busy)
{
    size_t i;

    for (i = 0; i < w->n; i++) {
        if (busy)
            pyach_channel_hold(w->channels[i]);
        w->channels[i]->busy = busy;
        if (!busy)
            pyach_channel_drop(w->channels[i]);
    }
}

static enum ach_status waiting_once(struct waiting *w, const struct timespec *until, int options)
{
    enum ach_status r;
    size_t i;

    waiting_mark(w, true);
    Py_BEGIN_ALLOW_THREADS
    r = ach_wait(w->items, w->n, until, options);
    Py_END_ALLOW_THREADS
    for (i = 0; i < w->n; i++)
        if (w->channels[i]->ended) /* close was called meanwhile */
            r = ACH_CLOSED;
    waiting_mark(w, false);
    return r;
}

static PyObject *statuses(const struct waiting *w)
{
    PyObject *list = PyList_New((Py_ssize_t)w->n);
    size_t i;

    for (i = 0; list && i < w->n; i++) {
        PyObject *status = PyLong_FromLong(w->items[i].status);

        if (!status || PyList_SetItem(list, (Py_ssize_t)i, status) < 0)
            Py_CLEAR(list);
    }
    return list;
}

PyObject *pyach_wait(PyObject *module, PyObject *args)
{
    struct waiting w = {0};
    struct pyach_limit limit;
    PyObject *tuple, *timeout;
    int absolute, options;
    enum ach_status r;

    (void)module;
    if (!PyArg_ParseTuple(args, "O!Opi:wait", &PyTuple_Type, &tuple, &timeout, &absolute,
                          &options) ||
        pyach_limit_init(&limit, timeout, absolute, CLOCK_MONOTONIC) < 0)
        return NULL;
    for (;;) {
        const struct timespec *until = pyach_limit_next(&limit);

        if (waiting_init(&w, tuple) < 0) /* also if a signal handler closed one */
            return NULL;
        pyach_forget();
        r = waiting_once(&w, until, options);
        if (r != ACH_TIMEOUT || limit.last)
            break;
        if (PyErr_CheckSignals() < 0)
            return NULL;
    }
    return r == ACH_OK ? statuses(&w) : pyach_raise_why(r, NULL);
}

/* Periods. */

struct period {
    PyObject_HEAD;
    ach_period_t period;
};

static struct period *period_of(PyObject *self)
{
    return (struct period *)self;
}

static int period_init(PyObject *self, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"seconds", NULL};
    double seconds;

    if (!PyArg_ParseTupleAndKeywords(args, keywords, "d:Period", names, &seconds))
        return -1;
    if (!(seconds >= 1e-9 && seconds < 1e9)) {
        ach_errstr_set(ACH_EINVAL, "a period must be from 1 nanosecond to 1e9 seconds");
        pyach_raise_why(ACH_EINVAL, NULL);
        return -1;
    }
    ach_period_init(&period_of(self)->period, (int64_t)(seconds * 1e9 + 0.5));
    return 0;
}

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * (int64_t)1000000000 + now.tv_nsec;
}

/* ach_period_wait ignores signals, so sleep through most of a long period before. */
static int period_sleep(const ach_period_t *p)
{
    while (p->next - now_ns() > 2 * (int64_t)PYACH_SLICE_NS) {
        const struct timespec slice = {.tv_nsec = PYACH_SLICE_NS};

        Py_BEGIN_ALLOW_THREADS
        clock_nanosleep(CLOCK_MONOTONIC, 0, &slice, NULL);
        Py_END_ALLOW_THREADS
        if (PyErr_CheckSignals() < 0)
            return -1;
    }
    return 0;
}

PyDoc_STRVAR(period_wait_doc, "wait($self, /)\n--\n\nSleep until the next period begins.\n\n"
                              "Returns the number of periods that were missed, because the program "
                              "was still working.");

static PyObject *period_wait(PyObject *self, PyObject *unused)
{
    ach_period_t p = period_of(self)->period;
    uint64_t missed = 0;
    enum ach_status r;

    (void)unused;
    if (period_sleep(&p) < 0)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    r = ach_period_wait(&p, &missed);
    Py_END_ALLOW_THREADS
    period_of(self)->period = p;
    if (r != ACH_OK)
        return pyach_raise(r, NULL);
    return PyLong_FromUnsignedLongLong(missed);
}

static PyObject *period_iter(PyObject *self)
{
    return Py_NewRef(self);
}

static PyObject *period_next(PyObject *self)
{
    return period_wait(self, NULL);
}

static void period_dealloc(PyObject *self)
{
    pyach_free(self);
}

static PyMethodDef period_methods[] = {
    {"wait", period_wait, METH_NOARGS, period_wait_doc},
    {0},
};

PyDoc_STRVAR(
    period_doc,
    "Period(seconds)\n--\n\nA steady rate for a control loop. Iterating waits for the next "
    "period, and yields\nthe number of periods that were missed:\n\n"
    "    for missed in ach.Period(0.01):\n        ...\n\n"
    "Under `ach sim` periods run on simulated time.");

int pyach_period_init(PyObject *module)
{
    PyType_Slot slots[] = {
        {Py_tp_new, PyType_GenericNew},  {Py_tp_init, period_init},
        {Py_tp_dealloc, period_dealloc}, {Py_tp_iter, period_iter},
        {Py_tp_iternext, period_next},   {Py_tp_methods, period_methods},
        {Py_tp_doc, (void *)period_doc}, {0, NULL},
    };
    PyType_Spec spec = {.name = "ach.Period",
                        .basicsize = sizeof(struct period),
                        .flags = Py_TPFLAGS_DEFAULT,
                        .slots = slots};

    return pyach_add_class(module, &spec) ? 0 : -1;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "common.h"

#include <math.h>
#include <unistd.h>

#define NS_PER_S 1000000000L

/* Times further away than this, in seconds, are never reached. */
#define NEVER 1e15

static struct timespec time_after(struct timespec from, double seconds)
{
    double whole = floor(seconds);

    from.tv_sec += (time_t)whole;
    from.tv_nsec += (long)((seconds - whole) * 1e9);
    if (from.tv_nsec >= NS_PER_S) {
        from.tv_sec++;
        from.tv_nsec -= NS_PER_S;
    }
    return from;
}

static bool time_is_before(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

int pyach_limit_init(struct pyach_limit *limit, PyObject *timeout, bool absolute, clockid_t clock)
{
    struct timespec from = {0};
    double seconds;

    *limit = (struct pyach_limit){.clock = clock, .forever = true};
    if (timeout == Py_None)
        return 0;
    seconds = PyFloat_AsDouble(timeout);
    if (seconds == -1.0 && PyErr_Occurred())
        return -1;
    if (isnan(seconds)) {
        PyErr_SetString(PyExc_ValueError, "a timeout must be a number, not NaN");
        return -1;
    }
    limit->forever = seconds > NEVER;
    if (limit->forever)
        return 0;
    if (!absolute)
        clock_gettime(clock, &from);
    limit->at = time_after(from, seconds > 0 ? seconds : 0);
    return 0;
}

const struct timespec *pyach_limit_next(struct pyach_limit *limit)
{
    struct timespec now;

    limit->last = true;
    if (!limit->sliced && gettid() != getpid()) /* not the main thread */
        return limit->forever ? NULL : &limit->at;
    clock_gettime(limit->clock, &now);
    limit->next = time_after(now, PYACH_SLICE_NS * 1e-9);
    limit->last = !limit->forever && !time_is_before(&limit->next, &limit->at);
    if (limit->last)
        limit->next = limit->at;
    return &limit->next;
}

double pyach_limit_seconds(struct pyach_limit *limit)
{
    const struct timespec *next = pyach_limit_next(limit);
    struct timespec now;
    double left;

    if (!next)
        return -1;
    clock_gettime(limit->clock, &now);
    left = (double)(next->tv_sec - now.tv_sec) + (double)(next->tv_nsec - now.tv_nsec) * 1e-9;
    return left > 0 ? left : 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* jobs.c - commands that wait: get, view, wait, poll and device_get */
#include "gateway.h"

#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

/* A wait is cut into slices of that many seconds. Between two, the interpreter notices Ctrl-C. */
#define SLICE_SECONDS 0.1

struct oct_job_kind {
    const char *name;
    void (*parse)(struct oct_job *j, const struct oct_call *c);
    void (*run)(struct oct_job *j, double seconds);
    void (*finish)(struct oct_job *j, mxArray **result);
    int results;
};

static struct timespec timespec_of(double seconds)
{
    double whole = floor(fmin(seconds, 1e9)); /* 30 years */

    return (struct timespec){(time_t)whole, (long)((fmin(seconds, 1e9) - whole) * 1e9)};
}

/* A failure is thrown if the caller has no variable for the status. */
static void job_throw(const struct oct_job *j, bool allow_nothing)
{
    bool fine = j->status == ACH_OK || j->status == ACH_MISSED_FRAME ||
                (allow_nothing && j->status == ACH_EAGAIN);

    if (!fine && j->outputs < 2)
        oct_throw_status(j->status);
}

static mxArray *empty(void)
{
    return mxCreateDoubleMatrix(0, 0, mxREAL);
}

/* The options that tell which message to get, and how long to wait for it. */
struct get_options {
    bool wait, last, copy, linked;
    double timeout;
    char *class;
};

static void get_options_use(struct oct_job *j, const struct get_options *o)
{
    if (o->timeout >= 0 && !o->wait)
        oct_throw(ACH_EINVAL, "'timeout' needs 'wait', true");
    j->timeout = !o->wait ? 0 : o->timeout >= 0 ? o->timeout : INFINITY;
    j->options = ACH_O_RELTIME | (o->wait ? ACH_O_WAIT : 0) | (o->last ? ACH_O_LAST : 0) |
                 (o->copy ? ACH_O_COPY : 0) | (o->linked ? ACH_O_LINKED : 0);
    j->class = o->class ? oct_class_named(o->class) : mxUINT8_CLASS;
}

static void job_handle_one(struct oct_job *j, const struct oct_call *c, enum oct_kind kind)
{
    if (c->count < 1)
        oct_throw(ACH_EINVAL, "expected a handle, found nothing");
    j->handles[0] = oct_handle(c->argument[0], kind);
    j->count = 1;
}

/* The arguments of get and view, which have one option each that the other does not have. */
static void message_parse(struct oct_job *j, const struct oct_call *c, struct oct_option own)
{
    struct get_options o = {.timeout = -1};
    const struct oct_option options[] = {{"wait", OPTION_FLAG, &o.wait},
                                         {"last", OPTION_FLAG, &o.last},
                                         {"copy", OPTION_FLAG, &o.copy},
                                         {"linked", OPTION_FLAG, &o.linked},
                                         {"timeout", OPTION_SECONDS, &o.timeout},
                                         {"class", OPTION_TEXT, &o.class},
                                         own,
                                         {0}};

    job_handle_one(j, c, OCT_CHANNEL);
    oct_options(c, 1, options);
    get_options_use(j, &o);
}

static void get_parse(struct oct_job *j, const struct oct_call *c)
{
    j->limit = UINT64_MAX;
    message_parse(j, c, (struct oct_option){"size", OPTION_COUNT, &j->limit});
}

static bool buffer_grow(struct oct_handle *h, size_t size)
{
    void *larger = realloc(h->buffer, size);

    if (!larger) {
        ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a message of %zu bytes", size);
        return false;
    }
    h->buffer = larger;
    h->buffer_size = size;
    return true;
}

/* The buffer grows until the message fits. It never exceeds the channel's capacity. */
static void get_run(struct oct_job *j, double seconds)
{
    struct oct_handle *h = j->handles[0];
    struct timespec timeout = timespec_of(seconds);

    do {
        size_t room = h->buffer_size < j->limit ? h->buffer_size : (size_t)j->limit;

        j->status = ach_get(&h->chan, h->buffer, room, &j->size, &timeout, j->options);
        if (j->status != ACH_OVERFLOW || j->size > j->limit)
            return;
    } while (buffer_grow(h, j->size));
    j->status = ACH_FAILED_SYSCALL;
}

static bool job_got(const struct oct_job *j)
{
    return j->status == ACH_OK || j->status == ACH_MISSED_FRAME;
}

/* Results: the message, the status, the size of the message. */
static void get_finish(struct oct_job *j, mxArray **result)
{
    job_throw(j, true);
    result[0] = job_got(j)
                    ? oct_message_value(j->handles[0], j->class, j->handles[0]->buffer, j->size)
                    : empty();
    result[1] = mxCreateString(oct_status_name(j->status));
    result[2] = mxCreateDoubleScalar(job_got(j) || j->status == ACH_OVERFLOW ? (double)j->size : 0);
}

static void view_parse(struct oct_job *j, const struct oct_call *c)
{
    const mxArray *range = NULL;
    const double *ends;

    j->first = 1;
    j->last = UINT64_MAX;
    message_parse(j, c, (struct oct_option){"range", OPTION_ARRAY, &range});
    if (!range)
        return;
    if (!mxIsDouble(range) || mxIsComplex(range) || mxGetNumberOfElements(range) != 2)
        oct_throw(ACH_EINVAL, "expected range as [first last]");
    ends = mxGetData(range);
    if (!(ends[0] >= 1 && ends[0] <= ends[1] && ends[1] < 0x1p53))
        oct_throw(ACH_EINVAL, "expected range as [first last] from 1, found [%g %g]", ends[0],
                  ends[1]);
    j->first = (uint64_t)ends[0];
    j->last = (uint64_t)ends[1];
}

static void view_run(struct oct_job *j, double seconds)
{
    struct timespec timeout = timespec_of(seconds);

    j->status = ach_view(&j->handles[0]->chan, &j->view, &j->size, &timeout, j->options);
}

/* The value of the bytes in view. They may change meanwhile, so decode only a checked copy. */
static mxArray *view_value(struct oct_job *j)
{
    uint64_t last = j->last < j->size ? j->last : j->size;
    uint64_t first = j->first <= last ? j->first : last + 1;
    const void *bytes = (const uint8_t *)j->view + first - 1;
    size_t count = (size_t)(last + 1 - first);
    struct oct_handle *h = j->handles[0];
    bool decode = j->class == mxSTRUCT_CLASS;
    mxArray *value = NULL;

    if (decode)
        bytes = memcpy(mxMalloc(count + 1), bytes, count);
    else
        value = oct_message_value(h, j->class, bytes, count);
    j->status = ach_view_check(&h->chan) == ACH_OK
                    ? j->status
                    : ach_errstr_set(ACH_EAGAIN, "the message was overwritten while it was copied");
    if (!job_got(j)) {
        job_throw(j, false);
        return empty();
    }
    return decode ? oct_message_value(h, j->class, bytes, count) : value;
}

/* Results as of get. */
static void view_finish(struct oct_job *j, mxArray **result)
{
    job_throw(j, true);
    result[0] = job_got(j) ? view_value(j) : empty();
    result[1] = mxCreateString(oct_status_name(j->status));
    result[2] = mxCreateDoubleScalar(job_got(j) ? (double)j->size : 0);
}

/* The handles of an array of numbers, of any of the kinds if @any. */
static void handles_parse(struct oct_job *j, const struct oct_call *c, bool any)
{
    const mxArray *a = c->count < 1 ? NULL : c->argument[0];

    if (!a || !mxIsUint64(a) || mxIsComplex(a))
        oct_throw(ACH_EINVAL, "expected an array of handles, found %s",
                  a ? mxGetClassName(a) : "nothing");
    j->count = mxGetNumberOfElements(a);
    if (j->count < 1 || j->count > ACH_WAIT_MAX)
        oct_throw(ACH_EINVAL, "expected 1 to %u handles, found %zu", ACH_WAIT_MAX, j->count);
    for (size_t i = 0; i < j->count; i++) {
        j->handles[i] = oct_handle_of_id(((const uint64_t *)mxGetData(a))[i]);
        if (j->handles[i]->kind != OCT_CHANNEL && !(any && j->handles[i]->kind == OCT_DEVICE))
            oct_throw(ACH_EINVAL, "expected handles of channels%s; number %zu is of another kind",
                      any ? " or devices" : "", i + 1);
    }
}

static void wait_parse(struct oct_job *j, const struct oct_call *c)
{
    bool linked = false;
    const struct oct_option options[] = {
        {"timeout", OPTION_SECONDS, &j->timeout}, {"linked", OPTION_FLAG, &linked}, {0}};

    j->timeout = INFINITY;
    handles_parse(j, c, false);
    oct_options(c, 1, options);
    j->options = ACH_O_RELTIME | (linked ? ACH_O_LINKED : 0);
}

static void wait_run(struct oct_job *j, double seconds)
{
    struct timespec timeout = timespec_of(seconds);

    for (size_t i = 0; i < j->count; i++)
        j->items[i] = (ach_wait_item_t){.chan = &j->handles[i]->chan, .status = ACH_EAGAIN};
    j->status = ach_wait(j->items, j->count, &timeout, j->options);
}

/* Results: the statuses of the handles, the status of the wait. */
static void wait_finish(struct oct_job *j, mxArray **result)
{
    job_throw(j, false);
    result[0] = mxCreateCellMatrix(1, (mwSize)j->count);
    for (size_t i = 0; i < j->count; i++)
        mxSetCell(result[0], (mwIndex)i, mxCreateString(oct_status_name(j->items[i].status)));
    result[1] = mxCreateString(oct_status_name(j->status));
}

static void poll_parse(struct oct_job *j, const struct oct_call *c)
{
    const struct oct_option options[] = {{"timeout", OPTION_SECONDS, &j->timeout}, {0}};

    j->timeout = INFINITY;
    handles_parse(j, c, true);
    oct_options(c, 1, options);
}

static void poll_run(struct oct_job *j, double seconds)
{
    struct pollfd polls[ACH_WAIT_MAX];
    int ready;

    for (size_t i = 0; i < j->count; i++) {
        struct oct_handle *h = j->handles[i];

        polls[i] = (struct pollfd){.events = POLLIN};
        if (h->kind == OCT_DEVICE)
            polls[i].fd = ach_device_fd(h->device);
        else
            j->status = ach_channel_fd(&h->chan, &polls[i].fd);
        if (j->status != ACH_OK)
            return;
    }
    ready = poll(polls, j->count, (int)fmin(ceil(seconds * 1000), 1e9));
    for (size_t i = 0; i < j->count; i++)
        j->ready[i] = ready > 0 && (polls[i].revents & POLLIN);
    if (ready <= 0) /* a signal ends a slice, so that Ctrl-C is noticed at once */
        j->status = ACH_TIMEOUT;
}

/* Result: which handles are ready. No handle is ready after a timeout. */
static void poll_finish(struct oct_job *j, mxArray **result)
{
    if (j->status != ACH_TIMEOUT)
        oct_check(j->status);
    result[0] = mxCreateLogicalMatrix(1, (mwSize)j->count);
    for (size_t i = 0; i < j->count; i++)
        mxGetLogicals(result[0])[i] = j->ready[i];
}

static void device_get_parse(struct oct_job *j, const struct oct_call *c)
{
    struct get_options o = {.timeout = -1};
    const struct oct_option options[] = {{"wait", OPTION_FLAG, &o.wait},
                                         {"last", OPTION_FLAG, &o.last},
                                         {"timeout", OPTION_SECONDS, &o.timeout},
                                         {0}};
    const char *name;

    job_handle_one(j, c, OCT_DEVICE);
    name = c->count < 2 ? "" : oct_text(c->argument[1], "the name of a message");
    j->subtype =
        *name ? oct_message_def(j->handles[0], ACH_MSG_DATA, name)->subtype : ACH_SUBTYPE_ANY;
    oct_options(c, 2, options);
    get_options_use(j, &o);
}

static void device_get_run(struct oct_job *j, double seconds)
{
    j->status = ach_device_get(j->handles[0]->device, j->subtype, seconds, j->options, &j->message);
}

/* Results: the message, the status, the header. */
static void device_get_finish(struct oct_job *j, mxArray **result)
{
    job_throw(j, true);
    if (job_got(j))
        oct_hold_message(j->message);
    result[0] = job_got(j) ? oct_device_value(j->message) : empty();
    result[1] = mxCreateString(oct_status_name(j->status));
    result[2] = job_got(j) ? oct_device_header(j->message) : empty();
}

static const struct oct_job_kind kinds[] = {
    {"get", get_parse, get_run, get_finish, 3},
    {"view", view_parse, view_run, view_finish, 3},
    {"wait", wait_parse, wait_run, wait_finish, 2},
    {"poll", poll_parse, poll_run, poll_finish, 1},
    {"device_get", device_get_parse, device_get_run, device_get_finish, 3},
};

const struct oct_job_kind *oct_job_named(const char *name)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}

void oct_job_parse(struct oct_job *j, const struct oct_job_kind *kind, unsigned outputs,
                   const struct oct_call *c)
{
    *j = (struct oct_job){.kind = kind, .outputs = outputs};
    kind->parse(j, c);
}

void oct_job_run(struct oct_job *j, double seconds)
{
    j->kind->run(j, seconds);
}

static void results_check(const struct oct_job_kind *kind, const struct oct_call *c, int first)
{
    if (c->results < first + kind->results)
        oct_throw(ACH_EINVAL, "ach_mex: expected %d results, found %d", first + kind->results,
                  c->results);
}

void oct_job_finish(struct oct_job *j, const struct oct_call *c, int first)
{
    results_check(j->kind, c, first);
    j->kind->finish(j, c->result + first);
}

void oct_job_slice(const struct oct_job_kind *kind, struct oct_call *c)
{
    double left, slices;
    struct oct_job job;
    unsigned outputs;

    results_check(kind, c, 1);
    if (c->count < 2)
        oct_throw(ACH_EINVAL, "ach_mex: too few arguments");
    slices = oct_number(c->argument[0], "the number of slices");
    outputs = (unsigned)oct_count(c->argument[1], "the number of outputs");
    c->argument += 2;
    c->count -= 2;
    oct_job_parse(&job, kind, outputs, c);
    left = fmax(job.timeout - slices * SLICE_SECONDS, 0);
    oct_job_run(&job, fmin(left, SLICE_SECONDS));
    if (job.status == ACH_TIMEOUT && left > SLICE_SECONDS) {
        for (int i = 1; i < c->results; i++)
            c->result[i] = empty();
        c->result[0] = mxCreateLogicalScalar(false);
        return;
    }
    c->result[0] = mxCreateLogicalScalar(true);
    oct_job_finish(&job, c, 1);
}

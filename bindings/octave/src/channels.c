/* SPDX-License-Identifier: BSD-3-Clause */
/* channels.c - commands for channels, except those that wait */
#include "api.h"
#include "gateway.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A member of a struct as text; NULL: it is missing. */
static char *member_text(const mxArray *s, const char *name)
{
    const mxArray *a = mxGetField(s, 0, name);

    return a ? oct_text(a, name) : NULL;
}

/* A type, from a struct as ach_channel_type returns it. NULL: none was given. */
static const ach_channel_type_t *type_of(const mxArray *s, ach_channel_type_t *type)
{
    const mxArray *schema;

    *type = (ach_channel_type_t){0};
    if (!s)
        return NULL;
    if (!mxIsStruct(s) || mxGetNumberOfElements(s) != 1)
        oct_throw(ACH_EINVAL, "expected type as a struct with name, encoding, schema_encoding and "
                              "schema");
    type->name = member_text(s, "name");
    type->encoding = member_text(s, "encoding");
    type->schema_encoding = member_text(s, "schema_encoding");
    schema = mxGetField(s, 0, "schema");
    if (schema)
        type->schema = oct_bytes(schema, "schema", &type->schema_size);
    return type;
}

static enum ach_map map_of(const char *name)
{
    return (enum ach_map)oct_name_value(oct_maps, name, "kind of channel");
}

/* Seconds as nanoseconds. */
static uint64_t nanoseconds_of(double seconds)
{
    return seconds < 1e9 ? (uint64_t)(seconds * 1e9 + 0.5) : (uint64_t)1e18;
}

/* What ach_create is called with. */
struct creation {
    uint64_t count, size;
    ach_create_attr_t attr;
    ach_channel_type_t type; /* attr may point to it */
};

static void creation_parse(struct creation *n, const struct oct_call *c)
{
    bool truncate = false, replace_corrupt = false, timestamps = false, readonly_wake = false;
    bool single_writer = false, relayed = false, anticipated = false;
    char *map = NULL, *clock = NULL;
    const mxArray *type = NULL, *mode = NULL;
    const struct oct_option options[] = {{"count", OPTION_COUNT, &n->count},
                                         {"size", OPTION_COUNT, &n->size},
                                         {"map", OPTION_TEXT, &map},
                                         {"truncate", OPTION_FLAG, &truncate},
                                         {"replace_corrupt", OPTION_FLAG, &replace_corrupt},
                                         {"timestamps", OPTION_FLAG, &timestamps},
                                         {"readonly_wake", OPTION_FLAG, &readonly_wake},
                                         {"single_writer", OPTION_FLAG, &single_writer},
                                         {"relayed", OPTION_FLAG, &relayed},
                                         {"anticipated", OPTION_FLAG, &anticipated},
                                         {"clock", OPTION_TEXT, &clock},
                                         {"mode", OPTION_ARRAY, &mode},
                                         {"type", OPTION_ARRAY, &type},
                                         {0}};

    oct_options(c, 1, options);
    ach_create_attr_init(&n->attr);
    if (map)
        ach_create_attr_set_map(&n->attr, map_of(map));
    ach_create_attr_set_truncate(&n->attr, truncate);
    ach_create_attr_set_replace_corrupt(&n->attr, replace_corrupt);
    ach_create_attr_set_timestamps(&n->attr, timestamps);
    ach_create_attr_set_readonly_wake(&n->attr, readonly_wake);
    ach_create_attr_set_single_writer(&n->attr, single_writer);
    ach_create_attr_set_relayed(&n->attr, relayed);
    ach_create_attr_set_anticipated(&n->attr, anticipated);
    if (clock)
        ach_create_attr_set_clock(&n->attr, oct_name_value(oct_clocks, clock, "clock"));
    if (mode)
        oct_check(ach_create_attr_set_mode(&n->attr, oct_mode(mode)));
    ach_create_attr_set_type(&n->attr, type_of(type, &n->type));
}

/* A channel in the memory of this process. The result is the handle of the memory. */
static void heap_create(struct creation *n, const struct oct_call *c)
{
    struct oct_handle *heap = oct_handle_new(OCT_HEAP);
    enum ach_status status = ach_create("", n->count, n->size, &n->attr);

    if (status != ACH_OK) {
        oct_handle_drop(heap);
        oct_throw_status(status);
    }
    heap->memory = n->attr.shm;
    heap->users = 1;
    c->result[0] = oct_uint64(heap->id);
}

static void run_create(const struct oct_call *c)
{
    const char *name = oct_text(c->argument[0], "the name of a channel");
    struct creation n = {0};

    creation_parse(&n, c);
    if (n.attr.map == ACH_MAP_ANON) {
        heap_create(&n, c);
        return;
    }
    oct_check(ach_create(name, n.count, n.size, &n.attr));
    c->result[0] = mxCreateDoubleMatrix(0, 0, mxREAL);
}

/* @type is memory for a type that @attr points to. @heap is NULL for a channel that has a name. */
static void open_parse(ach_attr_t *attr, ach_channel_type_t *type, const struct oct_handle *heap,
                       const struct oct_call *c)
{
    bool readonly = false, source = false;
    double spin = 0, lock_timeout = 0;
    char *map = NULL;
    const mxArray *type_value = NULL;
    const struct oct_option options[] = {{"readonly", OPTION_FLAG, &readonly},
                                         {"source", OPTION_FLAG, &source},
                                         {"spin", OPTION_SECONDS, &spin},
                                         {"lock_timeout", OPTION_SECONDS, &lock_timeout},
                                         {"map", OPTION_TEXT, &map},
                                         {"type", OPTION_ARRAY, &type_value},
                                         {0}};

    oct_options(c, 1, options);
    ach_attr_init(attr);
    if (map)
        ach_attr_set_map(attr, map_of(map));
    if (heap)
        ach_attr_set_shm(attr, heap->memory);
    else if (attr->map == ACH_MAP_ANON)
        oct_throw(ACH_EINVAL, "a heap channel is opened by what ach_create returned, not by name");
    ach_attr_set_readonly(attr, readonly);
    ach_attr_set_lock_source(attr, source);
    ach_attr_set_spin(attr, nanoseconds_of(spin));
    ach_attr_set_lock_timeout(attr, nanoseconds_of(lock_timeout));
    ach_attr_set_type(attr, type_of(type_value, type));
}

static void run_open(const struct oct_call *c)
{
    struct oct_handle *heap =
        mxIsUint64(c->argument[0]) ? oct_handle(c->argument[0], OCT_HEAP) : NULL;
    const char *name = heap ? "" : oct_text(c->argument[0], "the name of a channel");
    ach_channel_type_t type;
    struct oct_handle *h;
    enum ach_status status;
    ach_attr_t attr;

    open_parse(&attr, &type, heap, c);
    h = oct_handle_new(OCT_CHANNEL);
    status = ach_open(&h->chan, name, &attr);
    if (status != ACH_OK) {
        oct_handle_drop(h);
        oct_throw_status(status);
    }
    h->heap = heap;
    if (heap)
        heap->users++;
    c->result[0] = oct_uint64(h->id);
}

static void run_close(const struct oct_call *c)
{
    if (!mxIsChar(c->argument[0]))
        oct_check(oct_handle_close(oct_handle_any(c->argument[0])));
    else if (strcmp(oct_text(c->argument[0], "all"), "all") == 0)
        oct_handles_close();
    else
        oct_throw(ACH_EINVAL, "expected a handle or 'all'");
}

static void run_unlink(const struct oct_call *c)
{
    oct_check(ach_unlink(oct_text(c->argument[0], "the name of a channel")));
}

/* The names that ach_list finds. */
struct names {
    char (*name)[ACH_CHAN_NAME_MAX];
    size_t count;
};

static enum ach_status names_add(void *context, const char *name, enum ach_map map)
{
    struct names *all = context;
    void *longer = realloc(all->name, (all->count + 1) * sizeof(all->name[0]));

    (void)map;
    if (!longer)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for the names of channels");
    all->name = longer;
    snprintf(all->name[all->count++], sizeof(all->name[0]), "%s", name);
    return ACH_OK;
}

static void run_list(const struct oct_call *c)
{
    struct names all = {0};
    enum ach_status status = ach_list(names_add, &all);

    oct_hold_body(all.name);
    oct_check(status);
    c->result[0] = mxCreateCellMatrix(1, (mwSize)all.count);
    for (size_t i = 0; i < all.count; i++)
        mxSetCell(c->result[0], (mwIndex)i, mxCreateString(all.name[i]));
}

/* The handle that a command names first. */
static struct oct_handle *first(const struct oct_call *c)
{
    return oct_handle(c->argument[0], OCT_CHANNEL);
}

static void run_chmod(const struct oct_call *c)
{
    oct_check(ach_chmod(&first(c)->chan, oct_mode(c->argument[1])));
}

/* Encode a struct into a reservation. */
static void put_struct(struct oct_handle *h, const mxArray *value)
{
    const ach_type_t *type = oct_message_type(h);
    const void *body = oct_body_of(type, value);
    enum ach_status status;
    size_t size;
    void *room;

    oct_check(ach_cdr_encoded_size(type, body, &size));
    h->room = NULL;
    oct_check(ach_reserve(&h->chan, size, &room));
    status = ach_cdr_encode(type, body, room, size, &size);
    if (status == ACH_OK)
        status = ach_commit(&h->chan, size);
    if (status != ACH_OK)
        ach_abort(&h->chan);
    oct_check(status);
}

static void run_put(const struct oct_call *c)
{
    struct oct_handle *h = first(c);
    const void *bytes;
    size_t size;

    if (mxIsStruct(c->argument[1])) {
        put_struct(h, c->argument[1]);
        return;
    }
    bytes = oct_bytes(c->argument[1], "a message", &size);
    oct_check(ach_put(&h->chan, bytes, size));
}

static uint64_t member_count(const mxArray *s, const char *name)
{
    const mxArray *a = mxIsStruct(s) ? mxGetField(s, 0, name) : NULL;

    if (!a)
        oct_throw(ACH_EINVAL, "expected an origin as a struct with epoch, seq and stamp");
    return oct_count(a, name);
}

static void run_put_relayed(const struct oct_call *c)
{
    struct oct_handle *h = first(c);
    const mxArray *s = c->argument[2];
    size_t size;
    const void *bytes = oct_bytes(c->argument[1], "a message", &size);
    ach_origin_t origin = {.epoch = member_count(s, "epoch"),
                           .seq = member_count(s, "seq"),
                           .stamp = member_count(s, "stamp")};

    oct_check(ach_put_relayed(&h->chan, bytes, size, &origin));
}

static void run_reserve(const struct oct_call *c)
{
    struct oct_handle *h = first(c);
    size_t size = oct_count(c->argument[1], "the size of a reservation");
    void *room;

    h->room = NULL;
    oct_check(ach_reserve(&h->chan, size, &room));
    h->room = room;
    h->room_size = size;
}

static void run_write(const struct oct_call *c)
{
    struct oct_handle *h = first(c);
    size_t size, offset = c->count > 2 ? oct_count(c->argument[2], "an offset") : 0;
    const void *bytes = oct_bytes(c->argument[1], "a part of a message", &size);

    if (!h->room)
        oct_throw(ACH_EINVAL, "there is no reservation to write to: call ach_reserve");
    if (offset > h->room_size || size > h->room_size - offset)
        oct_throw(ACH_EINVAL, "%zu bytes at offset %zu do not fit into a reservation of %zu", size,
                  offset, h->room_size);
    if (size > 0)
        memcpy(h->room + offset, bytes, size);
}

static void run_commit(const struct oct_call *c)
{
    struct oct_handle *h = first(c);
    size_t size = c->count > 1 ? oct_count(c->argument[1], "the size of a message") : h->room_size;
    enum ach_status status = ach_commit(&h->chan, size);

    if (status != ACH_EINVAL && status != ACH_LOCKED)
        h->room = NULL;
    oct_check(status);
}

static void run_abort(const struct oct_call *c)
{
    struct oct_handle *h = first(c);

    h->room = NULL;
    oct_check(ach_abort(&h->chan));
}

static void run_check(const struct oct_call *c)
{
    oct_check(ach_view_check(&first(c)->chan));
}

static void run_flush(const struct oct_call *c)
{
    oct_check(ach_flush(&first(c)->chan));
}

static void run_cancel(const struct oct_call *c)
{
    oct_check(ach_cancel(&first(c)->chan, NULL));
}

static void run_resume(const struct oct_call *c)
{
    first(c)->chan.cancel = 0;
}

static void run_seq(const struct oct_call *c)
{
    uint64_t seq;

    oct_check(ach_channel_seq(&first(c)->chan, &seq));
    c->result[0] = oct_uint64(seq);
}

static void run_missed(const struct oct_call *c)
{
    uint64_t last, total;

    oct_check(ach_channel_missed(&first(c)->chan, &last, &total));
    c->result[0] = oct_uint64(last);
    if (c->results > 1)
        c->result[1] = oct_uint64(total);
}

static void run_timestamp(const struct oct_call *c)
{
    struct timespec when;

    oct_check(ach_channel_timestamp(&first(c)->chan, &when));
    c->result[0] = mxCreateDoubleScalar((double)when.tv_sec + (double)when.tv_nsec * 1e-9);
}

static void run_origin(const struct oct_call *c)
{
    ach_origin_t o;

    oct_check(ach_channel_origin(&first(c)->chan, &o));
    c->result[0] = mxCreateStructMatrix(1, 1, 0, NULL);
    oct_field(c->result[0], "epoch", oct_uint64(o.epoch));
    oct_field(c->result[0], "seq", oct_uint64(o.seq));
    oct_field(c->result[0], "stamp", oct_uint64(o.stamp));
}

static void run_type(const struct oct_call *c)
{
    const ach_channel_type_t *t;
    mxArray *s;

    oct_check(ach_channel_type(&first(c)->chan, &t));
    s = c->result[0] = mxCreateStructMatrix(1, 1, 0, NULL);
    oct_field(s, "name", mxCreateString(t->name));
    oct_field(s, "encoding", mxCreateString(t->encoding));
    oct_field(s, "schema_encoding", mxCreateString(t->schema_encoding));
    oct_field(s, "schema", oct_char(t->schema, t->schema_size));
    oct_field(s, "hash", oct_uint64(ach_channel_type_hash(t)));
}

#define INFO_NUMBER(member) oct_field(s, #member, oct_uint64(info.member));
#define INFO_FLAG(member) oct_field(s, #member, mxCreateLogicalScalar(info.member));

static void run_info(const struct oct_call *c)
{
    ach_info_t info;
    mxArray *s;

    oct_check(ach_channel_info(&first(c)->chan, &info));
    s = c->result[0] = mxCreateStructMatrix(1, 1, 0, NULL);
    oct_field(s, "map", mxCreateString(oct_name_of(oct_maps, (int)info.map)));
    oct_field(s, "clock", mxCreateString(oct_name_of(oct_clocks, info.clock)));
    oct_field(s, "ready", mxCreateString(oct_name_of(oct_readies, (int)info.ready)));
    OCT_INFO_NUMBERS(INFO_NUMBER)
    OCT_INFO_FLAGS(INFO_FLAG)
}

static void run_fd(const struct oct_call *c)
{
    struct oct_handle *h = oct_handle_any(c->argument[0]);
    int fd = -1;

    if (h->kind == OCT_DEVICE)
        fd = ach_device_fd(h->device);
    else
        oct_check(ach_channel_fd(&oct_handle(c->argument[0], OCT_CHANNEL)->chan, &fd));
    c->result[0] = mxCreateDoubleScalar(fd);
}

static void run_path(const struct oct_call *c)
{
    char path[4096];

    oct_check(
        ach_channel_path(oct_text(c->argument[0], "the name of a channel"), path, sizeof(path)));
    c->result[0] = mxCreateString(path);
}

static void run_period(const struct oct_call *c)
{
    double seconds = oct_number(c->argument[0], "the length of a period in seconds");
    ach_period_t period;
    struct oct_handle *h;

    if (!(seconds > 0 && seconds < 1e9))
        oct_throw(ACH_EINVAL, "expected the length of a period as seconds above 0, found %g",
                  seconds);
    oct_check(ach_period_init(&period, (int64_t)nanoseconds_of(seconds)));
    h = oct_handle_new(OCT_PERIOD);
    h->period = period;
    c->result[0] = oct_uint64(h->id);
}

static void run_period_wait(const struct oct_call *c)
{
    uint64_t missed;

    oct_check(ach_period_wait(&oct_handle(c->argument[0], OCT_PERIOD)->period, &missed));
    c->result[0] = oct_uint64(missed);
}

static void run_sigbus(const struct oct_call *c)
{
    (void)c;
    oct_check(ach_handle_sigbus());
}

const struct oct_command oct_channel_commands[] = {{"create", 1, run_create},
                                                   {"open", 1, run_open},
                                                   {"close", 1, run_close},
                                                   {"unlink", 1, run_unlink},
                                                   {"list", 0, run_list},
                                                   {"chmod", 2, run_chmod},
                                                   {"put", 2, run_put},
                                                   {"put_relayed", 3, run_put_relayed},
                                                   {"reserve", 2, run_reserve},
                                                   {"write", 2, run_write},
                                                   {"commit", 1, run_commit},
                                                   {"abort", 1, run_abort},
                                                   {"check", 1, run_check},
                                                   {"flush", 1, run_flush},
                                                   {"cancel", 1, run_cancel},
                                                   {"resume", 1, run_resume},
                                                   {"seq", 1, run_seq},
                                                   {"missed", 1, run_missed},
                                                   {"timestamp", 1, run_timestamp},
                                                   {"origin", 1, run_origin},
                                                   {"type", 1, run_type},
                                                   {"info", 1, run_info},
                                                   {"fd", 1, run_fd},
                                                   {"path", 1, run_path},
                                                   {"period", 1, run_period},
                                                   {"period_wait", 1, run_period_wait},
                                                   {"sigbus", 0, run_sigbus},
                                                   {0}};

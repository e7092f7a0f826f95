/* SPDX-License-Identifier: BSD-3-Clause */
/* channels.c - the operations on channels */
#include "conformance.h"

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define HANDLES_MAX 64
#define THREADS_MAX 16
#define HEAPS_MAX 8

struct handle {
    char name[32];
    ach_channel_t chan; /* zeros: not open */
};

struct heap {
    const char *name;
    struct ach_header *memory;
};

/* An operation that runs in a thread. */
struct running {
    char name[32]; /* "": none runs */
    pthread_t thread;
    struct words words;
    enum ach_status status;
    char *results;
};

static struct handle handles[HANDLES_MAX];
static struct heap heaps[HEAPS_MAX];
static struct running runnings[THREADS_MAX];

static struct handle *handle_of(const char *name)
{
    for (struct handle *h = handles; h < handles + HANDLES_MAX; h++) {
        if (!h->name[0])
            snprintf(h->name, sizeof(h->name), "%s", name);
        if (strcmp(h->name, name) == 0)
            return h;
    }
    script_bad("too many handles", name);
}

/* The handle that an operation names first. */
static ach_channel_t *chan_of(const struct words *w)
{
    return &handle_of(w->word[1])->chan;
}

static struct heap *heap_find(const char *name)
{
    for (struct heap *h = heaps; h < heaps + HEAPS_MAX; h++)
        if (h->memory && strcmp(h->name, name) == 0)
            return h;
    return NULL;
}

static void heap_add(const char *name, struct ach_header *memory)
{
    for (struct heap *h = heaps; h < heaps + HEAPS_MAX; h++)
        if (!h->memory) {
            *h = (struct heap){name, memory};
            return;
        }
    script_bad("too many heap channels", name);
}

/* The type among the words; false: there is none. Free the bytes of its schema. */
static bool type_of(const struct words *w, size_t from, ach_channel_type_t *type,
                    struct bytes *schema)
{
    const char *bytes = words_value(w, from, "schema");

    *schema = (struct bytes){0};
    *type = (ach_channel_type_t){.name = words_value(w, from, "type")};
    if (!type->name)
        return false;
    if (bytes)
        *schema = bytes_of(bytes);
    type->encoding = words_value(w, from, "encoding");
    type->schema_encoding = words_value(w, from, "schema_encoding");
    type->schema = schema->data;
    type->schema_size = schema->size;
    return true;
}

static enum ach_status run_create(const struct words *w, FILE *results)
{
    const char *name = channel_name(w->word[1]);
    const char *clock = words_value(w, 4, "clock"), *mode = words_value(w, 4, "mode");
    bool heap = words_flag(w, 4, "heap");
    ach_create_attr_t attr;
    ach_channel_type_t type;
    enum ach_status status;
    struct bytes schema;

    (void)results;
    ach_create_attr_init(&attr);
    if (heap)
        ach_create_attr_set_map(&attr, ACH_MAP_ANON);
    if (words_flag(w, 4, "kernel"))
        ach_create_attr_set_map(&attr, ACH_MAP_KERNEL);
    if (clock)
        ach_create_attr_set_clock(&attr, strcmp(clock, "realtime") == 0 ? CLOCK_REALTIME
                                                                        : CLOCK_MONOTONIC);
    if (mode)
        ach_create_attr_set_mode(&attr, (mode_t)number_of(mode, 8));
    ach_create_attr_set_truncate(&attr, words_flag(w, 4, "truncate"));
    ach_create_attr_set_timestamps(&attr, words_flag(w, 4, "timestamps"));
    ach_create_attr_set_readonly_wake(&attr, words_flag(w, 4, "readonly_wake"));
    ach_create_attr_set_single_writer(&attr, words_flag(w, 4, "single_writer"));
    ach_create_attr_set_relayed(&attr, words_flag(w, 4, "relayed"));
    ach_create_attr_set_anticipated(&attr, words_flag(w, 4, "anticipated"));
    if (type_of(w, 4, &type, &schema))
        ach_create_attr_set_type(&attr, &type);
    status = ach_create(name, number_of(w->word[2], 10), number_of(w->word[3], 10), &attr);
    free(schema.data);
    if (status == ACH_OK && heap)
        heap_add(name, attr.shm);
    return status;
}

static enum ach_status run_open(const struct words *w, FILE *results)
{
    struct handle *h = handle_of(w->word[1]);
    const char *name = channel_name(w->word[2]);
    const char *spin = words_value(w, 3, "spin"), *limit = words_value(w, 3, "lock_timeout");
    const struct heap *heap = heap_find(name);
    ach_channel_type_t type;
    enum ach_status status;
    struct bytes schema;
    ach_attr_t attr;

    (void)results;
    ach_attr_init(&attr);
    if (heap)
        ach_attr_set_shm(&attr, heap->memory);
    ach_attr_set_readonly(&attr, words_flag(w, 3, "readonly"));
    ach_attr_set_lock_source(&attr, words_flag(w, 3, "source"));
    if (spin)
        ach_attr_set_spin(&attr, number_of(spin, 10));
    if (limit)
        ach_attr_set_lock_timeout(&attr, number_of(limit, 10));
    if (type_of(w, 3, &type, &schema))
        ach_attr_set_type(&attr, &type);
    status = ach_open(&h->chan, name, &attr);
    if (status != ACH_OK)
        h->chan = (ach_channel_t){0};
    free(schema.data);
    return status;
}

static enum ach_status run_close(const struct words *w, FILE *results)
{
    ach_channel_t *chan = chan_of(w);
    enum ach_status status = ach_close(chan);

    (void)results;
    *chan = (ach_channel_t){0};
    return status;
}

static enum ach_status run_unlink(const struct words *w, FILE *results)
{
    (void)results;
    return ach_unlink(channel_name(w->word[1]));
}

struct search {
    const char *name;
    bool found;
};

static enum ach_status search_one(void *context, const char *name, enum ach_map map)
{
    struct search *s = context;

    (void)map;
    s->found = s->found || strcmp(s->name, name) == 0;
    return ACH_OK;
}

static enum ach_status run_exists(const struct words *w, FILE *results)
{
    struct search s = {.name = channel_name(w->word[1])};
    enum ach_status status = ach_list(search_one, &s);

    fprintf(results, " %s", s.found ? "yes" : "no");
    return status;
}

static enum ach_status run_chmod(const struct words *w, FILE *results)
{
    (void)results;
    return ach_chmod(chan_of(w), (mode_t)number_of(w->word[2], 8));
}

static enum ach_status run_put(const struct words *w, FILE *results)
{
    struct bytes b = bytes_of(w->word[2]);
    enum ach_status status = ach_put(chan_of(w), b.data, b.size);

    (void)results;
    free(b.data);
    return status;
}

static enum ach_status run_relay(const struct words *w, FILE *results)
{
    ach_origin_t origin = {.epoch = number_of(w->word[3], 10),
                           .seq = number_of(w->word[4], 10),
                           .stamp = number_of(w->word[5], 10)};
    struct bytes b = bytes_of(w->word[2]);
    enum ach_status status = ach_put_relayed(chan_of(w), b.data, b.size, &origin);

    (void)results;
    free(b.data);
    return status;
}

static enum ach_status run_reserve(const struct words *w, FILE *results)
{
    struct bytes b = bytes_of(w->word[3]);
    void *room;
    enum ach_status status = ach_reserve(chan_of(w), number_of(w->word[2], 10), &room);

    (void)results;
    if (status == ACH_OK)
        memcpy(room, b.data, b.size);
    free(b.data);
    return status;
}

static enum ach_status run_commit(const struct words *w, FILE *results)
{
    (void)results;
    return ach_commit(chan_of(w), number_of(w->word[2], 10));
}

static enum ach_status run_abort(const struct words *w, FILE *results)
{
    (void)results;
    return ach_abort(chan_of(w));
}

/* The options of a get, and its timeout. */
static int options_of(const struct words *w, size_t from, struct timespec *timeout,
                      const struct timespec **limit)
{
    static const struct {
        const char *name;
        int bit;
    } bits[] = {
        {"wait", ACH_O_WAIT}, {"last", ACH_O_LAST}, {"copy", ACH_O_COPY}, {"linked", ACH_O_LINKED}};
    const char *ms = words_value(w, from, "timeout");
    int options = ACH_O_RELTIME;

    for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)
        if (words_flag(w, from, bits[i].name))
            options |= bits[i].bit;
    *limit = NULL;
    if (ms) {
        uint64_t n = number_of(ms, 10);

        *timeout = (struct timespec){(time_t)(n / 1000), (long)(n % 1000) * 1000000};
        *limit = timeout;
    }
    return options;
}

static void message_print(FILE *results, enum ach_status status, const void *data, size_t size)
{
    if (status == ACH_OK || status == ACH_MISSED_FRAME || status == ACH_OVERFLOW)
        fprintf(results, " %zu", size);
    if (status == ACH_OK || status == ACH_MISSED_FRAME) {
        fputc(' ', results);
        bytes_print(results, data, size);
    }
}

static enum ach_status run_get(const struct words *w, FILE *results)
{
    size_t room = number_of(w->word[2], 10), size = 0;
    void *buffer = malloc(room + 1);
    const struct timespec *limit;
    struct timespec timeout;
    int options = options_of(w, 3, &timeout, &limit);
    enum ach_status status = ach_get(chan_of(w), buffer, room, &size, limit, options);

    message_print(results, status, buffer, size);
    free(buffer);
    return status;
}

static enum ach_status run_view(const struct words *w, FILE *results)
{
    const struct timespec *limit;
    struct timespec timeout;
    const void *data = NULL;
    size_t size = 0;
    int options = options_of(w, 2, &timeout, &limit);
    enum ach_status status = ach_view(chan_of(w), &data, &size, limit, options);

    message_print(results, status, data, size);
    return status;
}

static enum ach_status run_check(const struct words *w, FILE *results)
{
    (void)results;
    return ach_view_check(chan_of(w));
}

static enum ach_status run_flush(const struct words *w, FILE *results)
{
    (void)results;
    return ach_flush(chan_of(w));
}

static enum ach_status run_cancel(const struct words *w, FILE *results)
{
    (void)results;
    return ach_cancel(chan_of(w), NULL);
}

static enum ach_status run_resume(const struct words *w, FILE *results)
{
    ach_channel_t *chan = chan_of(w);

    (void)results;
    if (!chan->shm)
        return ACH_CLOSED;
    chan->cancel = 0;
    return ACH_OK;
}

static enum ach_status run_seq(const struct words *w, FILE *results)
{
    uint64_t seq;
    enum ach_status status = ach_channel_seq(chan_of(w), &seq);

    if (status == ACH_OK)
        fprintf(results, " %llu", (unsigned long long)seq);
    return status;
}

static enum ach_status run_missed(const struct words *w, FILE *results)
{
    uint64_t last, total;
    enum ach_status status = ach_channel_missed(chan_of(w), &last, &total);

    if (status == ACH_OK)
        fprintf(results, " %llu %llu", (unsigned long long)last, (unsigned long long)total);
    return status;
}

static enum ach_status run_stamped(const struct words *w, FILE *results)
{
    struct timespec when;

    (void)results;
    return ach_channel_timestamp(chan_of(w), &when);
}

static enum ach_status run_origin(const struct words *w, FILE *results)
{
    ach_origin_t o;
    enum ach_status status = ach_channel_origin(chan_of(w), &o);

    if (status == ACH_OK)
        fprintf(results, " %llu %llu %llu", (unsigned long long)o.epoch, (unsigned long long)o.seq,
                (unsigned long long)o.stamp);
    return status;
}

static enum ach_status run_type(const struct words *w, FILE *results)
{
    const ach_channel_type_t *t;
    enum ach_status status = ach_channel_type(chan_of(w), &t);

    if (status != ACH_OK)
        return status;
    fprintf(results, " %s %s %s ", t->name, t->encoding,
            *t->schema_encoding ? t->schema_encoding : "-");
    bytes_print(results, t->schema, t->schema_size);
    fprintf(results, " %016llx", (unsigned long long)ach_channel_type_hash(t));
    return status;
}

static enum ach_status run_info(const struct words *w, FILE *results)
{
    ach_info_t i;
    enum ach_status status = ach_channel_info(chan_of(w), &i);

    if (status == ACH_OK)
        fprintf(results, " %llu %llu %llu %llu %llu %llu %llu %u %u %u %u %u %u %u",
                (unsigned long long)i.frame_cnt, (unsigned long long)i.frame_size,
                (unsigned long long)i.newest, (unsigned long long)i.oldest,
                (unsigned long long)i.seen, (unsigned long long)i.received,
                (unsigned long long)i.missed, i.timestamps, i.single_writer, i.relayed, i.typed,
                i.anticipated, i.readonly, i.source);
    return status;
}

static enum ach_status run_map(const struct words *w, FILE *results)
{
    static const char *const names[] = {"default", "anon", "user", "kernel"};
    enum ach_map map;
    enum ach_status status = ach_channel_map(chan_of(w), &map);

    if (status == ACH_OK)
        fprintf(results, " %s", names[map]);
    return status;
}

static enum ach_status run_clock(const struct words *w, FILE *results)
{
    clockid_t clock;
    enum ach_status status = ach_channel_clock(chan_of(w), &clock);

    if (status == ACH_OK)
        fprintf(results, " %s", clock == CLOCK_REALTIME ? "realtime" : "monotonic");
    return status;
}

static enum ach_status run_path(const struct words *w, FILE *results)
{
    char path[4096];

    (void)results;
    return ach_channel_path(channel_name(w->word[1]), path, sizeof(path));
}

static enum ach_status run_poll(const struct words *w, FILE *results)
{
    struct pollfd p = {.events = POLLIN};
    enum ach_status status = ach_channel_fd(chan_of(w), &p.fd);

    if (status == ACH_OK)
        fprintf(results, " %s",
                poll(&p, 1, (int)number_of(w->word[2], 10)) == 1 && (p.revents & POLLIN) ? "yes"
                                                                                         : "no");
    return status;
}

static enum ach_status run_wait(const struct words *w, FILE *results)
{
    bool limited = words_value(w, 2, "timeout");
    size_t n = w->count - 1 - limited;
    ach_wait_item_t items[WORDS_MAX];
    const struct timespec *limit;
    struct timespec timeout;
    enum ach_status status;

    for (size_t i = 0; i < n; i++)
        items[i] = (ach_wait_item_t){.chan = &handle_of(w->word[i + 1])->chan};
    options_of(w, 2, &timeout, &limit);
    status = ach_wait(items, n, limit, ACH_O_RELTIME);
    for (size_t i = 0; status == ACH_OK && i < n; i++)
        fprintf(results, " %s", status_name(items[i].status));
    return status;
}

static enum ach_status run_period(const struct words *w, FILE *results)
{
    uint64_t count = number_of(w->word[2], 10);
    enum ach_status status;
    ach_period_t period;

    (void)results;
    status = ach_period_init(&period, (int64_t)number_of(w->word[1], 10) * 1000);
    for (uint64_t i = 0; i < count && status == ACH_OK; i++)
        status = ach_period_wait(&period, NULL);
    return status;
}

static struct running *running_find(const char *name)
{
    for (struct running *r = runnings; r < runnings + THREADS_MAX; r++)
        if (strcmp(r->name, name) == 0)
            return r;
    script_bad("no such thread, or too many", name);
}

static void *running_main(void *argument)
{
    struct running *r = argument;
    size_t size;
    FILE *results = open_memstream(&r->results, &size);

    if (!results)
        script_bad("no memory", r->name);
    r->status = operation_find(&r->words)->run(&r->words, results);
    fclose(results);
    return NULL;
}

static enum ach_status run_async(const struct words *w, FILE *results)
{
    struct running *r = running_find("");

    (void)results;
    snprintf(r->name, sizeof(r->name), "%s", w->word[1]);
    r->words.count = w->count - 2;
    for (size_t i = 0; i < r->words.count; i++)
        r->words.word[i] = strdup(w->word[i + 2]);
    if (pthread_create(&r->thread, NULL, running_main, r) != 0)
        script_bad("no thread", r->name);
    return ACH_OK;
}

static enum ach_status run_join(const struct words *w, FILE *results)
{
    struct running *r = running_find(w->word[1]);
    enum ach_status status;

    pthread_join(r->thread, NULL);
    fputs(r->results, results);
    free(r->results);
    for (size_t i = 0; i < r->words.count; i++)
        free(r->words.word[i]);
    status = r->status;
    *r = (struct running){0};
    return status;
}

const struct operation channel_operations[] = {
    {"create", 4, run_create},   {"open", 3, run_open},
    {"close", 2, run_close},     {"unlink", 2, run_unlink},
    {"exists", 2, run_exists},   {"chmod", 3, run_chmod},
    {"put", 3, run_put},         {"relay", 6, run_relay},
    {"reserve", 4, run_reserve}, {"commit", 3, run_commit},
    {"abort", 2, run_abort},     {"get", 3, run_get},
    {"view", 2, run_view},       {"check", 2, run_check},
    {"flush", 2, run_flush},     {"cancel", 2, run_cancel},
    {"resume", 2, run_resume},   {"seq", 2, run_seq},
    {"missed", 2, run_missed},   {"stamped", 2, run_stamped},
    {"origin", 2, run_origin},   {"type", 2, run_type},
    {"info", 2, run_info},       {"map", 2, run_map},
    {"clock", 2, run_clock},     {"path", 2, run_path},
    {"poll", 3, run_poll},       {"wait", 2, run_wait},
    {"period", 3, run_period},   {"async", 3, run_async},
    {"join", 2, run_join},       {0}};

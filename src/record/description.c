/* SPDX-License-Identifier: BSD-3-Clause */
#include "description.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <time.h>

#include "parse.h"

int64_t record_wall(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void describe_add(struct record_description *d, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void describe_add(struct record_description *d, const char *key, const char *format, ...)
{
    char *value = d->values[d->n];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(value, sizeof(d->values[0]), format, arguments);
    va_end(arguments);
    d->pairs[d->n].key = mcap_text(key);
    d->pairs[d->n].value = mcap_text(value);
    d->n++;
}

static void describe_host_name(struct record_description *d)
{
    struct utsname u;

    describe_add(d, "host", "%s", uname(&u) == 0 ? u.nodename : "");
}

static void describe_clock(struct record_description *d, const struct feed_topic *t)
{
    const char *clock = clock_name(t->info.clock);

    if (clock)
        describe_add(d, "clock", "%s", clock);
    else
        describe_add(d, "clock", "%d", (int)t->info.clock);
    describe_add(d, "clock_offset", "%" PRId64, t->clock_offset);
    describe_add(d, "timestamps", "%u", t->info.timestamps);
}

void record_describe_topic(struct record_description *d, const struct feed_topic *t)
{
    d->n = 0;
    describe_add(d, "channel", "%s", t->channel);
    describe_host_name(d);
    describe_add(d, "kind", "%s", t->info.map == ACH_MAP_KERNEL ? "kernel" : "user");
    describe_add(d, "frames", "%" PRIu64, t->info.frame_cnt);
    describe_add(d, "frame_size", "%" PRIu64, t->info.frame_size);
    describe_clock(d, t);
    describe_add(d, "mode", "%04o", (unsigned)t->info.mode);
    describe_add(d, "single_writer", "%u", t->info.single_writer);
    describe_add(d, "relayed", "%u", t->info.relayed);
    describe_add(d, "anticipated", "%u", t->info.anticipated);
    describe_add(d, "epoch", "%" PRIu64, t->info.epoch);
    describe_add(d, "type", "%s", t->type_name);
    describe_add(d, "encoding", "%s", t->type_encoding);
}

void record_describe_host(struct record_description *d, const char *version, unsigned file)
{
    time_t now = time(NULL);
    char start[32] = "";
    struct tm utc;

    d->n = 0;
    if (gmtime_r(&now, &utc))
        strftime(start, sizeof(start), "%Y-%m-%dT%H:%M:%SZ", &utc);
    describe_host_name(d);
    describe_add(d, "version", "%s", version);
    describe_add(d, "start", "%s", start);
    describe_add(d, "file", "%u", file);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "log.h"
#include "replay.h"

/* What a log holds. */
struct totals {
    uint64_t messages;
    uint64_t missed;
    uint64_t bytes;
    size_t smallest;
    size_t largest;
    int64_t first_ns;
    int64_t last_ns;
};

static void add(struct totals *t, const struct log_message *msg)
{
    if (t->messages == 0) {
        t->first_ns = msg->time_ns;
        t->last_ns = msg->time_ns;
        t->smallest = msg->size;
    }
    if (msg->time_ns > t->last_ns)
        t->last_ns = msg->time_ns;
    if (msg->size < t->smallest)
        t->smallest = msg->size;
    if (msg->size > t->largest)
        t->largest = msg->size;
    t->messages++;
    t->missed += msg->missed;
    t->bytes += msg->size;
}

static double span(const struct totals *t)
{
    return ((double)t->last_ns - (double)t->first_ns) / 1e9;
}

static double rate(const struct totals *t)
{
    return t->messages > 1 && t->last_ns > t->first_ns ? (double)(t->messages - 1) / span(t) : 0;
}

static double mean(const struct totals *t)
{
    return t->messages ? (double)t->bytes / (double)t->messages : 0;
}

/* The time of the first message, or of the start of the recording, for people. */
static void format_start(const struct log_reader *r, const struct totals *t, char *text, size_t n)
{
    int64_t ns = r->info.realtime_ns;
    struct timespec when;
    struct tm tm;
    size_t used;

    if (t->messages)
        log_realtime(&r->info, t->first_ns, &ns);
    when = tool_ns_to_time(ns);
    gmtime_r(&when.tv_sec, &tm);
    used = strftime(text, n, "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(text + used, n - used, ".%09ldZ", when.tv_nsec);
}

static const char *state_text(enum log_result end)
{
    return end == LOG_END ? "complete" : end == LOG_CUT ? "cut short" : "damaged";
}

static void print_text(const char *path, const struct log_reader *r, const struct totals *t,
                       enum log_result end)
{
    char start[64];

    format_start(r, t, start, sizeof(start));
    printf("%s\n", path);
    printf("  channel   %s (%" PRIu64 " x %" PRIu64 " bytes)\n", r->info.channel, r->info.frame_cnt,
           r->info.frame_size);
    printf("  messages  %" PRIu64 ", %" PRIu64 " missed\n", t->messages, t->missed);
    printf("  bytes     %" PRIu64 " (%zu to %zu each, %.1f on average)\n", t->bytes, t->smallest,
           t->largest, mean(t));
    printf("  start     %s, times of the %s\n", start, r->info.stamped ? "put" : "reading");
    printf("  span      %.6f s, %.3f messages/s\n", span(t), rate(t));
    printf("  state     %s%s%s\n", state_text(end), end == LOG_BAD ? ": " : "", r->error);
}

static void print_json_string(const char *s)
{
    putchar('"');
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            printf("\\%c", *s);
        else if ((unsigned char)*s < 0x20)
            printf("\\u%04x", (unsigned)(unsigned char)*s);
        else
            putchar(*s);
    }
    putchar('"');
}

static void print_json(const char *path, const struct log_reader *r, const struct totals *t,
                       enum log_result end)
{
    char start[64];

    format_start(r, t, start, sizeof(start));
    printf("{\"file\":");
    print_json_string(path);
    printf(",\"channel\":");
    print_json_string(r->info.channel);
    printf(",\"frame_count\":%" PRIu64 ",\"frame_size\":%" PRIu64 ",\"clock\":%" PRId64,
           r->info.frame_cnt, r->info.frame_size, r->info.clock);
    printf(",\"stamps\":\"%s\",\"start\":\"%s\"", r->info.stamped ? "put" : "read", start);
    printf(",\"messages\":%" PRIu64 ",\"missed\":%" PRIu64 ",\"bytes\":%" PRIu64, t->messages,
           t->missed, t->bytes);
    printf(",\"smallest\":%zu,\"largest\":%zu,\"mean_size\":%.3f", t->smallest, t->largest,
           mean(t));
    printf(",\"span_seconds\":%.9f,\"rate_hz\":%.6f", span(t), rate(t));
    printf(",\"state\":\"%s\",\"error\":", state_text(end));
    if (end == LOG_BAD)
        print_json_string(r->error);
    else
        printf("null");
    printf("}");
}

static enum log_result tell(const char *path, struct log_reader *r, bool json)
{
    enum log_result result = LOG_OK;
    struct totals t = {0};
    struct log_message msg;

    while ((result = log_reader_next(r, &msg)) == LOG_OK)
        add(&t, &msg);
    if (json)
        print_json(path, r, &t, result);
    else
        print_text(path, r, &t, result);
    return result;
}

/* False: no log, or a damaged one. */
static bool tell_file(const char *path, bool json, const char **separator)
{
    struct log_reader *r = malloc(sizeof(*r));
    int fd = r ? replay_open_file(path) : -1;
    bool ok = false;

    if (fd >= 0) {
        if (log_reader_init(r, fd) == LOG_OK) {
            fputs(*separator, stdout);
            *separator = json ? "," : "";
            ok = tell(path, r, json) != LOG_BAD;
        }
        if (!ok)
            tool_complain("'%s' is %s", path, r->error);
        log_reader_finish(r);
        close(fd);
    }
    free(r);
    return ok;
}

int replay_info(char **paths, size_t n, bool json)
{
    const char *separator = "";
    bool ok = true;
    size_t i;

    if (json)
        putchar('[');
    for (i = 0; i < n; i++)
        ok = tell_file(paths[i], json, &separator) && ok;
    if (json)
        puts("]");
    return ok ? EXIT_DONE : EXIT_FAILED;
}

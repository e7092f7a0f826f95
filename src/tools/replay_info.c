/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "json.h"
#include "log.h"
#include "parse.h"
#include "replay.h"

/* What a log holds. */
struct totals {
    uint64_t messages;
    uint64_t timed; /* messages with a known time */
    uint64_t missed;
    uint64_t bytes;
    size_t smallest;
    size_t largest;
    int64_t first_ns;
    int64_t last_ns;
};

static void add_time(struct totals *t, int64_t ns)
{
    if (t->timed == 0) {
        t->first_ns = ns;
        t->last_ns = ns;
    }
    if (ns > t->last_ns)
        t->last_ns = ns;
    t->timed++;
}

static void add(struct totals *t, const struct log_message *msg)
{
    if (!msg->untimed)
        add_time(t, msg->time_ns);
    if (t->messages == 0 || msg->size < t->smallest)
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
    return t->timed > 1 && t->last_ns > t->first_ns ? (double)(t->timed - 1) / span(t) : 0;
}

static double mean(const struct totals *t)
{
    return t->messages ? (double)t->bytes / (double)t->messages : 0;
}

/* The time of the first message that has one, or of the start of the recording, for people. */
static void format_start(const struct log_reader *r, const struct totals *t, char *text, size_t n)
{
    int64_t ns = r->info.realtime_ns;
    struct timespec when;
    struct tm tm;
    size_t used;

    if (t->timed)
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

/* Without put times, the times of messages from before the recording are unknown. */
static void print_untimed(const struct log_reader *r)
{
    if (r->untimed)
        printf("  untimed   %" PRIu64 " in the channel before recording began%s\n", r->untimed,
               r->info.held_known ? "" : " (estimated: the log is from an older achlog)");
    else if (!r->info.stamped && !r->info.held_known)
        puts("  untimed   unknown: the log is from an older achlog");
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
    print_untimed(r);
    printf("  span      %.6f s, %.3f messages/s\n", span(t), rate(t));
    printf("  state     %s%s%s\n", state_text(end), end == LOG_BAD ? ": " : "", r->error);
}

/* The same member names as in 'ach info --json'. */
static void print_json(struct json *j, const char *path, const struct log_reader *r,
                       const struct totals *t, enum log_result end)
{
    const char *clock = clock_name((clockid_t)r->info.clock);
    char start[64];

    format_start(r, t, start, sizeof(start));
    json_object(j, NULL);
    json_string(j, "file", path);
    json_string(j, "name", r->info.channel);
    json_uint(j, "frames", r->info.frame_cnt);
    json_uint(j, "size", r->info.frame_size);
    json_string(j, "clock", clock ? clock : "other");
    json_string(j, "stamps", r->info.stamped ? "put" : "read");
    json_string(j, "start", start);
    json_uint(j, "messages", t->messages);
    json_uint(j, "missed", t->missed);
    json_uint(j, "untimed", r->untimed);
    json_uint(j, "bytes", t->bytes);
    json_uint(j, "smallest", t->smallest);
    json_uint(j, "largest", t->largest);
    json_number(j, "mean", mean(t));
    json_number(j, "span", span(t));
    json_number(j, "rate", rate(t));
    json_string(j, "state", state_text(end));
    if (end == LOG_BAD)
        json_string(j, "error", r->error);
    json_end_object(j);
}

static enum log_result tell(const char *path, struct log_reader *r, struct json *j)
{
    enum log_result result = LOG_OK;
    struct totals t = {0};
    struct log_message msg;

    while ((result = log_reader_next(r, &msg)) == LOG_OK)
        add(&t, &msg);
    if (j)
        print_json(j, path, r, &t, result);
    else
        print_text(path, r, &t, result);
    return result;
}

/* A log; - is standard input. Negative after complaining. */
static int info_open(const char *path)
{
    int fd = strcmp(path, "-") == 0 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                    : open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        tool_complain("cannot open '%s': %s", path, strerror(errno));
    return fd;
}

/* False: not a log, or a damaged one. */
static bool tell_file(const char *path, struct json *j)
{
    struct log_reader *r = malloc(sizeof(*r));
    int fd = r ? info_open(path) : -1;
    bool ok = false;

    if (fd >= 0) {
        if (log_reader_init(r, fd) == LOG_OK)
            ok = tell(path, r, j) != LOG_BAD;
        if (!ok)
            tool_complain("'%s' is %s%s", path, r->error,
                          *r->info.channel ? "" : "; ach log info knows other recordings");
        log_reader_finish(r);
        close(fd);
    }
    free(r);
    return ok;
}

int replay_info(char **paths, size_t n, bool json)
{
    struct json j = JSON_INIT(stdout);
    bool ok = true;
    size_t i;

    if (json)
        json_array(&j, NULL);
    for (i = 0; i < n; i++)
        ok = tell_file(paths[i], json ? &j : NULL) && ok;
    if (json) {
        json_end_array(&j);
        json_line(&j);
    }
    return ok ? EXIT_DONE : EXIT_FAILED;
}

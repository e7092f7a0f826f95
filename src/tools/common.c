/* SPDX-License-Identifier: BSD-3-Clause */
#include "common.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#include "nochannel.h"
#include "parse.h"
#include "streams.h"

#define NS_PER_SECOND 1000000000ll

const char *tool_name = "ach";
static bool logs; /* to the system log too */

void tool_log_to(const char *ident, int facility)
{
    openlog(ident, LOG_PID, facility);
    logs = true;
}

void (*tool_before_complaint)(void);

void tool_complain(const char *format, ...)
{
    va_list ap;

    if (logs) {
        va_start(ap, format);
        vsyslog(LOG_NOTICE, format, ap);
        va_end(ap);
    }
    flockfile(stderr);
    if (tool_before_complaint)
        tool_before_complaint();
    fprintf(stderr, "%s: ", tool_name);
    va_start(ap, format);
    vfprintf(stderr, format, ap);
    va_end(ap);
    fputc('\n', stderr);
    funlockfile(stderr);
}

bool tool_parse_count(const char *text, const char *what, uint64_t least, uint64_t *value)
{
    if (parse_count(text, least, UINT64_MAX, value))
        return true;
    if (errno == ERANGE)
        tool_complain("%s '%s' is too large", what, text);
    else
        tool_complain("%s must be a whole number from %" PRIu64 " on, not '%s'", what, least, text);
    return false;
}

bool tool_parse_seconds(const char *text, const char *what, double *value)
{
    char *end;

    errno = 0;
    *value = strtod(text, &end);
    if (errno || end == text || *end || !isfinite(*value) || *value < 0 || *value > 1e9) {
        tool_complain("%s must be a number from 0 to 1000000000, not '%s'", what, text);
        return false;
    }
    return true;
}

bool tool_parse_limit(const char *text, int64_t *until_ns)
{
    double seconds;

    if (!parse_seconds(text, &seconds)) {
        tool_complain("the time cannot be '%s': give " SECONDS_WANTED, text);
        return false;
    }
    *until_ns = tool_clock_ns(CLOCK_MONOTONIC) + (int64_t)(seconds * 1e9);
    return true;
}

int tool_parse_options(const struct options *o, int argc, char **argv, void *cx)
{
    return options_parse(o, tool_name, ACH_TOOLS_VERSION, argc, argv, cx);
}

int tool_finish(int status)
{
    if (streams_finish())
        return status;
    if (errno != EPIPE)
        tool_complain("cannot write to standard output: %s", strerror(errno));
    return status == EXIT_DONE ? EXIT_FAILED : status;
}

static bool open_failed(const char *name, enum ach_status r, const char *maker)
{
    const char *why = ach_errstr();
    char text[NO_CHANNEL_TEXT];

    if (r == ACH_ENOENT && *why)
        tool_complain("%s", no_channel(text, name, maker));
    else if (*why)
        tool_complain("%s", why);
    else
        tool_complain("cannot open the channel '%s': %s", name, ach_result_to_string(r));
    return false;
}

bool tool_open_for_get(ach_channel_t *chan, const char *name)
{
    enum ach_status r = ach_open(chan, name, NULL);

    return r == ACH_OK || open_failed(name, r, NULL);
}

bool tool_open_for_put(ach_channel_t *chan, const char *name, const char *maker)
{
    enum ach_status r = ach_open(chan, name, NULL);
    ach_info_t info;
    ach_attr_t attr;

    if (r == ACH_OK)
        r = ach_channel_info(chan, &info);
    if (r == ACH_OK && info.single_writer) {
        ach_close(chan);
        ach_attr_init(&attr);
        ach_attr_set_lock_source(&attr, 1);
        r = ach_open(chan, name, &attr);
    }
    return r == ACH_OK || open_failed(name, r, maker);
}

/* The source lock is held where needed, so only these two causes are left. */
static const char *why_refused(const ach_info_t *info)
{
    return info->readonly ? "not permitted: you may read this channel, but not write it"
                          : "not permitted: the channel was created in another PID namespace, "
                            "and only processes in that namespace can put";
}

/* Fail once the channel is removed: readers have moved on, and messages would be lost. */
bool tool_put(ach_channel_t *chan, const char *name, const void *data, size_t size)
{
    enum ach_status r = ach_put(chan, data, size);
    ach_info_t info = {0};

    ach_channel_info(chan, &info);
    if (r == ACH_OK && info.unlinked)
        r = ACH_ENOENT;
    if (r == ACH_OVERFLOW)
        tool_complain("a message of %zu bytes does not fit into the channel '%s'", size, name);
    else if (r != ACH_OK)
        tool_complain("cannot put into the channel '%s': %s", name,
                      r == ACH_EACCES ? why_refused(&info) : tool_status_text(r));
    return r == ACH_OK;
}

uint64_t tool_gone(const ach_info_t *info)
{
    return info->oldest > 0 ? info->oldest - 1 : info->newest;
}

const char *tool_status_text(enum ach_status status)
{
    switch (status) {
    case ACH_OVERFLOW:
        return "the message is larger than the channel can hold";
    case ACH_ENOENT:
        return "the channel was removed";
    case ACH_EACCES:
        return "not permitted";
    case ACH_CORRUPT:
        return "the channel was replaced, its file was cut short, or its memory is damaged";
    case ACH_LOCKED:
        return "another writer holds the lock of the channel and does not release it";
    default:
        return ach_result_to_string(status);
    }
}

int64_t tool_time_to_ns(const struct timespec *t)
{
    return (int64_t)t->tv_sec * NS_PER_SECOND + t->tv_nsec;
}

struct timespec tool_ns_to_time(int64_t ns)
{
    struct timespec t = {.tv_sec = ns / NS_PER_SECOND, .tv_nsec = ns % NS_PER_SECOND};

    if (t.tv_nsec < 0) {
        t.tv_sec--;
        t.tv_nsec += NS_PER_SECOND;
    }
    return t;
}

int64_t tool_clock_ns(clockid_t clock)
{
    struct timespec now = {0};

    clock_gettime(clock, &now);
    return tool_time_to_ns(&now);
}

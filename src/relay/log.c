/* SPDX-License-Identifier: BSD-3-Clause */
#include "log.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#include "clock.h"
#include "printable.h"

/* Lines of one format in a window of time. Further ones are counted: peers must not fill the log. */
#define LINES_MAX 100u
#define WINDOW_NS 10000000000u
#define FORMATS_MAX 64u

static int log_most;
static bool log_system;
static struct log_place {
    const char *format;
    uint64_t since;
    unsigned lines, hidden;
} places[FORMATS_MAX];

void relay_log_level(int level)
{
    log_most = level;
}

void relay_log_to_system(void)
{
    openlog("achd", LOG_PID, LOG_DAEMON);
    log_system = true;
}

static void log_line(int severity, const char *line)
{
    if (log_system)
        syslog(severity, "%s", line);
    else
        fprintf(stderr, "achd: %s\n", line);
}

/* Each format has its own place, so that a flood of one does not hide others. */
static struct log_place *log_place_of(const char *format)
{
    struct log_place *p = places;

    while (p < places + FORMATS_MAX - 1 && p->format && p->format != format)
        p++;
    p->format = format;
    return p;
}

static bool may_write(int severity, const char *format)
{
    struct log_place *p = log_place_of(format);
    uint64_t now = relay_clock_now();
    char text[80];

    if (now - p->since >= WINDOW_NS) {
        snprintf(text, sizeof(text), "%u more lines like the next one were not logged", p->hidden);
        if (p->hidden)
            log_line(severity, text);
        *p = (struct log_place){.format = format, .since = now};
    }
    if (p->lines < LINES_MAX)
        return ++p->lines;
    p->hidden++;
    return false;
}

__attribute__((format(printf, 3, 0))) static void log_write(int level, int severity,
                                                            const char *format, va_list ap)
{
    char text[1024], *line = NULL;
    size_t size;
    FILE *out;

    if (level > log_most || !may_write(severity, format))
        return;
    out = open_memstream(&line, &size);
    if (!out)
        return;
    vsnprintf(text, sizeof(text), format, ap);
    printable_write(out, text, strlen(text), SIZE_MAX); /* it may have the words of a peer */
    if (fclose(out) == 0)
        log_line(severity, line);
    free(line);
}

#define LOG_FUNCTION(name, level, severity)                                                        \
    void name(const char *format, ...)                                                             \
    {                                                                                              \
        va_list ap;                                                                                \
                                                                                                   \
        va_start(ap, format);                                                                      \
        log_write(level, severity, format, ap);                                                    \
        va_end(ap);                                                                                \
    }

LOG_FUNCTION(relay_log_error, -1, LOG_ERR)
LOG_FUNCTION(relay_log_note, 0, LOG_NOTICE)
LOG_FUNCTION(relay_log_detail, 1, LOG_INFO)

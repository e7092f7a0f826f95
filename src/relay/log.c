/* SPDX-License-Identifier: BSD-3-Clause */
#include "log.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#include "printable.h"

static int log_most;
static bool log_system;

void relay_log_level(int level)
{
    log_most = level;
}

void relay_log_to_system(void)
{
    openlog("achd", LOG_PID, LOG_DAEMON);
    log_system = true;
}

__attribute__((format(printf, 3, 0))) static void log_write(int level, int severity,
                                                            const char *format, va_list ap)
{
    char text[1024], *line = NULL;
    size_t size;
    FILE *out;

    if (level > log_most)
        return;
    out = open_memstream(&line, &size);
    if (!out)
        return;
    vsnprintf(text, sizeof(text), format, ap);
    printable_write(out, text, strlen(text), SIZE_MAX); /* it may have the words of a peer */
    if (fclose(out) == 0 && log_system)
        syslog(severity, "%s", line);
    else if (line)
        fprintf(stderr, "achd: %s\n", line);
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

/* SPDX-License-Identifier: BSD-3-Clause */
#include "log.h"

#include <stdarg.h>
#include <stdio.h>
#include <syslog.h>

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
    char text[1024];

    if (level > log_most)
        return;
    vsnprintf(text, sizeof(text), format, ap);
    if (log_system)
        syslog(severity, "%s", text);
    else
        fprintf(stderr, "achd: %s\n", text);
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

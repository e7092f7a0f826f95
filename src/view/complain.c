/* SPDX-License-Identifier: BSD-3-Clause */
#include "complain.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "monotonic.h"
#include "printable.h"

/* A pipe that poll calls writable has room for so much. */
#define COMPLAIN_LINE 4096u

#define LINES_MAX 50 /* at once */
#define LINE_EVERY 1000000000

static int complain_lines = LINES_MAX;
static int64_t complain_at;        /* when a line was granted last */
static unsigned long complain_out; /* lines that were left out */

static bool complain_may(void)
{
    const int64_t now = monotonic_ns();
    int64_t granted = complain_at ? (now - complain_at) / LINE_EVERY : 0;

    if (granted > LINES_MAX - complain_lines)
        granted = LINES_MAX - complain_lines;
    if (granted || !complain_at)
        complain_at = now;
    complain_lines += (int)granted;
    if (complain_lines == 0)
        return false;
    complain_lines--;
    return true;
}

/* Whole or not at all, and without waiting: nobody may read. */
static bool complain_write(const char *text, size_t size)
{
    struct pollfd p = {.fd = STDERR_FILENO, .events = POLLOUT};
    ssize_t n = send(STDERR_FILENO, text, size, MSG_DONTWAIT | MSG_NOSIGNAL);

    if (n < 0 && errno == ENOTSOCK && poll(&p, 1, 0) == 1 && (p.revents & POLLOUT))
        n = write(STDERR_FILENO, text, size);
    return n == (ssize_t)size;
}

static bool complain_line(const char *sentence, size_t size)
{
    char line[COMPLAIN_LINE];
    FILE *out = fmemopen(line, sizeof(line), "w");
    long n;

    if (!out)
        return false;
    fputs("ach view: ", out);
    if (complain_out)
        fprintf(out, "%lu lines were left out; ", complain_out);
    printable_write(out, sentence, size, sizeof(line) / 5);
    putc('\n', out);
    fflush(out);
    n = ftell(out);
    fclose(out);
    return n > 0 && complain_write(line, (size_t)n);
}

void view_complain(const char *format, ...)
{
    char *text = NULL;
    va_list ap;
    int n;

    va_start(ap, format);
    n = vasprintf(&text, format, ap);
    va_end(ap);
    if (n < 0)
        return;
    if (complain_may() && complain_line(text, (size_t)n))
        complain_out = 0;
    else
        complain_out++;
    free(text);
}

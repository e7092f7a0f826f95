/* SPDX-License-Identifier: BSD-3-Clause */
/* convert_devices.c - the exact messages of devices as a log of devices */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "../../logs/lines.h"
#include "../stop.h"
#include "convert.h"

struct devices_counts {
    uint64_t written, wrong, other;
};

static bool devices_messages(struct rec_convert *c, FILE *to, struct devices_counts *n)
{
    struct logs_message m;

    logs_lines_head(to);
    while (rec_pick_next(&c->pick, &m)) {
        enum logs_line line = LOGS_LINE_NONE;

        if (logs_device(m.topic) != LOGS_NO_DEVICE)
            line = logs_line_write(to, &m);
        n->written += line == LOGS_LINE_WRITTEN;
        n->other += line == LOGS_LINE_NONE;
        if (line == LOGS_LINE_WRONG && n->wrong++ == 0)
            complain("a message of '%s' is left out: %s", m.topic->name, ach_errstr());
        if (ferror(to))
            return false;
    }
    return true;
}

static bool devices_any(const struct devices_counts *n)
{
    if (n->other)
        complain("%" PRIu64 " messages are left out: they are not exact data or answers of devices",
                 n->other);
    if (n->wrong > 1)
        complain("%" PRIu64 " messages are left out in all that no line can hold", n->wrong);
    if (n->written)
        return true;
    complain("there are no exact messages of devices; ach record --exact records them");
    return false;
}

static bool devices_write(struct rec_convert *c, struct devices_counts *n)
{
    int fd = dup(c->copy.output.fd);
    FILE *to = fd < 0 ? NULL : rec_stream(fd, c->copy.output.path);
    bool ok;

    if (!to)
        return false;
    ok = devices_messages(c, to, n);
    if (fclose(to) != 0 || !ok) {
        complain("cannot write '%s': %s", c->copy.output.path, strerror(errno));
        ok = false;
    }
    return ok;
}

bool rec_to_devices(struct rec_convert *c)
{
    struct devices_counts n = {.written = 0};
    bool ok, done;

    if (!logs_lines_available()) {
        complain("this ach was built without devices");
        return false;
    }
    if (!rec_output_begin(&c->copy.output))
        return false;
    ok = devices_write(c, &n);
    done = rec_pick_done(&c->pick);
    return rec_output_end(&c->copy.output, ok && devices_any(&n) && !stopped()) && done;
}

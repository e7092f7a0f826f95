/* SPDX-License-Identifier: BSD-3-Clause */
/* drive.c - a controller of a joint, through the framework of devices */
#include <ach.h>
#include <ach/proxies.h>
#include <stdlib.h>

#include "actor.h"

static double look(ach_device_t *d, FILE *log)
{
    const ach_actarray_data_t *data;
    ach_message_t *m;
    ach_status_t r = ach_actarray_get_state(d, 5, ACH_O_LAST | ACH_O_WAIT, &m, &data);
    double at;

    if (r != ACH_OK && r != ACH_MISSED_FRAME)
        actor_fail("no sample: %s: %s", ach_result_to_string(r), ach_errstr());
    at = (double)data->actuators[0].position;
    fprintf(log, "%lld sample %.9f %.17g %.17g\n", (long long)actor_now(),
            ach_message_header(m)->timestamp, at, (double)data->actuators[0].speed);
    ach_message_unref(m);
    return at;
}

static void act(ach_device_t *d, FILE *log, double effort)
{
    const ach_actarray_current_cmd_t c = {.joint = 0, .current = (float)effort};

    if (ach_actarray_tell_current(d, &c) != ACH_OK)
        actor_fail("no command: %s", ach_errstr());
    fprintf(log, "%lld command %.17g\n", (long long)actor_now(), effort);
}

/* pushes DEVICE COUNT LOG [BUSY_NS]: log samples; one command, after the second sample */
static int pushes(char **a)
{
    int64_t i, n = actor_number(a, 1, 10);
    FILE *log = actor_log(a[2]);
    ach_device_t *d;

    if (ach_device_open(a[0], NULL, &d) != ACH_OK)
        actor_fail("cannot open %s: %s", a[0], ach_errstr());
    for (i = 0; i < n; i++) {
        look(d, log);
        actor_busy(actor_number(a, 3, 0));
        if (i == 1)
            act(d, log, 1);
    }
    fclose(log);
    ach_device_close(d);
    return 0;
}

/* holds DEVICE COUNT LOG [BUSY_NS]: after each sample, command the effort of a spring */
static int holds(char **a)
{
    int64_t i, n = actor_number(a, 1, 10);
    FILE *log = actor_log(a[2]);
    ach_device_t *d;

    if (ach_device_open(a[0], NULL, &d) != ACH_OK)
        actor_fail("cannot open %s: %s", a[0], ach_errstr());
    for (i = 0; i < n; i++) {
        double at = look(d, log);

        actor_busy(actor_number(a, 3, 0));
        act(d, log, 3 - 20 * at);
    }
    fclose(log);
    ach_device_close(d);
    return 0;
}

/* visits DEVICE COUNT BUSY_NS [LOG]: a loop of 1 kHz; the device is closed after it */
static int visits(char **a)
{
    int64_t i, n = actor_number(a, 1, 10), busy = actor_number(a, 2, 0), next;
    FILE *log = n && busy >= 0 && a[3] ? actor_log(a[3]) : tmpfile();
    ach_device_t *d;

    if (!log || ach_device_open(a[0], NULL, &d) != ACH_OK)
        actor_fail("cannot open %s: %s", a[0], ach_errstr());
    look(d, log);
    next = (actor_now() / MS + 1) * MS;
    for (i = 0; i < n; i++, next += MS) {
        actor_sleep_until(next);
        actor_busy(busy);
        act(d, log, (double)(i % 7) * 0.1);
    }
    look(d, log);
    ach_device_close(d);
    fclose(log);
    return 0;
}

/* wrong DEVICE COUNT JOINT: commands for a joint that does not exist or has no drive */
static int wrong(char **a)
{
    const ach_actarray_current_cmd_t c = {.joint = (int32_t)actor_number(a, 2, 0)};
    int64_t i, n = actor_number(a, 1, 10);
    ach_device_t *d;

    if (ach_device_open(a[0], NULL, &d) != ACH_OK)
        actor_fail("cannot open %s: %s", a[0], ach_errstr());
    for (i = 0; i < n; i++) {
        if (ach_actarray_tell_current(d, &c) != ACH_OK)
            actor_fail("no command: %s", ach_errstr());
        actor_sleep_until(actor_now() + MS);
    }
    ach_device_close(d);
    return 0;
}

const struct part actor_drive[] = {
    {"wrong", wrong}, {"pushes", pushes}, {"holds", holds}, {"visits", visits}, {NULL, NULL}};

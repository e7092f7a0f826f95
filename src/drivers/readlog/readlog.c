/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * readlog - replay a log
 *
 * The devices that it provides publish their data from the log, with the log's timestamps, at the
 * log's pace times a speed. Requests are answered with the answers in the log. If the robot's clock
 * is simulated, it follows the log's time.
 */
#include <ach.h>
#include <ach/interface/log.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../util/monotonic.h"
#include "../drivers.h"
#include "reader.h"

/* Number of lines searched for answers before playing. */
#define SEARCH_LINES 4096u

/* A step back in time by more than this many seconds begins another log. */
#define STEP_BACK 1.0

/* An answer from the log. */
struct readlog_answer {
    struct readlog_answer *next;
    ach_message_t *message; /* with the address of the provided device */
};

/* A provided device. */
struct readlog_device {
    ach_address_t address;
    uint32_t robot; /* the number in the config file; 0: none, so lines of any robot are its */
};

struct readlog {
    struct readlog_device *devices;
    size_t count;
    uint32_t robot; /* the number of the robot itself */
    struct drv_reader reader;
    struct drv_entry first; /* the file that the config file names */
    bool autoplay, autorewind;
    bool playing;
    struct readlog_answer *answers;
    ach_message_t *next; /* NULL: read one */
    bool anchored;       /* log_time corresponds to wall_time: */
    double log_time, wall_time;
    double shift; /* added to log times on a simulated clock, which does not go back */
    bool any;     /* a message was published since the last rewind */
};

static void readlog_destroy(ach_driver_t *driver, void *state)
{
    struct readlog *r = state;

    (void)driver;
    free(r->devices);
    free(r);
}

static ach_status_t handle_log(ach_driver_t *driver, const ach_address_t *address)
{
    static const uint8_t requests[] = {ACH_LOG_REQ_SET_READ_STATE, ACH_LOG_REQ_GET_STATE,
                                       ACH_LOG_REQ_SET_READ_REWIND, ACH_LOG_REQ_SET_FILENAME};
    ach_status_t status = ACH_OK;
    size_t i;

    for (i = 0; i < sizeof(requests) && status == ACH_OK; i++)
        status = ach_driver_handles(driver, address, ACH_MSG_REQ, requests[i]);
    return status;
}

static ach_status_t readlog_claim(ach_driver_t *driver, ach_section_t *options, struct readlog *r)
{
    size_t n = ach_section_tuple_count(options, "provides");
    ach_status_t status = ACH_OK;

    r->devices = calloc(n ? n : 1, sizeof(*r->devices));
    if (!r->devices)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a driver");
    r->robot = ach_driver_robot_number(driver);
    while (r->count < n && status == ACH_OK) {
        struct readlog_device *d = &r->devices[r->count];
        const char *text = ach_section_tuple_string(options, "provides", r->count++, "");
        ach_place_t place;

        if (ach_place_parse(text, &place) == ACH_OK)
            d->robot = place.robot;
        status = ach_driver_provide_next(driver, NULL, &d->address);
        if (status == ACH_OK && d->address.interf == ACH_LOG_CODE)
            status = handle_log(driver, &d->address);
    }
    return status;
}

static ach_status_t readlog_read_options(ach_driver_t *driver, ach_section_t *options,
                                         struct readlog *r)
{
    drv_entry_read(&r->first, options, NULL, "");
    r->autoplay = ach_section_bool(options, "autoplay", true);
    r->autorewind = ach_section_bool(options, "autorewind", false);
    return ach_driver_property_double(driver, "speed", 1);
}

static ach_status_t readlog_create(ach_driver_t *driver, ach_section_t *options, void **state)
{
    struct readlog *r = calloc(1, sizeof(*r));
    ach_status_t status;

    if (!r)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a driver");
    status = readlog_read_options(driver, options, r);
    if (status == ACH_OK)
        status = readlog_claim(driver, options, r);
    if (status != ACH_OK)
        readlog_destroy(driver, r);
    *state = r;
    return status;
}

/* The provided device of a line. Logs of Ach 3.0 have 0 as the number of the robot itself. */
static const ach_address_t *device_of(const struct readlog *r, const ach_address_t *a)
{
    uint32_t robot = a->robot ? a->robot : r->robot;
    size_t i;

    for (i = 0; i < r->count; i++) {
        const struct readlog_device *d = &r->devices[i];

        if (d->address.interf == a->interf && d->address.index == a->index &&
            d->address.interf != ACH_LOG_CODE && (!d->robot || d->robot == robot))
            return &d->address;
    }
    return NULL;
}

static struct readlog_answer *find_answer(const struct readlog *r, const ach_address_t *address,
                                          uint8_t subtype)
{
    struct readlog_answer *a = r->answers;

    while (a && !ach_message_is(a->message, address, ACH_MSG_ACK, subtype))
        a = a->next;
    return a;
}

/* Keep the newest answer of each kind. */
static void readlog_learn(struct readlog *r, const ach_message_t *m)
{
    ach_header_t h = *ach_message_header(m);
    const ach_address_t *device = device_of(r, &h.address);
    struct readlog_answer *a;
    ach_message_t *ours;

    if (!device || h.type != ACH_MSG_ACK)
        return;
    h.address = *device;
    if (ach_message_again(m, &h, &ours) != ACH_OK)
        return;
    a = find_answer(r, device, h.subtype);
    if (!a && (a = calloc(1, sizeof(*a)))) {
        a->next = r->answers;
        r->answers = a;
    }
    if (a) {
        ach_message_unref(a->message);
        a->message = ours;
    } else
        ach_message_unref(ours);
}

static void readlog_forget(struct readlog *r)
{
    while (r->answers) {
        struct readlog_answer *a = r->answers;

        r->answers = a->next;
        ach_message_unref(a->message);
        free(a);
    }
    ach_message_unref(r->next);
    r->next = NULL;
}

static void go_back(struct readlog *r)
{
    drv_reader_rewind(&r->reader);
    ach_message_unref(r->next);
    r->next = NULL;
    r->anchored = false;
    r->any = false;
}

/* Clients request geometry first: so read the answers near the log's beginning in advance. */
static ach_status_t readlog_open_log(ach_driver_t *driver, struct readlog *r, bool trusted)
{
    ach_status_t status = drv_reader_open(&r->reader, trusted);
    ach_message_t *m;

    if (status != ACH_OK)
        return status;
    while (r->reader.number < SEARCH_LINES && (m = drv_reader_next(driver, &r->reader))) {
        readlog_learn(r, m);
        ach_message_unref(m);
    }
    r->reader.wrong = 0;
    go_back(r);
    return ACH_OK;
}

static void close_log(struct readlog *r)
{
    drv_reader_close(&r->reader);
    readlog_forget(r);
    r->anchored = false;
}

static ach_status_t readlog_setup(ach_driver_t *driver, void *state)
{
    struct readlog *r = state;

    r->reader.entry = r->first;
    r->playing = r->autoplay;
    r->shift = 0;
    return readlog_open_log(driver, r, true);
}

static void readlog_shut_down(ach_driver_t *driver, void *state)
{
    (void)driver;
    close_log(state);
}

static ach_status_t change_file(ach_driver_t *driver, struct readlog *r,
                                const ach_log_set_filename_t *body)
{
    ach_status_t status;

    if (r->playing)
        return ach_errstr_set(ACH_EINVAL,
                              "the file name cannot be changed while the file is played");
    status = drv_entry_rename(&r->reader.entry, body);
    if (status != ACH_OK)
        return status;
    close_log(r);
    return readlog_open_log(driver, r, false);
}

static void set_playing(struct readlog *r, bool playing)
{
    r->playing = playing;
    r->anchored = false;
}

static ach_status_t control(ach_driver_t *driver, struct readlog *r, const ach_message_t *m)
{
    const void *body = ach_message_body(m);
    ach_log_get_state_t now = {.type = ACH_LOG_TYPE_READ, .state = r->playing};
    ach_status_t status = ACH_OK;

    switch (ach_message_header(m)->subtype) {
    case ACH_LOG_REQ_GET_STATE:
        return ach_driver_reply(driver, m, ACH_MSG_ACK, &now);
    case ACH_LOG_REQ_SET_READ_STATE:
        if (!body || !r->reader.file)
            return ACH_ENOTSUP;
        set_playing(r, ((const ach_log_set_read_state_t *)body)->state != 0);
        break;
    case ACH_LOG_REQ_SET_READ_REWIND:
        if (!r->reader.file)
            return ACH_ENOTSUP;
        go_back(r);
        break;
    case ACH_LOG_REQ_SET_FILENAME:
        status = change_file(driver, r, body);
        break;
    default:
        return ACH_ENOTSUP;
    }
    return status == ACH_OK ? ach_driver_reply(driver, m, ACH_MSG_ACK, NULL) : status;
}

static ach_status_t readlog_process(ach_driver_t *driver, void *state, const ach_message_t *message)
{
    struct readlog *r = state;
    const ach_header_t *h = ach_message_header(message);
    const struct readlog_answer *a;

    if (h->type != ACH_MSG_REQ)
        return ACH_OK;
    if (h->address.interf == ACH_LOG_CODE)
        return control(driver, r, message);
    a = find_answer(r, &h->address, h->subtype);
    return a ? ach_driver_relay(driver, message, a->message) : ACH_ENOTSUP;
}

/* Sleep in real time, or until a message arrives, and process it. False: the driver must stop. */
static bool nap(ach_driver_t *driver, double seconds)
{
    struct pollfd p = {.fd = ach_driver_fd(driver), .events = POLLIN};
    struct timespec t = {.tv_sec = (time_t)seconds,
                         .tv_nsec = (long)((seconds - floor(seconds)) * 1e9)};

    ppoll(&p, 1, &t, NULL);
    return ach_driver_wait(driver, 0);
}

/* Seconds of real time until this time of the log; the speed may change at any time. */
static double readlog_until(ach_driver_t *driver, struct readlog *r, double time)
{
    double speed = ach_driver_get_double(driver, "speed"), now = monotonic_seconds();
    double played = (now - r->wall_time) * speed;

    if (!(speed > 0))
        return 0;
    if (!r->anchored || time < r->log_time - STEP_BACK) {
        r->anchored = true;
        r->log_time = time;
        r->wall_time = now;
        return 0;
    }
    if (time - r->log_time <= played)
        return 0;
    r->log_time += played; /* so that a new speed takes effect from now on */
    r->wall_time = now;
    return (time - r->log_time) / speed;
}

/* A simulated clock does not go back: shift the times of a log that is played again. */
static double robot_time(ach_driver_t *driver, struct readlog *r, double time)
{
    double now = ach_driver_time(driver);
    ach_status_t status;

    if (!r->any && time + r->shift < now)
        r->shift = now - time;
    r->any = true;
    status = ach_driver_advance(driver, time + r->shift);
    if (status == ACH_ENOTSUP)
        r->shift = 0;
    return time + r->shift;
}

/* The caller owns m: a request processed while the clock advances may change the reader's state. */
static void readlog_publish(ach_driver_t *driver, struct readlog *r, const ach_message_t *m)
{
    ach_header_t h = *ach_message_header(m);
    const ach_address_t *device = device_of(r, &h.address);
    ach_message_t *ours;

    readlog_learn(r, m);
    if (!device || h.type != ACH_MSG_DATA)
        return;
    h.timestamp = robot_time(driver, r, h.timestamp);
    if (ach_message_again(m, &h, &ours) != ACH_OK)
        return;
    ach_driver_forward(driver, device, ours);
    ach_message_unref(ours);
}

static void at_end(ach_driver_t *driver, struct readlog *r)
{
    if (r->autorewind && r->any) {
        go_back(r);
        return;
    }
    ach_driver_log(driver, ACH_LOG_INFO, "%s: end of the log", r->reader.entry.path);
    set_playing(r, false);
}

static void readlog_run(ach_driver_t *driver, void *state)
{
    struct readlog *r = state;
    bool go_on = true;

    while (go_on) {
        ach_message_t *m;
        double wait;

        if (!r->playing || !r->reader.file) {
            go_on = nap(driver, 60);
            continue;
        }
        if (!r->next && !(r->next = drv_reader_next(driver, &r->reader))) {
            at_end(driver, r);
            continue;
        }
        wait = readlog_until(driver, r, ach_message_header(r->next)->timestamp);
        if (wait > 0) {
            go_on = nap(driver, wait < 0.1 ? wait : 0.1);
            continue;
        }
        m = r->next;
        r->next = NULL;
        readlog_publish(driver, r, m);
        ach_message_unref(m);
        go_on = ach_driver_wait(driver, 0);
    }
}

const ach_driver_class_t drv_driver_readlog = {
    .version = ACH_DRIVER_VERSION,
    .name = "readlog",
    .create = readlog_create,
    .destroy = readlog_destroy,
    .setup = readlog_setup,
    .shutdown = readlog_shut_down,
    .process = readlog_process,
    .main = readlog_run,
};

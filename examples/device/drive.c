/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * drive.c - drives a simulated robot from place to place, and has it recorded
 *
 * usage: drive PATH-FILE X Y [X Y ...]
 *
 * The places are in the frame of the map. The file gets a line for each position:
 * time, x, y and angle. Ends with 0 if the robot came to the last place and
 * touched nothing on its way.
 *
 * All devices are opened by their addresses. Where they are, a simulation or the
 * next room, does not matter to the program.
 */
#include <ach.h>
#include <ach/proxies.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATIENCE 30.0 /* s without an answer or data: something is wrong */
#define PASSING 0.6   /* m: this near to a place on the way, the next one is aimed at */
#define LIMIT 200.0   /* s of the robot's time: it is caught somewhere */
#define THERE 0.25    /* m: this near is at the last place */

struct drive {
    ach_device_t *world, *robot, *bumper, *log;
    FILE *path;
    char **places;
    int count, next;
    double began, recorded; /* s */
    unsigned positions, contacts, stalls;
};

static void fail(const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    fputs("drive: ", stderr);
    vfprintf(stderr, format, ap);
    fputc('\n', stderr);
    va_end(ap);
    exit(1);
}

static void must(ach_status_t status, const char *what)
{
    if (status != ACH_OK)
        fail("%s: %s: %s", what, ach_result_to_string(status), ach_errstr());
}

static ach_device_t *device(const char *address)
{
    ach_device_attr_t attr = {.size = sizeof(attr), .timeout = PATIENCE};
    ach_device_t *d = NULL;

    must(ach_device_open(address, &attr, &d), address);
    return d;
}

static ach_pose2d_t place(const struct drive *d)
{
    return (ach_pose2d_t){.px = atof(d->places[2 * d->next]),
                          .py = atof(d->places[2 * d->next + 1])};
}

/* Odometry begins anywhere; from here on it is in the frame of the map. */
static void set_odometry(struct drive *d)
{
    ach_simulation_pose2d_req_t ask = {.name_count = sizeof("robot"), .name = "robot"};
    ach_position2d_set_odom_req_t set;
    const ach_simulation_pose2d_req_t *truth;
    ach_message_t *answer;

    must(ach_simulation_ask_get_pose2d(d->world, &ask, PATIENCE, &answer), "where is the robot");
    truth = ach_message_body(answer);
    if (!truth)
        fail("the simulation does not know its robot");
    set.pose = truth->pose;
    ach_message_unref(answer);
    must(ach_position2d_ask_set_odom(d->robot, &set, PATIENCE, NULL), "setting the odometry");
}

/* What has a later time than the answer is in the log. */
static double record(struct drive *d, uint8_t on)
{
    ach_log_set_write_state_t wanted = {.state = on};
    ach_message_t *answer;
    double time;

    must(ach_log_ask_set_write_state(d->log, &wanted, PATIENCE, &answer), "recording");
    time = ach_message_header(answer)->timestamp;
    ach_message_unref(answer);
    return time;
}

static void aim(struct drive *d)
{
    ach_position2d_cmd_pos_t goal = {.pos = place(d), .state = 1};

    must(ach_position2d_tell_pos(d->robot, &goal), "a goal");
}

static void look_at_bumpers(struct drive *d)
{
    const ach_bumper_data_t *b;
    ach_message_t *m;
    ach_status_t status;
    uint32_t i;

    while ((status = ach_bumper_get_state(d->bumper, 0, 0, &m, &b)) == ACH_OK ||
           status == ACH_MISSED_FRAME) {
        for (i = 0; i < b->bumpers_count; i++)
            d->contacts += b->bumpers[i];
        ach_message_unref(m);
    }
}

static void show(const struct drive *d, const ach_position2d_data_t *p, double time, double far)
{
    static double shown = -1;
    bool live = isatty(STDOUT_FILENO);

    if (time - shown < (live ? 0.4 : 10.0))
        return;
    shown = time;
    printf("%s  %5.1f s  at %5.2f %5.2f  %4.2f m/s  place %d of %d in %5.2f m%s", live ? "\r" : "",
           time - d->began, p->pos.px, p->pos.py, p->vel.px, d->next + 1, d->count, far,
           live ? "\033[K" : "\n");
    fflush(stdout);
}

/* True: at the last place, and standing. */
static bool arrived(struct drive *d, const ach_position2d_data_t *p, double far)
{
    if (d->next + 1 == d->count)
        return far < THERE && fabs(p->vel.px) < 1e-3 && fabs(p->vel.pa) < 1e-3;
    if (far < PASSING) {
        d->next++;
        aim(d);
    }
    return false;
}

static bool take_position(struct drive *d, const ach_position2d_data_t *p, double time)
{
    ach_pose2d_t to = place(d);
    double far = hypot(p->pos.px - to.px, p->pos.py - to.py);
    bool there;

    if (d->positions++ == 0)
        d->began = time;
    if (time - d->began > LIMIT)
        fail("place %d is not reached", d->next + 1);
    d->stalls += p->stall;
    fprintf(d->path, "%.3f %.3f %.3f %.3f\n", time, p->pos.px, p->pos.py, p->pos.pa);
    show(d, p, time, far);
    there = arrived(d, p, far);
    if (there)
        printf("%s  there after %.1f s, %.2f m from the place; %u contacts\n",
               isatty(STDOUT_FILENO) ? "\r\033[K" : "", time - d->began, far, d->contacts);
    return there;
}

/* What was said before is not in the log, and perhaps in another frame. */
static bool step(struct drive *d)
{
    const ach_position2d_data_t *p;
    ach_message_t *m;
    ach_status_t status = ach_position2d_get_state(d->robot, PATIENCE, ACH_O_WAIT, &m, &p);
    double time;
    bool there;

    if (status != ACH_MISSED_FRAME)
        must(status, "position");
    time = ach_message_header(m)->timestamp;
    there = time > d->recorded && take_position(d, p, time);
    ach_message_unref(m);
    return there;
}

static void run(struct drive *d)
{
    set_odometry(d);
    d->recorded = record(d, 1);
    aim(d);
    do
        look_at_bumpers(d);
    while (!step(d));
    record(d, 0);
    look_at_bumpers(d);
}

int main(int argc, char **argv)
{
    struct drive d = {.places = argv + 2, .count = (argc - 2) / 2};

    if (argc < 4 || argc % 2)
        fail("give a file and one place or more, as X Y");
    d.path = fopen(argv[1], "w");
    if (!d.path)
        fail("cannot write %s", argv[1]);
    d.world = device("simulation:0");
    d.robot = device("position2d:1");
    d.bumper = device("bumper:0");
    d.log = device("log:0");
    printf("  devices through the transport \"%s\"\n", ach_device_transport(d.robot));
    run(&d);
    ach_device_close(d.log);
    ach_device_close(d.bumper);
    ach_device_close(d.robot);
    ach_device_close(d.world);
    if (fclose(d.path) != 0)
        fail("cannot write %s", argv[1]);
    return d.contacts || d.stalls;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "mission.h"

#include <ach.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct mission mission;

static ach_address_t out, robot, bumper, world;
static double since;
static bool told;

static ach_status_t create(ach_driver_t *driver, ach_section_t *options, void **state)
{
    ach_status_t status = ach_driver_provide(driver, ACH_OPAQUE_CODE, NULL, &out);

    (void)options;
    *state = &mission;
    told = false;
    if (status == ACH_OK)
        status = ach_driver_require(driver, ACH_POSITION2D_CODE, NULL, &robot);
    if (status == ACH_OK)
        status = ach_driver_require(driver, ACH_BUMPER_CODE, NULL, &bumper);
    return status == ACH_OK ? ach_driver_require(driver, ACH_SIMULATION_CODE, NULL, &world)
                            : status;
}

static void sign(const void *bytes, size_t size)
{
    const unsigned char *b = bytes;

    while (size--)
        mission.signature = (mission.signature ^ *b++) * 0x100000001b3u;
}

static void tell_goal(ach_driver_t *driver)
{
    ach_position2d_cmd_pos_t cmd = {.pos = mission.goals[mission.reached], .state = 1};

    ach_driver_command(driver, &robot, ACH_POSITION2D_CMD_POS, &cmd);
    since = ach_driver_time(driver);
    told = true;
}

static void end(ach_driver_t *driver)
{
    mission.ended = ach_driver_time(driver);
    __atomic_store_n(&mission.done, 1, __ATOMIC_RELEASE);
}

static void look(ach_driver_t *driver, const ach_position2d_data_t *d)
{
    const ach_pose2d_t *goal = &mission.goals[mission.reached];

    if (!told) {
        tell_goal(driver);
        return;
    }
    if (hypot(d->pos.px - goal->px, d->pos.py - goal->py) > mission.near ||
        fabs(d->vel.px) > 1e-6 || fabs(d->vel.pa) > 1e-6) {
        if (ach_driver_time(driver) - since > mission.patience)
            end(driver);
        return;
    }
    if (++mission.reached == mission.count)
        end(driver);
    else
        tell_goal(driver);
}

static void position(ach_driver_t *driver, const ach_message_t *m)
{
    const ach_position2d_data_t *d = ach_message_body(m);

    sign(&ach_message_header(m)->timestamp, sizeof(double));
    sign(&d->pos, sizeof(d->pos));
    if (getenv("MISSION_LOG"))
        fprintf(stderr, "%.2f %d: %.3f %.3f %.3f  %.3f %.3f\n", ach_message_header(m)->timestamp,
                mission.reached, d->pos.px, d->pos.py, d->pos.pa, d->vel.px, d->vel.pa);
    if (told)
        mission.way += hypot(d->pos.px - mission.last.px, d->pos.py - mission.last.py);
    mission.last = d->pos;
    mission.stalls += d->stall;
    look(driver, d);
}

static void bump(const ach_bumper_data_t *d)
{
    uint32_t i;

    for (i = 0; i < d->bumpers_count; i++)
        mission.contacts += d->bumpers[i];
}

static ach_status_t process(ach_driver_t *driver, void *state, const ach_message_t *m)
{
    (void)state;
    if (mission.done)
        return ACH_OK;
    if (ach_message_is(m, &robot, ACH_MSG_DATA, ACH_POSITION2D_DATA_STATE))
        position(driver, m);
    else if (ach_message_is(m, &bumper, ACH_MSG_DATA, ACH_BUMPER_DATA_STATE))
        bump(ach_message_body(m));
    return ACH_OK;
}

/* Resume the simulation, which is paused until all drivers run. */
static void run(ach_driver_t *driver, void *state)
{
    (void)state;
    ach_driver_command(driver, &world, ACH_SIMULATION_CMD_PAUSE, NULL);
    while (ach_driver_wait(driver, -1))
        ;
}

const ach_driver_class_t mission_class = {
    .version = ACH_DRIVER_VERSION,
    .name = "mission",
    .create = create,
    .process = process,
    .main = run,
};

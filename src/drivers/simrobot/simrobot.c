/* SPDX-License-Identifier: BSD-3-Clause */
/* simrobot.c - a simulated robot with two wheels in a bitmap: the driver */
#include <math.h>
#include <stdlib.h>

#include "clock.h"
#include "sim.h"

/*
 * Each tick moves the robot, then looks around. Others have dealt with what one sensor
 * says before the next one speaks: else what they do would depend on who is faster.
 */
static void tick(struct achi_sim *s)
{
    void (*const publish[])(struct achi_sim * s) = {
        achi_sim_position_publish,
        achi_sim_bumper_publish,
        achi_sim_sonar_publish,
        achi_sim_scanner_scan,
    };
    size_t i;

    achi_sim_position_watch(s);
    achi_sim_motion_step(&s->motion, &s->world, s->step);
    for (i = 0; i < sizeof(publish) / sizeof(publish[0]); i++) {
        publish[i](s);
        achi_sim_clock_settle(s);
    }
}

static void run(ach_driver_t *driver, void *state)
{
    struct achi_sim *s = state;
    struct achi_sim_clock clock = {.speed = -1};

    (void)driver;
    while (achi_sim_clock_next(&clock, s))
        tick(s);
}

static ach_status_t process(ach_driver_t *driver, void *state, const ach_message_t *message)
{
    struct achi_sim *s = state;
    const struct {
        const struct achi_sim_device *device;
        ach_status_t (*process)(struct achi_sim *s, const ach_message_t *m);
    } devices[] = {
        {&s->position, achi_sim_position_process}, {&s->laser, achi_sim_laser_process},
        {&s->ranger, achi_sim_ranger_process},     {&s->bumper, achi_sim_bumper_process},
        {&s->sonar, achi_sim_sonar_process},       {&s->simulation, achi_sim_simulation_process},
        {&s->map, achi_sim_map_process},
    };
    const ach_address_t *to = &ach_message_header(message)->address;
    size_t i;

    (void)driver;
    for (i = 0; i < sizeof(devices) / sizeof(devices[0]); i++)
        if (devices[i].device->there && ach_address_equal(&devices[i].device->address, to))
            return devices[i].process(s, message);
    return ACH_ENOTSUP;
}

bool achi_sim_place(struct achi_sim *s, const ach_pose2d_t *pose)
{
    if (!achi_sim_finite(pose) || !achi_sim_motion_fits(&s->motion, &s->world, pose))
        return false;
    s->motion.truth = *pose;
    s->motion.truth.pa = achi_sim_turn(pose->pa);
    s->motion.speed = (struct achi_sim_pair){0};
    s->motion.blocked = s->motion.touching = false;
    return true;
}

void achi_sim_reset(struct achi_sim *s)
{
    struct achi_sim_motion *m = &s->motion;

    achi_sim_place(s, &s->start);
    m->odometry = (ach_pose2d_t){0};
    m->command = (struct achi_sim_command){.mode = ACHI_SIM_STAND};
    m->power = true;
    m->random = s->seed;
    s->scanner.sensor.off = s->sonars.sensor.off = false;
    s->scanner.id = 0;
}

static ach_status_t own_options(struct achi_sim *s, ach_section_t *o)
{
    s->seed = (uint64_t)ach_section_int(o, "seed", 1);
    s->start = achi_sim_pose_option(o, "pose", (ach_pose2d_t){0});
    return achi_sim_clock_options(s, o);
}

/* What reads the options of one thing that the robot has. */
typedef ach_status_t options_reader(struct achi_sim *s, ach_section_t *o);

static ach_status_t read_options(struct achi_sim *s, ach_section_t *o)
{
    static options_reader *const all[] = {
        own_options,
        achi_sim_map_options,
        achi_sim_position_options,
        achi_sim_scanner_options,
        achi_sim_laser_options,
        achi_sim_ranger_options,
        achi_sim_bumper_options,
        achi_sim_sonar_options,
        achi_sim_simulation_options,
    };
    ach_status_t status = ACH_OK;
    size_t i;

    for (i = 0; i < sizeof(all) / sizeof(all[0]) && status == ACH_OK; i++)
        status = all[i](s, o);
    if (status != ACH_OK)
        return status;
    if (ach_section_failed(o))
        return ach_errstr_set(ACH_EINVAL, "simrobot: its options are wrong");
    if (!achi_sim_finite(&s->start) || !achi_sim_motion_fits(&s->motion, &s->world, &s->start)) {
        ach_section_refuse(o, "pose", 0, "a pose where the robot touches no wall");
        return ach_errstr_set(ACH_EINVAL, "simrobot: its pose is in a wall");
    }
    return ACH_OK;
}

static void destroy(ach_driver_t *driver, void *state)
{
    struct achi_sim *s = state;

    (void)driver;
    achi_sim_bitmap_finish(&s->world.map);
    free(s->scanner.ranges);
    free(s);
}

static ach_status_t create(ach_driver_t *driver, ach_section_t *options, void **state)
{
    struct achi_sim *s = calloc(1, sizeof(*s));
    ach_status_t status;

    if (!s)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a robot");
    s->driver = driver;
    status = read_options(s, options);
    if (status != ACH_OK) {
        destroy(driver, s);
        return status;
    }
    achi_sim_reset(s);
    *state = s;
    return ACH_OK;
}

/* The world goes on where it stopped, with the robot at rest. */
static ach_status_t setup(ach_driver_t *driver, void *state)
{
    struct achi_sim *s = state;

    s->motion.command = (struct achi_sim_command){.mode = ACHI_SIM_STAND};
    s->motion.speed = (struct achi_sim_pair){0};
    achi_sim_clock_rebase(s);
    if (s->drive_clock && ach_driver_advance(driver, 0) == ACH_ENOTSUP)
        return ach_errstr_set(
            ACH_ENOTSUP,
            "drive_clock is for a robot with a simulated clock: start it with ach serve "
            "--simulated");
    return ACH_OK;
}

const ach_driver_class_t achi_driver_simrobot = {
    .version = ACH_DRIVER_VERSION,
    .name = "simrobot",
    .create = create,
    .destroy = destroy,
    .setup = setup,
    .process = process,
    .main = run,
};

/* SPDX-License-Identifier: BSD-3-Clause */
/* simrobot.c - a simulated robot with two wheels in a bitmap: the driver */
#include <math.h>
#include <stdlib.h>

#include "clock.h"
#include "sim.h"

static void publish_scan(struct drv_sim *s)
{
    if (!drv_sim_scanner_scan(s))
        return;
    drv_sim_laser_publish(s);
    drv_sim_ranger_publish(s);
    s->scanner.id++;
    s->scanner.sensor.moved = false;
}

/*
 * Each tick moves the robot, then publishes sensor data. Other drivers process the data of one
 * sensor before the next is published: else their behaviour would depend on their speed.
 */
static void tick(struct drv_sim *s)
{
    void (*const publish[])(struct drv_sim * s) = {
        drv_sim_position_publish,
        drv_sim_bumper_publish,
        drv_sim_sonar_publish,
        publish_scan,
    };
    size_t i;

    drv_sim_position_watch(s);
    drv_sim_motion_step(&s->motion, &s->world, s->step);
    for (i = 0; i < sizeof(publish) / sizeof(publish[0]); i++) {
        publish[i](s);
        drv_sim_clock_settle(s);
    }
}

static void simrobot_run(ach_driver_t *driver, void *state)
{
    struct drv_sim *s = state;
    struct drv_sim_clock clock = {.speed = -1};

    (void)driver;
    while (drv_sim_clock_next(&clock, s))
        tick(s);
}

static ach_status_t simrobot_process(ach_driver_t *driver, void *state,
                                     const ach_message_t *message)
{
    struct drv_sim *s = state;
    const struct {
        const struct drv_sim_device *device;
        ach_status_t (*process)(struct drv_sim *s, const ach_message_t *m);
    } devices[] = {
        {&s->position, drv_sim_position_process}, {&s->laser, drv_sim_laser_process},
        {&s->ranger, drv_sim_ranger_process},     {&s->bumper, drv_sim_bumper_process},
        {&s->sonar, drv_sim_sonar_process},       {&s->simulation, drv_sim_simulation_process},
        {&s->map, drv_sim_map_process},
    };
    const ach_address_t *to = &ach_message_header(message)->address;
    size_t i;

    (void)driver;
    for (i = 0; i < sizeof(devices) / sizeof(devices[0]); i++)
        if (devices[i].device->there && ach_address_equal(&devices[i].device->address, to))
            return devices[i].process(s, message);
    return ACH_ENOTSUP;
}

static ach_status_t own_options(struct drv_sim *s, ach_section_t *o)
{
    s->seed = (uint64_t)ach_section_int(o, "seed", 1);
    s->start = drv_sim_pose_option(o, "pose", (ach_pose2d_t){0});
    return drv_sim_clock_options(s, o);
}

/* Reads the options of one part of the robot. */
typedef ach_status_t options_reader(struct drv_sim *s, ach_section_t *o);

static ach_status_t simrobot_read_options(struct drv_sim *s, ach_section_t *o)
{
    static options_reader *const all[] = {
        own_options,
        drv_sim_map_options,
        drv_sim_position_options,
        drv_sim_scanner_options,
        drv_sim_laser_options,
        drv_sim_ranger_options,
        drv_sim_bumper_options,
        drv_sim_sonar_options,
        drv_sim_simulation_options,
    };
    ach_status_t status = ACH_OK;
    size_t i;

    for (i = 0; i < sizeof(all) / sizeof(all[0]) && status == ACH_OK; i++)
        status = all[i](s, o);
    if (status != ACH_OK)
        return status;
    if (ach_section_failed(o))
        return ach_errstr_set(ACH_EINVAL, "simrobot: its options are wrong");
    if (!drv_sim_finite(&s->start) || !drv_sim_motion_fits(&s->motion, &s->world, &s->start)) {
        ach_section_refuse(o, "pose", 0, "a pose where the robot touches no wall");
        return ach_errstr_set(ACH_EINVAL, "simrobot: its pose is in a wall");
    }
    return ACH_OK;
}

static void simrobot_destroy(ach_driver_t *driver, void *state)
{
    struct drv_sim *s = state;

    (void)driver;
    drv_map_finish(&s->world);
    free(s->scanner.ranges);
    free(s);
}

static ach_status_t simrobot_create(ach_driver_t *driver, ach_section_t *options, void **state)
{
    struct drv_sim *s = calloc(1, sizeof(*s));
    ach_status_t status;

    if (!s)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a robot");
    s->driver = driver;
    status = simrobot_read_options(s, options);
    if (status != ACH_OK) {
        simrobot_destroy(driver, s);
        return status;
    }
    drv_sim_reset(s);
    *state = s;
    return ACH_OK;
}

/* The world continues where it stopped, with the robot at rest. */
static ach_status_t simrobot_setup(ach_driver_t *driver, void *state)
{
    struct drv_sim *s = state;

    s->motion.command = (struct drv_sim_command){.mode = DRV_SIM_STAND};
    s->motion.speed = (struct drv_sim_pair){0};
    drv_sim_clock_rebase(s);
    if (s->drive_clock && ach_driver_advance(driver, 0) == ACH_ENOTSUP)
        return ach_errstr_set(
            ACH_ENOTSUP,
            "drive_clock is for a robot with a simulated clock: start it with ach serve "
            "--simulated");
    return ACH_OK;
}

const ach_driver_class_t drv_driver_simrobot = {
    .version = ACH_DRIVER_VERSION,
    .name = "simrobot",
    .create = simrobot_create,
    .destroy = simrobot_destroy,
    .setup = simrobot_setup,
    .process = simrobot_process,
    .main = simrobot_run,
};

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * robot.h - the devices of one process
 *
 * A robot is a table of devices and the drivers behind them, built from a
 * config file. A server adds transports; a program that embeds a robot needs
 * none, and links no network code.
 *
 *     ach_robot_create(NULL, &robot);
 *     ach_robot_load(robot, "robot.cfg");
 *     ach_robot_start(robot);
 *     ...
 *     ach_robot_destroy(robot);
 *
 * Thread safety
 *     create, add, load, start and destroy: one thread. Everything else: any
 *     thread, from start to destroy.
 */
#ifndef ACH_ROBOT_H
#define ACH_ROBOT_H

#include <ach/driver.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct ach_robot ach_robot_t;

/* Options of a robot. Set size to sizeof(ach_robot_attr_t); 0 or NULL is the default. */
typedef struct ach_robot_attr {
    size_t size;
    uint32_t robot;     /* its own number; default: ACH_ROBOT_DEFAULT */
    int simulated;      /* the clock is simulated: only ach_robot_set_time moves it */
    enum ach_log level; /* log lines up to this level; default: ACH_LOG_ERROR */

    /* Called by any thread with a log line, without a newline; NULL: log to standard error. */
    void (*log)(void *context, enum ach_log level, const char *line);
    void *context;

    int strict; /* ach_robot_start fails if a driver that is always on cannot be set up */
} ach_robot_attr_t;

/**
 * ach_robot_create - create a robot without devices
 * @attr: options; NULL: defaults
 * @robot: set to the robot
 *
 * Allocates: yes. Blocks: no.
 *
 * Returns: ACH_OK; ACH_FAILED_SYSCALL.
 *
 * Since: 3.0
 */
ach_status_t ach_robot_create(const ach_robot_attr_t *attr, ach_robot_t **robot);

/**
 * ach_robot_destroy - stop all drivers and free everything
 * @robot: the robot; NULL does nothing
 *
 * All its transports must have been ended before.
 *
 * Allocates: no. Blocks: until all drivers are shut down.
 *
 * Since: 3.0
 */
void ach_robot_destroy(ach_robot_t *robot);

/**
 * ach_robot_add_class - register a driver
 * @robot: the robot
 * @driver: its table, which must last as long as the robot
 *
 * Allocates: yes. Blocks: no.
 *
 * Returns: ACH_OK; ACH_EEXIST: a driver of that name is registered; ACH_BAD_HEADER: built
 * for another version of driver.h, or ACH_DRIVER_INLINE with a main.
 *
 * Since: 3.0
 */
ach_status_t ach_robot_add_class(ach_robot_t *robot, const ach_driver_class_t *driver);

/**
 * ach_robot_add_plugin - register the drivers and transports of a plug-in
 * @robot: the robot
 * @path: the shared object; a bare name is searched where plug-ins are installed
 *        and in ACH_PLUGIN_PATH
 *
 * Allocates: yes. Blocks: while it is loaded.
 *
 * Returns: ACH_OK; ACH_ENOENT; ACH_BAD_HEADER: not a plug-in, or of another version;
 * ACH_EEXIST. ach_errstr says more.
 *
 * Since: 3.0
 */
ach_status_t ach_robot_add_plugin(ach_robot_t *robot, const char *path);

/**
 * ach_robot_load - build drivers and devices from a config file
 * @robot: the robot
 * @path: the file
 *
 * Creates all drivers of the file. Then logs a warning for each option that was not read. After an
 * error the robot may have some of the drivers: destroy it.
 *
 * Allocates: yes. Blocks: while the file is read.
 *
 * Returns: ACH_OK; ACH_EINVAL: the file is wrong, and the log says what and where;
 * ACH_ENOENT: no such file.
 *
 * Since: 3.0
 */
ach_status_t ach_robot_load(ach_robot_t *robot, const char *path);

/**
 * ach_robot_load_config - as ach_robot_load, from a parsed configuration
 * @robot: the robot
 * @config: the configuration, which must last as long as the robot
 *
 * Allocates: yes. Blocks: no.
 *
 * Returns: as ach_robot_load.
 *
 * Since: 3.0
 */
ach_status_t ach_robot_load_config(ach_robot_t *robot, ach_config_t *config);

/**
 * ach_robot_start - set up the drivers that are always on
 * @robot: the robot
 *
 * A driver that cannot be set up, because its hardware or another server is not there
 * yet, is logged and tried again, like a driver that fails later: after half a second,
 * then after twice that and so on, up to 8 seconds. With attr.strict it is an error.
 *
 * Allocates: yes. Blocks: until they are set up, or have failed once.
 *
 * Returns: ACH_OK; ACH_EINVAL: a driver that is always on has no device; with
 * attr.strict, the status of the first driver that failed.
 *
 * Since: 3.0
 */
ach_status_t ach_robot_start(ach_robot_t *robot);

/**
 * ach_robot_number - the robot's own number
 * @robot: the robot
 *
 * Allocates: no. Blocks: no.
 *
 * Returns: the number from attr.robot, or ACH_ROBOT_DEFAULT.
 *
 * Since: 3.0
 */
uint32_t ach_robot_number(const ach_robot_t *robot);

/**
 * ach_robot_time - what time it is on the robot's clock
 * @robot: the robot
 *
 * Allocates: no. Blocks: no.
 *
 * Returns: seconds since 1970, or since the simulation began.
 *
 * Since: 3.0
 */
double ach_robot_time(const ach_robot_t *robot);

/**
 * ach_robot_set_time - move a simulated clock
 * @robot: a robot that was created with attr.simulated
 * @time: seconds; the clock never goes back
 *
 * Wakes drivers that wait for that time, and does not wait until they have done
 * their work: see ach_robot_settle.
 *
 * Allocates: no. Blocks: no.
 *
 * Returns: ACH_OK; ACH_ENOTSUP: the robot's clock is not simulated.
 *
 * Since: 3.0
 */
ach_status_t ach_robot_set_time(ach_robot_t *robot, double time);

/**
 * ach_robot_settle - wait until all drivers have done their work
 * @robot: a robot that was created with attr.simulated
 * @seconds: how long to wait at most, in real time
 *
 * The robot is settled when each driver waits for a later time or for a message, no message
 * is queued for a driver, and no driver is being set up or shut down. Then nothing happens
 * until the clock is moved or a message is delivered. A program that moves the clock like
 * this runs the same each time:
 *
 *     ach_robot_settle(robot, 10);
 *     time = ach_robot_next(robot);         or an earlier event of the program
 *     ach_robot_set_time(robot, time);
 *
 * Do not use it together with ach_driver_advance: only one of the two may move the clock. Makes no
 * system call if the robot is settled already. Must not be called by a driver.
 *
 * Allocates: no. Blocks: for that time at most.
 *
 * Returns: ACH_OK; ACH_TIMEOUT: ach_errstr names the driver that is not done;
 * ACH_ENOTSUP: the robot's clock is not simulated.
 *
 * Since: 3.1
 */
ach_status_t ach_robot_settle(ach_robot_t *robot, double seconds);

/**
 * ach_robot_next - the time when the next driver wakes up
 * @robot: a robot that was created with attr.simulated, and is settled
 *
 * Allocates: no. Blocks: no.
 *
 * Returns: seconds on the robot's clock; infinity: no driver waits for a time, or the
 * robot's clock is not simulated.
 *
 * Since: 3.1
 */
double ach_robot_next(ach_robot_t *robot);

/* One device of a robot. */
typedef struct ach_device_info {
    ach_address_t address;
    char driver[64]; /* its driver's name */
    int remote;      /* on another server; a driver of this robot requires it */
    unsigned subscriptions;
} ach_device_info_t;

/**
 * ach_robot_devices - list the devices
 * @robot: the robot
 * @devices: set to the first @room of them
 * @room: how many fit; may be 0
 *
 * Allocates: no. Blocks: no.
 *
 * Returns: how many there are.
 *
 * Since: 3.0
 */
size_t ach_robot_devices(const ach_robot_t *robot, ach_device_info_t *devices, size_t room);

/**
 * ach_robot_log - write a line to the robot's log
 * @robot: the robot
 * @level: the severity, such as ACH_LOG_ERROR
 * @format: as for printf
 *
 * At most 20 lines with one @format are written in 10 seconds. The others are counted, and the
 * count is written later.
 *
 * Allocates: no. Blocks: no longer than the log does.
 *
 * Since: 3.0
 */
void ach_robot_log(const ach_robot_t *robot, enum ach_log level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * device.h - for applications: use a device, local or remote
 *
 * A device is opened by its address: in this process, on this machine through
 * channels, or anywhere by TCP. The functions are the same for all of them.
 *
 *     ach_device_open("laser:0", NULL, &laser);
 *     ach_device_get(laser, ACH_LASER_DATA_SCAN, 1.0, ACH_O_LAST | ACH_O_WAIT, &m);
 *     const ach_laser_data_t *scan = ach_message_body(m);
 *     ...
 *     ach_message_unref(m);
 *
 * Thread safety
 *     Different handles: anything. One handle: one thread at a time.
 */
#ifndef ACH_DEVICE_H
#define ACH_DEVICE_H

#include <ach/access.h>
#include <ach/interfaces.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct ach_device ach_device_t;

/* How to open a device. Set size to sizeof(ach_device_attr_t); 0 or NULL is the default. */
typedef struct ach_device_attr {
    size_t size;
    ach_robot_t *robot;    /* a robot of this process that has the device */
    const char *transport; /* "tcp", "channel" or a plug-in's; default: by the address */
    double timeout;        /* seconds to connect and to wait for the driver's setup; default: 5 */
    unsigned messages;     /* queue length; default: 1024; more are dropped and counted */
    uint64_t anticipate;   /* through channels: as ach_attr_set_anticipate; default: 0 */
} ach_device_attr_t;

/* Any subtype. */
#define ACH_SUBTYPE_ANY (-1)

/**
 * ach_device_open - open a device
 * @address: "laser:0" for this machine, "6666:laser:0" for another robot on it,
 *           "robot.local:6665:laser:0" for another host
 * @attr: options; NULL: defaults
 * @device: set to the handle
 *
 * An address without a host means this machine: the device is opened through channels, or by
 * TCP if it has no channels. If the channels exist but may not be read, the result is
 * ACH_EACCES. If @attr has no transport, the environment variable ACH_TRANSPORT selects one. The
 * plug-ins in ACH_PLUGINS, separated by colons, are loaded first. If the address has neither a host
 * nor a robot, the robot is the one in ACH_ROBOT, which `ach sim` sets; 6665 if it is not set.
 *
 * A user with permission to read a device's data, but not to write requests, gets only the data;
 * see ach_device_rights.
 *
 * Allocates: yes. Blocks: until the device is set up.
 *
 * Returns: ACH_OK; ACH_EINVAL: not an address; ACH_ENOENT: no such device;
 * ACH_TIMEOUT; ACH_EACCES: refused; ACH_FAILED_SYSCALL: no server there. ach_errstr
 * says more.
 *
 * Since: 3.0
 */
ach_status_t ach_device_open(const char *address, const ach_device_attr_t *attr,
                             ach_device_t **device);

/* Seconds that ach_device_close waits at most until the driver has handled the commands. */
#define ACH_DEVICE_CLOSE_SECONDS 2.0

/**
 * ach_device_close - close a device
 * @device: the handle; NULL does nothing
 *
 * Commands that were sent before still reach the device. This waits until the driver has
 * handled them, as ach_device_flush does, for at most ACH_DEVICE_CLOSE_SECONDS. If the last
 * ach_device_flush returned ACH_TIMEOUT or ACH_CLOSED, this does not wait again, and returns the
 * same status. The handle is freed in any case.
 *
 * A child of fork can use a device through channels. With its first command or request it becomes a
 * client of the server, besides its parent. With other transports, calls in the child
 * return ACH_CLOSED, and this does nothing; the parent is not affected.
 *
 * Allocates: yes. Blocks: see above.
 *
 * Returns: ACH_OK; ACH_TIMEOUT, ACH_CLOSED: the driver may not have handled the last
 * commands; ACH_ENOTSUP, ACH_OVERFLOW: commands were lost, see ach_device_flush.
 *
 * Since: 3.0; returns a status since 3.1
 */
ach_status_t ach_device_close(ach_device_t *device);

/**
 * ach_device_flush - wait until the driver has handled all commands
 * @device: the handle
 * @seconds: how long at most
 *
 * ach_device_command waits neither for the network nor for the driver. This does: afterwards the
 * driver's process callback has returned for all commands that were sent through this handle. If
 * the driver only passes commands on, as passthrough does, the driver behind it has handled them,
 * too. Commands that were not handled are reported, each of them once: the driver's queue was full,
 * the caller has no right to command the device, or the driver did not support the command, or
 * stopped before it handled it. Behind a device of another server, commands of other clients may be
 * counted, too; and commands count as not handled if the connection was lost before they were
 * known to be. Servers of Player report none, and with them this waits until the
 * commands have reached the driver's queue. With channels, if the caller may not send
 * requests, it does not wait. Makes no system call if no command was sent since the last call.
 *
 * Allocates: yes. Blocks: for that time at most.
 *
 * Returns: ACH_OK; ACH_TIMEOUT, ACH_CLOSED: some of them may not be handled;
 * ACH_ENOTSUP: commands of this handle were not handled, as above; ach_errstr has their number
 * and why the last one was not; ACH_OVERFLOW: with channels: commands to this device came faster
 * than the server read them, and some were overwritten, of this handle or of others.
 *
 * Since: 3.1
 */
ach_status_t ach_device_flush(ach_device_t *device, double seconds);

/**
 * ach_device_address - where the device is
 * @device: the handle
 *
 * Allocates: no. Blocks: no. Real-time: yes.
 *
 * Returns: the address, as messages from it carry it.
 *
 * Since: 3.0
 */
const ach_address_t *ach_device_address(const ach_device_t *device);

/**
 * ach_device_transport - how the device is reached
 * @device: the handle
 *
 * Allocates: no. Blocks: no. Real-time: yes.
 *
 * Returns: "inproc", "channel", "tcp" or the name of another transport.
 *
 * Since: 3.0
 */
const char *ach_device_transport(const ach_device_t *device);

/**
 * ach_device_rights - the caller's rights to the device
 * @device: the handle
 *
 * Without ACH_RIGHT_REQUEST the driver is not set up for this handle: data comes only while it
 * runs for another client.
 *
 * Allocates: no. Blocks: no. Real-time: yes.
 *
 * Returns: a set of ACH_RIGHT_DATA, ACH_RIGHT_COMMAND, ACH_RIGHT_REQUEST and ACH_RIGHT_LIST.
 *
 * Since: 3.1
 */
unsigned ach_device_rights(const ach_device_t *device);

/**
 * ach_device_get - get data
 * @device: the handle
 * @subtype: which data, or ACH_SUBTYPE_ANY
 * @timeout: with ACH_O_WAIT: seconds to wait; negative: for ever
 * @options: ACH_O_LAST: the newest, and drop older ones; ACH_O_WAIT: wait
 * @message: set to the message; the caller releases it with ach_message_unref
 *
 * Data of other subtypes is kept for later calls.
 *
 * Allocates: yes. Blocks: with ACH_O_WAIT.
 *
 * Returns: ACH_OK; ACH_MISSED_FRAME: there is a message, and some before it were
 * lost, see ach_device_lost; ACH_STALE_FRAMES: there is none; ACH_TIMEOUT;
 * ACH_CLOSED: the connection is lost, or the server has ended, and no message is left. A call
 * that waits on channels can take a second to detect that the server was killed.
 *
 * Since: 3.0
 */
ach_status_t ach_device_get(ach_device_t *device, int subtype, double timeout, int options,
                            ach_message_t **message);

/**
 * ach_device_command - send a command to the device
 * @device: the handle
 * @subtype: the message
 * @body: its struct; NULL: no body
 *
 * Does not wait until the command has arrived: see ach_device_flush and ach_device_close.
 * ACH_OK does not mean that the server will receive it: the server may end before.
 *
 * Allocates: yes. Blocks: no.
 *
 * Returns: ACH_OK: accepted; ACH_CLOSED: the connection is lost; ACH_EINVAL: no such
 * message, or a count above its limit; ACH_OVERFLOW: it is longer than the channel for
 * commands or a message allows, or the server does not read.
 *
 * Since: 3.0
 */
ach_status_t ach_device_command(ach_device_t *device, uint8_t subtype, const void *body);

/**
 * ach_device_request - send a request to the device, and wait for the answer
 * @device: the handle
 * @subtype: the message
 * @body: its struct; NULL: no body
 * @timeout: seconds to wait at most
 * @answer: set to the ACK or NACK, which the caller releases; NULL: not wanted
 *
 * Allocates: yes. Blocks: until there is an answer or the timeout has passed.
 *
 * Returns: ACH_OK: an ACK came; ACH_ENOTSUP: a NACK came, and *@answer is set;
 * ACH_TIMEOUT; ACH_CLOSED; ACH_EINVAL; ACH_OVERFLOW: as ach_device_command.
 *
 * Since: 3.0
 */
ach_status_t ach_device_request(ach_device_t *device, uint8_t subtype, const void *body,
                                double timeout, ach_message_t **answer);

/**
 * ach_device_fd - a descriptor that is readable while there is a message
 * @device: the handle
 *
 * For select, poll and epoll. It is readable for ever once the connection is lost or the server
 * has ended. Call ach_device_get until it returns ACH_STALE_FRAMES before polling again; the
 * first call may return that already.
 *
 * Allocates: no. Blocks: no.
 *
 * Returns: the descriptor, which belongs to the handle and lasts as long.
 *
 * Since: 3.0
 */
int ach_device_fd(ach_device_t *device);

/* Called for data. It must not release the message. */
typedef void ach_device_data_t(void *context, ach_device_t *device, const ach_message_t *message);

/**
 * ach_device_dispatch - call a function for each message
 * @device: the handle
 * @timeout: seconds to wait for the first message; 0: do not wait; negative: for ever
 * @data: called for each message that is there, but at most ACH_QUEUE_MESSAGES times, so that
 *        this returns even if the device publishes faster than @data works
 * @context: passed to @data
 *
 * Allocates: yes. Blocks: for that time, and as long as @data does.
 *
 * Returns: ACH_OK: @data was called; ACH_STALE_FRAMES or ACH_TIMEOUT: there was no message;
 * ACH_CLOSED.
 *
 * Since: 3.0
 */
ach_status_t ach_device_dispatch(ach_device_t *device, double timeout, ach_device_data_t *data,
                                 void *context);

/**
 * ach_device_lost - how many messages were lost so far
 * @device: the handle
 *
 * Allocates: no. Blocks: no. Real-time: yes.
 *
 * Returns: the number, since the device was opened.
 *
 * Since: 3.0
 */
uint64_t ach_device_lost(const ach_device_t *device);

/**
 * ach_device_list - list the devices of a robot
 * @where: a host and robot, as in addresses: "robot.local:6665", "6666" or ""
 * @attr: as for ach_device_open; NULL: defaults
 * @devices: set to the first @room of them
 * @room: how many fit
 * @count: set to how many there are
 *
 * Without a host in @where and a transport in @attr, the TCP server of this machine is queried. If
 * that fails, the devices that have channels on this machine are listed, with "" as the driver.
 *
 * Allocates: yes. Blocks: until the server has answered.
 *
 * Returns: as ach_device_open.
 *
 * Since: 3.0
 */
ach_status_t ach_device_list(const char *where, const ach_device_attr_t *attr,
                             ach_device_info_t *devices, size_t room, size_t *count);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif

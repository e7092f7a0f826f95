/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * device.h - for applications: use a device, wherever it is
 *
 * A device is opened by its address: in this process, on this machine through
 * channels, or anywhere by TCP. What follows is the same for all of them.
 *
 *     ach_device_open("laser:0", NULL, &laser);
 *     ach_device_get(laser, ACH_LASER_DATA_SCAN, 1.0, ACH_O_LAST | ACH_O_WAIT, &m);
 *     const ach_laser_data_t *scan = ach_message_body(m);
 *     ...
 *     ach_message_unref(m);
 *
 * Who may call what at the same time
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

/* How to open a device. Set size to sizeof(ach_device_attr_t), and the rest to 0 or more. */
typedef struct ach_device_attr {
    size_t size;
    ach_robot_t *robot;    /* the device is in this process */
    const char *transport; /* "tcp", "channel" or of a plug-in; NULL: what fits the address */
    double timeout;        /* seconds to connect and to wait for the driver's setup; 0: 5 */
    unsigned messages;     /* that wait for ach_device_get; 0: 1024; more are lost and counted */
} ach_device_attr_t;

/* Any subtype. */
#define ACH_SUBTYPE_ANY (-1)

/**
 * ach_device_open - use a device
 * @address: as "laser:0" on this machine, "6666:laser:0" for another robot on it,
 *           "robot.local:6665:laser:0" for another host
 * @attr: how; NULL: as usual
 * @device: set to the handle
 *
 * Without a host, the device is looked for among the channels of this machine. Only
 * if there are none, the TCP server of this machine is asked; channels that may not be
 * read are ACH_EACCES. ACH_TRANSPORT in the environment chooses; plug-ins that ACH_PLUGINS
 * names, separated by colons, are loaded first. Without a host and a robot, the robot is that of
 * ACH_ROBOT in the environment, where `ach sim` puts that of the world; 6665 if it is not set.
 *
 * A user who may read a device's data and may not write requests gets the data alone; see
 * ach_device_rights.
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

/* ach_device_close waits so many seconds for a server to take the last commands. */
#define ACH_DEVICE_CLOSE_SECONDS 2.0

/**
 * ach_device_close - let go of a device
 * @device: the handle; NULL does nothing
 *
 * Commands that were given before still reach the device. Over a network this waits until
 * the server has taken them, as ach_device_flush does, for ACH_DEVICE_CLOSE_SECONDS at most.
 * If ach_device_flush has failed since the last command, this does not wait again, and
 * returns the same status. Through channels it does not wait: the server takes a handle's
 * commands before it ends the handle's subscription. If the server was killed, they are lost, and
 * this returns ACH_OK; call ach_device_flush before, to know. The handle is gone in any case.
 *
 * Allocates: yes. Blocks: see above.
 *
 * Returns: ACH_OK; ACH_TIMEOUT, ACH_CLOSED: the server may not have got the last
 * commands.
 *
 * Since: 3.0; returns a status since 3.1
 */
ach_status_t ach_device_close(ach_device_t *device);

/**
 * ach_device_flush - wait until the server has taken all commands
 * @device: the handle
 * @seconds: how long at most
 *
 * ach_device_command does not wait for the network. This does: afterwards the server has handed
 * all commands that were given through this handle to the device's driver. It does not
 * mean that the driver has handled them; a driver whose queue is full drops commands, which
 * the server logs. Takes no system call if no command was given since the last flush.
 *
 * Allocates: yes. Blocks: for that time at most.
 *
 * Returns: ACH_OK; ACH_TIMEOUT, ACH_CLOSED: the server may not have got some of them;
 * ACH_OVERFLOW: through channels, commands to this device have come faster than the
 * server took them, and some were overwritten, which may be of this handle or of others.
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
 * ach_device_rights - what the caller may do with the device
 * @device: the handle
 *
 * Without ACH_RIGHT_REQUEST the driver is not set up for this handle: data comes while it runs
 * for somebody else.
 *
 * Allocates: no. Blocks: no. Real-time: yes.
 *
 * Returns: of ACH_RIGHT_DATA, ACH_RIGHT_COMMAND and ACH_RIGHT_REQUEST, and ACH_RIGHT_LIST.
 *
 * Since: 3.1
 */
unsigned ach_device_rights(const ach_device_t *device);

/**
 * ach_device_get - get data
 * @device: the handle
 * @subtype: which, or ACH_SUBTYPE_ANY
 * @timeout: with ACH_O_WAIT: how many seconds; negative: without end
 * @options: ACH_O_LAST: the newest, and forget older ones; ACH_O_WAIT: wait
 * @message: set to the message, which is the caller's to release
 *
 * Data of other subtypes stays for later calls.
 *
 * Allocates: yes. Blocks: with ACH_O_WAIT.
 *
 * Returns: ACH_OK; ACH_MISSED_FRAME: there is a message, and some before it were
 * lost, see ach_device_lost; ACH_STALE_FRAMES: there is none; ACH_TIMEOUT;
 * ACH_CLOSED: the connection is lost, or the server has ended, and there is nothing left. A call
 * that waits on channels can be a second late to tell that the server was killed.
 *
 * Since: 3.0
 */
ach_status_t ach_device_get(ach_device_t *device, int subtype, double timeout, int options,
                            ach_message_t **message);

/**
 * ach_device_command - tell the device what to do
 * @device: the handle
 * @subtype: the message
 * @body: its struct; NULL: no body
 *
 * Does not wait until the command has arrived: see ach_device_flush and ach_device_close.
 * ACH_OK does not mean that the server takes it: it may end before. ach_device_flush tells.
 *
 * Allocates: yes. Blocks: no.
 *
 * Returns: ACH_OK: accepted; ACH_CLOSED: the connection is lost; ACH_EINVAL: no such
 * message, or a count above its limit; ACH_OVERFLOW: longer than the channel for
 * commands, or than any message may be, or the other side does not read.
 *
 * Since: 3.0
 */
ach_status_t ach_device_command(ach_device_t *device, uint8_t subtype, const void *body);

/**
 * ach_device_request - ask the device, and wait for the answer
 * @device: the handle
 * @subtype: the message
 * @body: its struct; NULL: no body
 * @timeout: seconds
 * @answer: set to the ACK or NACK, which is the caller's to release; NULL: not wanted
 *
 * Allocates: yes. Blocks: until there is an answer or the time is over.
 *
 * Returns: ACH_OK: an ACK came; ACH_ENOTSUP: a NACK came, and *@answer is set;
 * ACH_TIMEOUT; ACH_CLOSED; ACH_EINVAL; ACH_OVERFLOW: as ach_device_command.
 *
 * Since: 3.0
 */
ach_status_t ach_device_request(ach_device_t *device, uint8_t subtype, const void *body,
                                double timeout, ach_message_t **answer);

/**
 * ach_device_fd - a descriptor that is readable while there is something to get
 * @device: the handle
 *
 * For select, poll and epoll; also readable when the connection is lost or the server has ended, and
 * from then on. Get until ACH_STALE_FRAMES before waiting again; at times that is the first status.
 *
 * Allocates: no. Blocks: no.
 *
 * Returns: the descriptor, which lives as long as the handle.
 *
 * Since: 3.0
 */
int ach_device_fd(ach_device_t *device);

/* Called for data. The message is the caller's. */
typedef void ach_device_data_t(void *context, ach_device_t *device, const ach_message_t *message);

/**
 * ach_device_dispatch - have a function called for data
 * @device: the handle
 * @timeout: how many seconds to wait for the first message; 0: not at all; negative:
 *           without end
 * @data: called for each message that is there, but at most ACH_QUEUE_MESSAGES times, so that
 *        a device that publishes faster than @data works does not keep the caller
 * @context: given to @data
 *
 * Allocates: yes. Blocks: for that time, and as long as @data does.
 *
 * Returns: ACH_OK: it was called; ACH_STALE_FRAMES or ACH_TIMEOUT: there was nothing;
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
 * ach_device_list - which devices there are
 * @where: a host and robot, as "robot.local:6665", "6666" or ""; as in addresses
 * @attr: as for ach_device_open; NULL: as usual
 * @devices: set to the first @room of them
 * @room: how many fit
 * @count: set to how many there are
 *
 * Without a host and a transport in @attr, the server is asked by TCP, and if that fails, the
 * devices are those with channels on this machine; then .driver is "".
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

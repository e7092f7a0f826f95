/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * channel.h - devices as channels of this machine
 *
 * Programs that know nothing of devices can read a device's data with ach_get:
 * dev.6665.laser.0.data holds ACH_FRAME_HEADER bytes of header, then the body
 * as ach_decode expects it.
 */
#ifndef ACH_CHANNEL_TRANSPORT_H
#define ACH_CHANNEL_TRANSPORT_H

#include <ach/transport.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The transport "channel": serves a robot. Its clients use ach_device_open. */
extern const ach_transport_class_t ach_transport_channel;

/*
 * The same without a thread, for a host that runs a robot in its own loop: commands and
 * requests are delivered to the robot in ach_channels_poll, in the thread that calls it.
 */
typedef struct ach_channels ach_channels_t;

/**
 * ach_channels_serve - serve a robot's devices as channels, without a thread
 * @robot: a robot that was started
 * @options: the transport's options size and count; NULL: defaults
 * @channels: set to the server
 *
 * The functions of one server must be called by one thread at a time.
 *
 * Allocates: yes. Blocks: no.
 *
 * Returns: ACH_OK; ACH_EEXIST: another server serves that robot's channels; ACH_EINVAL:
 * an option is wrong; or the status of ach_create.
 *
 * Since: 3.1
 */
ach_status_t ach_channels_serve(ach_robot_t *robot, ach_section_t *options,
                                ach_channels_t **channels);

/**
 * ach_channels_poll - deliver all commands and requests in the channels to the robot
 * @channels: the server
 * @seconds: how long to wait for answers at most, in real time
 *
 * Delivers first the commands, device by device in the robot's order, then the requests in
 * the order in which they came. If there were requests, it waits until their answers are in
 * the channel of answers: the answers of drivers, and the results of subscriptions. With a
 * simulated clock it waits by ach_robot_settle: an answer that a driver gives at a later
 * simulated time is sent by a later call. Makes no system call if there is nothing to do.
 *
 * Allocates: yes. Blocks: for that time at most.
 *
 * Returns: ACH_OK; ACH_TIMEOUT: some answers are still missing; later calls send them.
 *
 * Since: 3.1
 */
ach_status_t ach_channels_poll(ach_channels_t *channels, double seconds);

/**
 * ach_channels_look - remove clients whose process has exited
 * @channels: the server
 *
 * Their subscriptions end. It makes a system call for each client: call it now and then, or
 * when the host knows that a process has exited.
 *
 * Allocates: no. Blocks: no.
 *
 * Since: 3.1
 */
void ach_channels_look(ach_channels_t *channels);

/**
 * ach_channels_end - stop serving, and remove the channels
 * @channels: the server; NULL does nothing
 *
 * Commands and requests that were put after the last ach_channels_poll are ignored, except the
 * commands of clients that are still subscribed. Call ach_channels_poll first if they matter.
 *
 * Allocates: no. Blocks: no.
 *
 * Since: 3.1
 */
void ach_channels_end(ach_channels_t *channels);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif

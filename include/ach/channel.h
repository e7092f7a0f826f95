/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * channel.h - devices as channels of this machine
 *
 * Programs that know nothing of devices can read a device's data with ach_get:
 * dev.6665.laser.0.data holds ACH_FRAME_HEADER bytes of header, then the body
 * as ach_decode takes it.
 */
#ifndef ACH_CHANNEL_TRANSPORT_H
#define ACH_CHANNEL_TRANSPORT_H

#include <ach/transport.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The transport "channel". Serves a robot; ach_device_open knows the other end. */
extern const ach_transport_class_t ach_transport_channel;

/*
 * The same without a thread, for who hosts a robot in a loop of his own: commands and
 * requests are handed to the robot when he says so, in the thread that says so.
 */
typedef struct ach_channels ach_channels_t;

/**
 * ach_channels_serve - serve a robot's devices as channels, by hand
 * @robot: a robot that was started
 * @options: as those of the transport: size, count; NULL: as usual
 * @channels: set to what serves
 *
 * The functions here are for one thread at a time.
 *
 * Allocates: yes. Blocks: no.
 *
 * Returns: ACH_OK; ACH_EEXIST: somebody else serves that robot's channels; ACH_EINVAL:
 * an option is wrong; what ach_create returned.
 *
 * Since: 3.1
 */
ach_status_t ach_channels_serve(ach_robot_t *robot, ach_section_t *options,
                                ach_channels_t **channels);

/**
 * ach_channels_poll - hand all that is in the channels now to the robot
 * @channels: what ach_channels_serve made
 * @seconds: how long to wait for answers at most, on the wall's clock
 *
 * First the commands, device by device in the robot's order, then the requests in the
 * order in which they came. If there were requests, waits until their answers are in
 * the channel of answers: those of drivers, and whether a subscription's driver could be set
 * up. On a simulated clock it waits with ach_robot_settle: what a driver answers at
 * a later time is passed on by a later call. Takes no system call if there is nothing to do.
 *
 * Allocates: yes. Blocks: for that time at most.
 *
 * Returns: ACH_OK; ACH_TIMEOUT: answers are still to come, and later calls pass them on.
 *
 * Since: 3.1
 */
ach_status_t ach_channels_poll(ach_channels_t *channels, double seconds);

/**
 * ach_channels_look - forget clients whose process has ended
 * @channels: what ach_channels_serve made
 *
 * Their subscriptions end. A system call for each client: every now and then is enough, or
 * when the host knows that a process has ended.
 *
 * Allocates: no. Blocks: no.
 *
 * Since: 3.1
 */
void ach_channels_look(ach_channels_t *channels);

/**
 * ach_channels_end - serve no more, and remove the channels
 * @channels: what ach_channels_serve made; NULL does nothing
 *
 * Commands and requests that were put after the last ach_channels_poll are not looked at, except
 * the commands of clients that are still subscribed. Call ach_channels_poll first if they matter.
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

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * playercore.h - the API of Player 3 for authors of drivers
 *
 * Sources that were written for Player compile against these headers without changes, and the
 * plug-in is loaded by ach serve. docs/player-drivers.md says how, and what is different. New
 * drivers are better written against <ach/driver.h>.
 *
 * Threads
 *     The constructor runs in the thread that builds the robot. Setup, Main, ProcessMessage,
 *     Update and Shutdown run in the driver's own thread. Publish, Device::PutMsg and the methods
 *     of queues may be called from any thread.
 */
#ifndef ACH_PLAYER_PLAYERCORE_H
#define ACH_PLAYER_PLAYERCORE_H

#include <playerconfig.h>

#include <libplayercommon/playercommon.h>
#include <libplayercore/configfile.h>
#include <libplayercore/device.h>
#include <libplayercore/devicetable.h>
#include <libplayercore/driver.h>
#include <libplayercore/drivertable.h>
#include <libplayercore/filewatcher.h>
#include <libplayercore/globals.h>
#include <libplayercore/message.h>
#include <libplayercore/playertime.h>
#include <libplayercore/property.h>
#include <libplayercore/wallclocktime.h>
#include <libplayerinterface/addr_util.h>
#include <libplayerinterface/interface_util.h>
#include <libplayerinterface/player.h>
#include <libplayerinterface/playerxdr.h>

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* globals.h - the tables of the process; made when the library is loaded */
#ifndef ACH_PLAYER_GLOBALS_H
#define ACH_PLAYER_GLOBALS_H

#include <playerconfig.h>

class DeviceTable;
class PlayerTime;
class DriverTable;
class FileWatcher;

extern DeviceTable *deviceTable;
extern PlayerTime *GlobalTime; /* the clock of the calling driver's robot */
extern DriverTable *driverTable;
extern FileWatcher *fileWatcher;
extern char playerversion[];
extern bool player_quit; /* never set: drivers are stopped one by one */
extern bool player_quiet_startup;
extern int player_argc; /* 0 */
extern char **player_argv;

void player_globals_init(void);
void player_globals_fini(void);

#endif

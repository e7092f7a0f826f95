/* SPDX-License-Identifier: BSD-3-Clause */
/* wallclocktime.h - the system's clock, whatever clock the robot has */
#ifndef ACH_PLAYER_WALLCLOCKTIME_H
#define ACH_PLAYER_WALLCLOCKTIME_H

#include <libplayercore/playertime.h>

class WallclockTime : public PlayerTime
{
  public:
    int GetTime(struct timeval *time);
    int GetTimeDouble(double *time);
};

#endif

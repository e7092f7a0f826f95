/* SPDX-License-Identifier: BSD-3-Clause */
/* playertime.h - a clock */
#ifndef ACH_PLAYER_PLAYERTIME_H
#define ACH_PLAYER_PLAYERTIME_H

#include <sys/time.h>

class PlayerTime
{
  public:
    virtual ~PlayerTime()
    {
    }
    virtual int GetTime(struct timeval *time) = 0;
    virtual int GetTimeDouble(double *time) = 0;
};

#define TIMESUB(a, b, result) timersub(a, b, result)

#endif

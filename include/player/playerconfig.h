/* SPDX-License-Identifier: BSD-3-Clause */
/* playerconfig.h - what sources of Player ask about the system: a current Debian has all of it */
#ifndef ACH_PLAYER_PLAYERCONFIG_H
#define ACH_PLAYER_PLAYERCONFIG_H

#define PLAYER_VERSION "3.1.0"

#define HAVE_STDINT_H 1
#define HAVE_CFMAKERAW 1
#define HAVE_DIRNAME 1
#define HAVE_POLL 1
#define HAVE_POLLFD 1
#define HAVE_POLLIN 1
#define HAVE_ROUND 1
#define HAVE_RINT 1
#define HAVE_COMPRESSBOUND 1
#define HAVE_CLOCK_GETTIME 1
#define HAVE_STL 1
#define HAVE_M 1
#define HAVE_GETTIMEOFDAY 1
#define HAVE_USLEEP 1
#define HAVE_NANOSLEEP 1
#define HAVE_STRUCT_TIMESPEC 1
#define HAVE_GETOPT 1

#include <stdint.h>
#include <sys/types.h>

#endif

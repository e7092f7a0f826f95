/* SPDX-License-Identifier: BSD-3-Clause */
/* replace.h - functions that Player replaces where the system lacks them; Linux has them all */
#ifndef ACH_PLAYER_REPLACE_H
#define ACH_PLAYER_REPLACE_H

#include <libgen.h>
#include <limits.h>
#include <math.h>
#include <playerconfig.h>
#include <poll.h>
#include <sys/time.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#endif

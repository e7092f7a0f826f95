/* SPDX-License-Identifier: BSD-3-Clause */
/* config.h - drivers from Player's own tree include it for the same as playerconfig.h */
#ifndef ACH_PLAYER_CONFIG_H
#define ACH_PLAYER_CONFIG_H

#include <playerconfig.h>

#endif

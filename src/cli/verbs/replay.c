/* SPDX-License-Identifier: BSD-3-Clause */
/* ach replay - play logs back; the work is in src/tools */
#include "../../tools/replay.h"

#include "cli.h"

const struct verb verb_replay = {
    .name = "replay",
    .summary = "play recordings back into channels",
    .run = ach_verb_replay,
};

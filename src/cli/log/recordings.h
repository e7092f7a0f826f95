/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * recordings.h - shared by the tools of ach log
 *
 * ach log WHAT ... finds the tool by its name; each is a verb in a file of its own.
 */
#ifndef RECORDINGS_H
#define RECORDINGS_H

#include "../../logs/logs.h"
#include "../cli.h"
#include "../decode.h"

extern const struct verb log_info_verb, log_cat_verb, log_filter_verb, log_merge_verb,
    log_convert_verb, log_repair_verb;

#endif

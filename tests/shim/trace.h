/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * trace.h - record a run, step by step, for the model to replay
 *
 * The format is described in model/README.md.
 */
#ifndef SHIM_TRACE_H
#define SHIM_TRACE_H

#include <stdio.h>

#include "play.h"

/* Run a plan and write its trace. False: the run failed. */
bool trace_play(const struct plan *plan, struct policy *policy, FILE *out);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* attach.h - files in a recording, such as those that configured the robot */
#ifndef RECORD_ATTACH_H
#define RECORD_ATTACH_H

#include "record.h"
#include "writer.h"

/* Are they readable? False after complaining. */
bool record_attach_check(const struct record_settings *options);

/* False: see errno. */
bool record_attach(struct mcap_writer *w, const struct record_settings *options);

#endif

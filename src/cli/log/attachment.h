/* SPDX-License-Identifier: BSD-3-Clause */
/* attachment.h - files that a recording contains */
#ifndef REC_ATTACHMENT_H
#define REC_ATTACHMENT_H

#include "recordings.h"

/* Write the attachment of this name to standard output. False after complaining: there is none. */
bool rec_attachment_write(const struct logs_source *s, const char *name);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * line.h - messages as lines of a log
 *
 *     time host robot interface index type subtype body...
 */
#ifndef DRV_LOG_LINE_H
#define DRV_LOG_LINE_H

#include "text.h"

/* The lines at the head of a log. */
void drv_line_head(struct drv_text *t);

/*
 * Append a line, with its newline. @robot: the number of a device whose address has robot 0.
 * ACH_EINVAL: not possible as a line; @t is unchanged.
 */
ach_status_t drv_line_write(struct drv_text *t, const ach_message_t *message, uint32_t robot);

/*
 * Convert a line without its newline to a message, which the caller releases. The line is
 * modified; line[size] must be NUL. ACH_EAGAIN: no message, since the line is empty or a comment.
 * Other errors: see ach_errstr.
 */
ach_status_t drv_line_read(char *line, size_t size, ach_message_t **message);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * line.h - messages as lines of a log
 *
 *     time host robot interface index type subtype body...
 */
#ifndef ACHI_LOG_LINE_H
#define ACHI_LOG_LINE_H

#include "text.h"

/* The lines at the head of a log. */
void achi_line_head(struct achi_text *t);

/* A line, with its end. ACH_EINVAL: it cannot be one, and @t is as before. */
ach_status_t achi_line_write(struct achi_text *t, const ach_message_t *message);

/* Only what stands before the body; @w is then at the body. */
ach_status_t achi_line_header(struct achi_words *w, ach_header_t *header);

/*
 * A line without its end, as a message that is the caller's to release. The line is
 * changed; line[size] is NUL. ACH_EAGAIN: there is no message in it, as it is
 * empty or a comment. Others: ach_errstr says what is wrong with it.
 */
ach_status_t achi_line_read(char *line, size_t size, ach_message_t **message);

#endif

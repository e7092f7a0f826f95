/* SPDX-License-Identifier: BSD-3-Clause */
/* pick.h - the messages of recordings that were chosen on the command line */
#ifndef REC_PICK_H
#define REC_PICK_H

#include "progress.h"
#include "recordings.h"

/* Begin with rec_pick_init. */
struct rec_pick {
    const char **patterns; /* of topics, for fnmatch(3); none: all */
    size_t n;
    double start, end; /* s after the first message with a time */

    struct logs_source *source;
    bool known; /* all topics were known at the beginning */
    bool ended; /* all messages were read */
    struct rec_progress progress;
    bool based;
    int64_t base;
};

#define REC_PICK_LONG_OPTIONS                                                                      \
    {"topic", required_argument, NULL, 't'}, {"start", required_argument, NULL, 's'},              \
    {                                                                                              \
        "end", required_argument, NULL, 'e'                                                        \
    }
#define REC_PICK_HELP                                                                              \
    "      --topic PATTERN  only topics or channels of this name, such as 'imu*'; may be "         \
    "repeated\n"                                                                                   \
    "      --start S        begin S seconds after the first message\n"                             \
    "      --end S          end S seconds after the first message\n"

/* argc: there are not more patterns than words. False after complaining. */
bool rec_pick_init(struct rec_pick *p, int argc);

/* Handle an option of REC_PICK_LONG_OPTIONS. False after complaining. */
bool rec_pick_option(struct rec_pick *p, int c);

/* False after complaining: the times exclude each other. */
bool rec_pick_agrees(const struct rec_pick *p);

/* Open the recordings that the words name. False after complaining, also if they have none of the topics. */
bool rec_pick_open(struct rec_pick *p, char *const *paths, size_t n);

bool rec_pick_wants(const struct rec_pick *p, const struct logs_topic *t);

/* The next message that was chosen. False: there is none, or a signal asks to stop. */
bool rec_pick_next(struct rec_pick *p, struct logs_message *m);

/* Begin again, for a second look. False after complaining: one is a pipe. */
bool rec_pick_rewind(struct rec_pick *p);

/* All was read, nothing was damaged, and there were chosen topics. A recording that was cut off is no failure. */
bool rec_pick_done(struct rec_pick *p);

void rec_pick_finish(struct rec_pick *p);

/* "WHY, and there are the topics A and B: ADVICE". With their types if they have one name. */
void rec_complain_two(const struct logs_topic *a, const struct logs_topic *b, const char *why,
                      const char *advice);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* copy.h - messages of recordings into a file of MCAP */
#ifndef REC_COPY_H
#define REC_COPY_H

#include "../../mcap/writer.h"
#include "output.h"
#include "pick.h"

/* How to write; begin with rec_copy_init. */
struct rec_copy {
    struct rec_output output;
    struct mcap_writer_options options;
};

#define REC_COPY_LONG_OPTIONS                                                                      \
    {"output", required_argument, NULL, 'o'}, {"force", no_argument, NULL, 'f'},                   \
    {                                                                                              \
        "compression", required_argument, NULL, 'Z'                                                \
    }
#define REC_COPY_HELP                                                                              \
    "      --output FILE    where to write (also -o); - is standard output\n"                      \
    "      --compression NAME  zstd, lz4 or none (default: zstd, if this ach has it)\n"            \
    "  -f, --force          replace FILE if it exists\n"

void rec_copy_init(struct rec_copy *c);

/* Handle an option of REC_COPY_LONG_OPTIONS. False after complaining. */
bool rec_copy_option(struct rec_copy *c, int option);

/* Write all messages that were picked, with attachments and metadata. False after complaining. */
bool rec_copy_run(struct rec_copy *c, struct rec_pick *p);

#endif

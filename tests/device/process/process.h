/* SPDX-License-Identifier: BSD-3-Clause */
/* process.h - messages between the test and its wild driver */
#ifndef PROCESS_TEST_H
#define PROCESS_TEST_H

#include <stdint.h>

/* The first byte of a command. */
enum {
    WILD_NOTHING,
    WILD_ABORT,
    WILD_EXIT,
    WILD_HANG,
    WILD_STOP,
    WILD_PASS_ON, /* send the rest as a command to the required device */
    WILD_ASK,     /* send a request to the required device */
    WILD_UNKNOWN  /* return ACH_ENOTSUP */
};

/* The body of the data that the driver publishes. */
struct said {
    int32_t pid;
    int32_t heard;
    int32_t asked;
    int32_t number;
};

#endif

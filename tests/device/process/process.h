/* SPDX-License-Identifier: BSD-3-Clause */
/* process.h - what the test and its wild driver say to each other */
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
    WILD_PASS_ON, /* the rest is a command for the device that it requires */
    WILD_ASK      /* that device, with a request */
};

/* Its data. */
struct said {
    int32_t pid;
    int32_t heard;
    int32_t asked;
    int32_t number;
};

#endif

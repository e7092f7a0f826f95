/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * late.c - libach is loaded by dlopen, in a program with a pthread_atfork handler
 *
 * The program's handler runs in the child before the library's own, and opens
 * the child's channel. usage: late LIBRARY
 */
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include "check.h"

static void *library;
static ach_channel_t chan;

#define LATE(function) ((__typeof__(&(function)))dlsym(library, #function))

static void open_in_child(void)
{
    ach_attr_t attr;

    LATE(ach_attr_init)(&attr);
    LATE(ach_attr_set_lock_source)(&attr, 1);
    CHECK(LATE(ach_open)(&chan, "c", &attr) == ACH_OK);
    CHECK(LATE(ach_put)(&chan, "x", 1) == ACH_OK);
}

int main(int argc, char **argv)
{
    ach_create_attr_t attr;
    pid_t pid;

    REQUIRE(argc == 2 && pthread_atfork(NULL, NULL, open_in_child) == 0);
    library = dlopen(argv[1], RTLD_NOW);
    REQUIRE(library != NULL);
    LATE(ach_create_attr_init)(&attr);
    LATE(ach_create_attr_set_single_writer)(&attr, 1);
    CHECK(LATE(ach_create)("c", 4, 64, &attr) == ACH_OK);
    pid = fork();
    if (pid == 0) {
        CHECK(LATE(ach_put)(&chan, "x", 1) == ACH_OK);
        CHECK(LATE(ach_close)(&chan) == ACH_OK);
        _exit(check_result());
    }
    CHECK(check_child(pid, 30000));
    CHECK(LATE(ach_unlink)("c") == ACH_OK);
    return check_result();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The source lock belongs to the process: two of its handles can have it, another process cannot. */
#include "ach2.h"

#include <sys/wait.h>

static ach_status_t open_source(ach_channel_t *chan)
{
    ach_attr_t attr;

    ach_attr_init(&attr);
    CHECK(ach_attr_set_lock_source(&attr, 1) == ACH_OK);
    return ach_open(chan, "source", &attr);
}

/* What another process is told that wants to be the source. */
static int another(void)
{
    ach_channel_t chan;
    int status;
    pid_t child = fork();

    if (child == 0)
        _exit(open_source(&chan));
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
    return WEXITSTATUS(status);
}

int main(void)
{
    ach_channel_t reader, a, b;
    int i, value = 1;

    make_channel(&reader, "source");
    for (i = 0; i < 3; i++) {
        CHECK(open_source(&a) == ACH_OK);
        CHECK(open_source(&b) == ACH_OK);
        CHECK(ach_put(&a, &value, sizeof(value)) == ACH_OK);
        CHECK(ach_put(&b, &value, sizeof(value)) == ACH_OK);
        CHECK(another() == ACH_LOCKED);
        CHECK(ach_close(i % 2 ? &b : &a) == ACH_OK);
        CHECK(another() == ACH_LOCKED);
        CHECK(ach_close(i % 2 ? &a : &b) == ACH_OK);
        CHECK(another() == ACH_OK);
    }
    CHECK(ach_close(&reader) == ACH_OK && ach_unlink("source") == ACH_OK);
    return 0;
}

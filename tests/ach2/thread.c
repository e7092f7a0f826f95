/* SPDX-License-Identifier: BSD-3-Clause */
/* pthread_cancel ends a get that is asleep, and leaves the channel usable. */
#include "ach2.h"

#include <pthread.h>

static int cleaned;

static void clean(void *chan)
{
    cleaned = ach_close((ach_channel_t *)chan) == ACH_OK;
}

static void *get_for_ever(void *name)
{
    ach_channel_t chan;
    size_t size;
    int value = 1;

    CHECK(ach_open(&chan, (const char *)name, NULL) == ACH_OK);
    pthread_cleanup_push(clean, &chan);
    for (;;) {
        ach_status_t r = ach_get(&chan, &value, sizeof(value), &size, NULL, ACH_O_WAIT);

        CHECK(r == ACH_OK || r == ACH_MISSED_FRAME);
        value = 2;
        CHECK(ach_put(&chan, &value, sizeof(value)) == ACH_OK);
        CHECK(ach_flush(&chan) == ACH_OK); /* do not get the own message */
    }
    pthread_cleanup_pop(1);
    return NULL;
}

int main(void)
{
    ach_channel_t chan;
    int i, value = 1;
    size_t size;

    make_channel(&chan, "thread");
    for (i = 0; i < 100; i++) {
        pthread_t thread;
        void *result;

        cleaned = 0;
        value = 1;
        CHECK(ach_put(&chan, &value, sizeof(value)) == ACH_OK);
        CHECK(pthread_create(&thread, NULL, get_for_ever, (void *)"thread") == 0);
        while (value != 2) { /* until it has answered */
            ach_status_t r = ach_get(&chan, &value, sizeof(value), &size, NULL, ACH_O_WAIT);

            CHECK(r == ACH_OK || r == ACH_MISSED_FRAME);
        }
        usleep((useconds_t)i * 10);
        CHECK(pthread_cancel(thread) == 0);
        CHECK(pthread_join(thread, &result) == 0);
        CHECK(result == PTHREAD_CANCELED && cleaned);
        CHECK(ach_put(&chan, &value, sizeof(value)) == ACH_OK);
        CHECK(ach_get(&chan, &value, sizeof(value), &size, NULL, ACH_O_LAST) != ACH_EAGAIN);
    }
    CHECK(ach_close(&chan) == ACH_OK && ach_unlink("thread") == ACH_OK);
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wait_many.c - wait for several channels at once
 *
 * usage: wait_many CHANNEL... Prints what arrives where. Ends after two seconds of silence.
 */
#include <ach.h>
#include <stdio.h>

static int drain(ach_channel_t *chan, const char *name)
{
    char text[256];
    size_t size;
    ach_status_t r;

    for (;;) {
        r = ach_get(chan, text, sizeof(text), &size, NULL, 0);
        if (!ach_status_match(r, ACH_MASK_OK | ACH_MASK_MISSED_FRAME))
            return r == ACH_EAGAIN ? 0 : -1;
        printf("%s: %.*s\n", name, (int)size, text);
    }
}

int main(int argc, char **argv)
{
    const struct timespec limit = {.tv_sec = 2};
    ach_channel_t chan[ACH_WAIT_MAX];
    ach_wait_item_t items[ACH_WAIT_MAX];
    size_t n = (size_t)(argc - 1);

    if (n == 0 || n > ACH_WAIT_MAX) {
        fprintf(stderr, "usage: wait_many CHANNEL... (at most %u)\n", ACH_WAIT_MAX);
        return 2;
    }
    for (size_t i = 0; i < n; i++) {
        if (ach_open(&chan[i], argv[i + 1], NULL) != ACH_OK) {
            fprintf(stderr, "wait_many: %s\n", ach_errstr());
            return 1;
        }
        items[i].chan = &chan[i];
    }
    while (ach_wait(items, n, &limit, ACH_O_RELTIME) == ACH_OK)
        for (size_t i = 0; i < n; i++)
            if (items[i].status == ACH_OK && drain(&chan[i], argv[i + 1]) != 0)
                return 1;
    for (size_t i = 0; i < n; i++)
        ach_close(&chan[i]);
    return 0;
}

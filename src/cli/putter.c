/* SPDX-License-Identifier: BSD-3-Clause */
#include "putter.h"

#include "cli.h"

bool putter_open(struct putter *p, const char *name)
{
    ach_attr_t attr;

    p->name = name;
    if (!open_channel(&p->chan, p->name, false))
        return false;
    if (!channel_info(&p->chan, p->name, &p->info)) {
        ach_close(&p->chan);
        return false;
    }
    if (!p->info.single_writer)
        return true;
    ach_close(&p->chan);
    ach_attr_init(&attr);
    ach_attr_set_lock_source(&attr, 1);
    if (ach_open(&p->chan, p->name, &attr) == ACH_OK)
        return true;
    fail_errstr();
    return false;
}

int putter_too_large(const struct putter *p, size_t size)
{
    if (size)
        complain("%s: a message of %zu bytes is too large: the channel holds %llu", p->name, size,
                 (unsigned long long)p->info.capacity);
    else
        complain("%s: the message is too large: the channel holds %llu bytes", p->name,
                 (unsigned long long)p->info.capacity);
    return EXIT_FAILED;
}

/* The source lock is held where needed, so only these two causes are left. */
static int putter_refused(const struct putter *p)
{
    if (p->info.readonly)
        complain("%s: not permitted: you may read this channel, but not write it", p->name);
    else
        complain("%s: not permitted: the channel was created in another PID namespace, and only "
                 "processes in that namespace can put",
                 p->name);
    return EXIT_FAILED;
}

int putter_put(struct putter *p, const void *data, size_t size)
{
    enum ach_status r;

    if (size == 0) {
        complain("%s: the message has no bytes, and a channel has no empty messages", p->name);
        return EXIT_FAILED;
    }
    r = ach_put(&p->chan, data, size);
    if (r == ACH_OVERFLOW)
        return putter_too_large(p, size);
    if (r == ACH_EACCES)
        return putter_refused(p);
    if (r == ACH_LOCKED) {
        complain("%s: another writer holds the lock of the channel and does not release it",
                 p->name);
        return EXIT_FAILED;
    }
    return r == ACH_OK ? EXIT_OK : fail_status(p->name, r);
}

int putter_check(struct putter *p)
{
    if (!channel_info(&p->chan, p->name, &p->info))
        return EXIT_FAILED;
    return p->info.unlinked ? fail_status(p->name, ACH_ENOENT) : EXIT_OK;
}

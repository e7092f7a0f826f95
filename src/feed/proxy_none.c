/* SPDX-License-Identifier: BSD-3-Clause */
/* proxy_none.c - a build without devices */
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "proxy.h"

struct feed_proxies {
    int event;
};

struct feed_proxies *feed_proxies_new(void)
{
    struct feed_proxies *p = calloc(1, sizeof(*p));

    if (p)
        p->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return p;
}

bool feed_proxies_add(struct feed_proxies *p, const char *address, const char *channel)
{
    (void)p, (void)address, (void)channel;
    return true;
}

bool feed_proxies_start(struct feed_proxies *p)
{
    return p->event >= 0;
}

void feed_proxies_ask(struct feed_proxies *p, const char *address, const char *channel)
{
    (void)p, (void)address, (void)channel;
}

void feed_proxies_free(struct feed_proxies *p)
{
    if (p && p->event >= 0)
        close(p->event);
    free(p);
}

int feed_proxies_fd(const struct feed_proxies *p)
{
    return p->event;
}

void feed_proxies_take(struct feed_proxies *p, feed_proxy_fun *fun, void *context)
{
    (void)p, (void)fun, (void)context;
}

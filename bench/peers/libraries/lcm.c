/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lcm.c - LCM over UDP multicast that does not leave the machine
 */
#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <lcm/lcm.h>

#include "contender.h"
#include "until.h"

struct lcm_link {
    struct job job;
    char group[sizeof("239.255.255.255")];
    unsigned port;
    lcm_t *lcm;
    void *buffer; /* where the handler puts the message */
    size_t room;
    ssize_t got;
};

/* LCM needs a route for multicast even within one machine. */
static bool has_route(const struct lcm_link *l)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)l->port)};
    inet_pton(AF_INET, l->group, &to.sin_addr);
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool ok = fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0;
    if (fd >= 0)
        close(fd);
    return ok;
}

/* A group for each program, a port for each link: nobody gets what is not for them. */
static void *peer_setup(const struct job *job)
{
    struct lcm_link *l = calloc(1, sizeof(*l));
    if (!l)
        return NULL;
    l->job = *job;
    unsigned program = (unsigned)getpid();
    snprintf(l->group, sizeof(l->group), "239.255.%u.%u", program >> 8 & 255, program & 255);
    l->port = 20000 + job->id % 10000;
    if (has_route(l))
        return l;
    snprintf(job->why, job->why_size,
             "no route for multicast; `ip route add 239.0.0.0/8 dev lo` makes one");
    free(l);
    return NULL;
}

static void peer_finish(void *link)
{
    free(link);
}

static void handle(const lcm_recv_buf_t *message, const char *channel, void *user)
{
    (void)channel;
    struct lcm_link *l = user;
    size_t size = message->data_size < l->room ? message->data_size : l->room;
    memcpy(l->buffer, message->data, size);
    l->got = (ssize_t)size;
}

static bool peer_open(void *link, enum side side, unsigned index)
{
    (void)index;
    struct lcm_link *l = link;
    char address[128];
    snprintf(address, sizeof(address), "udpm://%s:%u?ttl=0&recv_buf_size=%u", l->group, l->port,
             4u << 20);
    l->lcm = lcm_create(address);
    return l->lcm && (side == SENDER || lcm_subscribe(l->lcm, "peers", handle, l));
}

static void peer_close(void *link, enum side side, unsigned index)
{
    (void)side;
    (void)index;
    struct lcm_link *l = link;
    if (l->lcm)
        lcm_destroy(l->lcm);
}

static int peer_send(void *link, const void *message, size_t size)
{
    struct lcm_link *l = link;
    return lcm_publish(l->lcm, "peers", message, (unsigned)size) == 0 ? 1 : -1;
}

/* More than 0: handled a message; 0: none within the time; less: failed. */
static int handle_spinning(struct lcm_link *l, int timeout_ms)
{
    struct until until = until_after(timeout_ms);
    int result;
    while ((result = lcm_handle_timeout(l->lcm, 0)) == 0 && !until_over(&until))
        ;
    return result;
}

static int handle_polling(struct lcm_link *l, int timeout_ms)
{
    struct pollfd poller = {.fd = lcm_get_fileno(l->lcm), .events = POLLIN};
    int ready = poll(&poller, 1, timeout_ms);
    return ready > 0 ? lcm_handle(l->lcm) == 0 ? 1 : -1 : ready;
}

static ssize_t peer_receive(void *link, void *buffer, size_t room, int timeout_ms)
{
    struct lcm_link *l = link;
    l->buffer = buffer;
    l->room = room;
    l->got = 0;
    int result = l->job.mode == MODE_SPIN   ? handle_spinning(l, timeout_ms)
                 : l->job.mode == MODE_POLL ? handle_polling(l, timeout_ms)
                                            : lcm_handle_timeout(l->lcm, timeout_ms);
    return result < 0 ? -1 : l->got;
}

static const struct contender lcm = {
    .name = "lcm",
    .multicasts = true,
    .source = __FILE__ " libraries/until.h",
    .kind = KIND_LIBRARY,
    .package = "liblcm-dev",
    .settings = "UDP multicast, ttl=0: stays on the machine; recv_buf_size=4 MiB (if the kernel "
                "allows it) against loss of large messages; queue of 30 messages (the default); a "
                "slow receiver loses the "
                "newest",
    .modes = MODE_BLOCK | MODE_SPIN | MODE_POLL,
    .max_size = LCM_MAX_MESSAGE_SIZE,
    .setup = peer_setup,
    .finish = peer_finish,
    .open = peer_open,
    .close = peer_close,
    .send = peer_send,
    .receive = peer_receive,
};

const struct contender *const contenders[] = {&lcm, NULL};

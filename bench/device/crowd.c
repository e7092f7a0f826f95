/* SPDX-License-Identifier: BSD-3-Clause */
#include <ach/interface/player.h>
#include <ach/interface/position2d.h>
#include <ach/message.h>
#include <arpa/inet.h>
#include <endian.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "device.h"

#define WARM_UP 1.0

struct client {
    int fd;
    double last; /* the device's count */
    size_t used;
    unsigned char buffer[4096];
};

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void crowd_ask(int fd, uint8_t subtype, const uint32_t *words, unsigned n)
{
    const ach_header_t h = {
        .address = {.interf = ACH_PLAYER_CODE}, .type = ACH_MSG_REQ, .subtype = subtype};
    unsigned char bytes[ACH_FRAME_HEADER + 32];
    unsigned i;

    ach_frame_write(&h, n * 4, bytes);
    for (i = 0; i < n; i++) {
        uint32_t word = htonl(words[i]);

        memcpy(bytes + ACH_FRAME_HEADER + 4 * i, &word, 4);
    }
    MUST_SYS(send(fd, bytes, ACH_FRAME_HEADER + 4 * n, MSG_NOSIGNAL) >= 0);
}

int crowd_dial(uint16_t port)
{
    const struct sockaddr_in a = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    char greeting[GREETING];

    MUST_SYS(fd >= 0 && connect(fd, (const struct sockaddr *)&a, sizeof(a)) == 0);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    if (recv(fd, greeting, sizeof(greeting), MSG_WAITALL) != GREETING)
        attempt_fail("the server closed a connection instead of greeting");
    return fd;
}

void crowd_subscribe(int fd, uint16_t interf)
{
    const uint32_t open[7] = {0, 0, interf, 0, ACH_PLAYER_OPEN_MODE, 0, 0};

    crowd_ask(fd, ACH_PLAYER_REQ_DEV, open, 7);
}

static void enter(struct client *c, const struct plan *plan, uint16_t port)
{
    const uint32_t mode = plan->pull ? ACH_PLAYER_DATAMODE_PULL : ACH_PLAYER_DATAMODE_PUSH;

    c->fd = crowd_dial(port);
    crowd_ask(c->fd, ACH_PLAYER_REQ_DATAMODE, &mode, 1);
    crowd_subscribe(c->fd, ACH_POSITION2D_CODE);
    if (plan->pull)
        crowd_ask(c->fd, ACH_PLAYER_REQ_DATA, NULL, 0);
}

static double count_of(const unsigned char *body)
{
    uint64_t bits;
    double count;

    memcpy(&bits, body, sizeof(bits));
    bits = be64toh(bits);
    memcpy(&count, &bits, sizeof(count));
    return count;
}

static void take(struct client *c, const struct plan *plan, const ach_header_t *h,
                 const unsigned char *body, bool measured, struct outcome *r)
{
    if (h->type == ACH_MSG_DATA) {
        double count = count_of(body);

        if (measured) {
            samples_add(&r->ns, (now() - h->timestamp) * 1e6);
            r->sent++;
            if (c->last > 0 && count > c->last + 1)
                r->lost += (uint64_t)(count - c->last - 1);
        }
        c->last = count;
    } else if (h->type == ACH_MSG_SYNCH && h->subtype != ACH_PLAYER_SYNCH_OVERFLOW && plan->pull) {
        crowd_ask(c->fd, ACH_PLAYER_REQ_DATA, NULL, 0);
    }
}

static void receive(struct client *c, const struct plan *plan, bool measured, struct outcome *r)
{
    ssize_t n = recv(c->fd, c->buffer + c->used, sizeof(c->buffer) - c->used, 0);
    size_t at = 0;
    ach_header_t h;
    uint32_t size;

    if (n <= 0)
        attempt_fail("the server is gone");
    c->used += (size_t)n;
    while (c->used - at >= ACH_FRAME_HEADER &&
           ach_frame_read(c->buffer + at, &h, &size) == ACH_OK &&
           c->used - at >= ACH_FRAME_HEADER + size) {
        take(c, plan, &h, c->buffer + at + ACH_FRAME_HEADER, measured, r);
        at += ACH_FRAME_HEADER + size;
    }
    c->used -= at;
    memmove(c->buffer, c->buffer + at, c->used);
}

static void listen_to(int epoll, const struct plan *plan, struct outcome *r)
{
    double start = now(), end = start + WARM_UP + plan->seconds;
    struct epoll_event events[64];

    while (now() < end) {
        int i, n = epoll_wait(epoll, events, 64, 100);

        for (i = 0; i < n; i++)
            receive(events[i].data.ptr, plan, now() > start + WARM_UP, r);
    }
}

void crowd_run(const struct plan *plan, uint16_t port, struct outcome *once)
{
    unsigned i, all = plan->clients + plan->stopped;
    struct client *clients = calloc(all, sizeof(*clients));
    int epoll = epoll_create1(0);

    MUST_SYS(clients && epoll >= 0);
    for (i = 0; i < all; i++) {
        struct epoll_event e = {.events = EPOLLIN, .data.ptr = &clients[i]};

        enter(&clients[i], plan, port);
        if (i < plan->clients)
            MUST_SYS(epoll_ctl(epoll, EPOLL_CTL_ADD, clients[i].fd, &e) == 0);
    }
    listen_to(epoll, plan, once);
    for (i = 0; i < all; i++)
        close(clients[i].fd);
    close(epoll);
    free(clients);
}

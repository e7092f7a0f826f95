/* SPDX-License-Identifier: BSD-3-Clause */
/* datagram.c - any datagrams to achd */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "flow_open.h"
#include "log.h"
#include "number.h"
#include "property.h"
#include "relay_stream.h"
#include "udp.h"

#define CAPACITY 5000u

static ssize_t datagram_read(struct relay_stream *s, void *to, size_t room)
{
    (void)s;
    (void)to;
    (void)room;
    return 0;
}

static const struct relay_stream_ops datagram_ops = STREAM_OPS(datagram_read);

/* A socket of loopback, connected to a port or not. */
static int loopback(uint16_t to, uint16_t *port)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(a);
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    HOLDS(fd >= 0 && bind(fd, (struct sockaddr *)&a, size) == 0);
    HOLDS(getsockname(fd, (struct sockaddr *)&a, &size) == 0);
    *port = ntohs(a.sin_port);
    a.sin_port = htons(to);
    HOLDS(!to || connect(fd, (struct sockaddr *)&a, size) == 0);
    return fd;
}

/* A flow that receives datagrams, open. */
static struct relay_flow *open_flow(struct relay_link *l)
{
    struct relay_request q = {.push = true, .udp = true, .name = "fuzzed"};
    struct relay_terms t = {.epoch = 77, .frame_cnt = 4, .frame_size = CAPACITY, .clock = 1};
    struct relay_flow *f = calloc(1, sizeof(*f));

    HOLDS(f && relay_flow_join(f, l, 0));
    relay_flow_asked(f, &q, &t, 0);
    relay_link_pump(l, relay_clock_now());
    HOLDS(f->state == RELAY_FLOW_OPEN);
    return f;
}

/* A sound header, or what the bytes say. */
static size_t compose(unsigned char *to, unsigned kind, struct property_input *in, size_t n,
                      uint64_t counter)
{
    size_t head = kind > 250 ? 0 : RELAY_DATAGRAM_HEADER + RELAY_WIRE_HEADER;

    memcpy(to + head, in->at, n);
    in->at += n;
    if (!head)
        return n;
    memcpy(to, "ACHU\1\1\0", 8);
    relay_number_store(to + 8, 1, 8);
    relay_number_store(to + 16, counter, 8);
    relay_number_store(to + RELAY_DATAGRAM_HEADER, n + 4, 4);
    to[RELAY_DATAGRAM_HEADER + 4] = kind % 2 ? RELAY_FRAGMENT : RELAY_SEEN;
    to[RELAY_DATAGRAM_HEADER + 5] = 1;
    to[RELAY_DATAGRAM_HEADER + 6] = to[RELAY_DATAGRAM_HEADER + 7] = 0;
    return head + n;
}

static void feed(struct relay_link *l, int sender, struct property_input *in)
{
    unsigned char bytes[RELAY_DATAGRAM_MAX + 64];
    uint64_t counter;

    for (counter = 0; in->at < in->end; counter++) {
        unsigned kind = property_byte(in);
        size_t n = (size_t)2 * property_byte(in), left = (size_t)(in->end - in->at);

        n = n > left ? left : n;
        n = compose(bytes, kind, in, n, counter - kind % 3);
        HOLDS(send(sender, bytes, n, 0) == (ssize_t)n);
        l->udp->watch.ready(&l->udp->watch, EPOLLIN);
        relay_link_tick(l, relay_clock_now());
        relay_link_pump(l, relay_clock_now());
    }
}

/* Messages are complete, in order, and counted. A gap that the sequences contradict counts less. */
static void check_flow(const struct relay_link *l, const struct relay_flow *f)
{
    const struct relay_udp *u = l->udp;

    HOLDS(l->state == RELAY_LINK_UP && f->state == RELAY_FLOW_OPEN);
    HOLDS(f->incoming.room <= f->sink->capacity);
    HOLDS(f->counts.messages + f->counts.failed + f->counts.known <= u->received);
    HOLDS(f->counts.messages + f->counts.failed + f->counts.known + f->counts.gaps <= f->count);
    HOLDS(u->datagram.room <= 8192);
}

static enum ach_status remove_channel(void *cx, const char *name, enum ach_map map)
{
    (void)cx;
    (void)map;
    ach_unlink(name);
    return ACH_OK;
}

void property_datagram(const uint8_t *data, size_t size)
{
    struct relay_host host = {.create = "*",
                              .window_max = RELAY_WINDOW_MAX,
                              .silence = UINT64_MAX / 4,
                              .key_life = UINT64_MAX / 4};
    struct relay_udp_offer offer = {.stream = 1, .key = {.id = 1}};
    struct property_input in = {data, data + size};
    char rule[] = "@plain both fuzz*";
    uint16_t unused;
    int sender = loopback(0, &offer.port);
    struct relay_stream s = {.ops = &datagram_ops, .fd = loopback(offer.port, &unused)};
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct relay_link *l;

    relay_log_level(-2);
    relay_limits_init(&host.limits);
    host.limits.channel = 65536;
    HOLDS(relay_access_add(&host.rules, rule));
    HOLDS(relay_loop_init(&host.loop));
    l = relay_link_create(&host, &s, false, "fuzz");
    HOLDS(l != NULL);
    l->state = RELAY_LINK_UP;
    HOLDS(relay_udp_offered(l, &offer, relay_clock_now()));
    to.sin_port = htons(l->udp->port);
    HOLDS(connect(sender, (struct sockaddr *)&to, sizeof(to)) == 0);
    open_flow(l);
    feed(l, sender, &in);
    check_flow(l, l->flows[0]);
    relay_link_destroy(l);
    close(sender);
    relay_sinks_finish(&host.sinks);
    HOLDS(!host.accounts || (!host.accounts->links && !host.accounts->memory));
    relay_accounts_finish(&host.accounts);
    relay_access_finish(&host.rules);
    relay_loop_finish(&host.loop);
    ach_list(remove_channel, NULL);
}

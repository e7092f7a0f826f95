/* SPDX-License-Identifier: BSD-3-Clause */
/* relay.c - any bytes from a peer of achd */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include "flow_open.h"
#include "link.h"
#include "log.h"
#include "property.h"
#include "relay_stream.h"

/* The bytes of the fuzzer as a stream; the first one says how long its pieces are. */
static struct property_input bytes;
static size_t piece;

static ssize_t fuzz_read(struct relay_stream *s, void *to, size_t room)
{
    size_t n = (size_t)(bytes.end - bytes.at);

    (void)s;
    if (n == 0) {
        errno = ECONNRESET;
        return -1;
    }
    n = n > piece ? piece : n;
    n = n > room ? room : n;
    memcpy(to, bytes.at, n);
    bytes.at += n;
    return (ssize_t)n;
}

static const struct relay_stream_ops fuzz_ops = STREAM_OPS(fuzz_read);

/* Only channels on the peer's list exist. */
static enum ach_status remove_channel(void *cx, const char *name, enum ach_map map)
{
    (void)cx;
    (void)map;
    HOLDS(strncmp(name, "fuzz", 4) == 0);
    ach_unlink(name);
    return ACH_OK;
}

/* What a peer may make a link hold: see link.h. */
static void check_bounds(const struct relay_link *l)
{
    HOLDS(l->in.room <= 4 * RELAY_WIRE_TERMS_MAX);
    HOLDS(l->out.room <= 4 * RELAY_WIRE_TERMS_MAX);
    HOLDS(l->n_flows <= RELAY_FLOWS_MAX);
    HOLDS(l->window.sent - l->window.acked <= l->host->window_max);
}

static void feed(struct relay_host *host, bool asks, struct relay_flow *flow)
{
    struct relay_stream s = {.ops = &fuzz_ops, .fd = eventfd(0, EFD_CLOEXEC)};
    struct relay_link *l = relay_link_create(host, &s, asks, "fuzz");

    HOLDS(l != NULL);
    if (asks) {
        relay_flow_join(flow, l, 0);
        l->watch.ready(&l->watch, EPOLLOUT);
    }
    while (l->state != RELAY_LINK_DEAD) {
        l->watch.ready(&l->watch, EPOLLIN);
        relay_link_tick(l, relay_clock_now());
        relay_link_pump(l, relay_clock_now());
        check_bounds(l);
    }
    relay_link_destroy(l);
}

void property_relay(const uint8_t *data, size_t size)
{
    struct relay_host host = {.create = "*",
                              .window_max = RELAY_WINDOW_MAX,
                              .silence = UINT64_MAX,
                              .key_life = UINT64_MAX / 4};
    struct relay_flow flow = {.asks = true, .local = "fuzzed", .request = {.name = "fuzzed"}};
    struct property_input in = {data, data + size};
    char rule[] = "@plain both fuzz*";
    unsigned first = property_byte(&in);

    relay_log_level(-2);
    relay_limits_init(&host.limits);
    host.limits.channel = 65536;
    HOLDS(relay_access_add(&host.rules, rule));
    HOLDS(relay_loop_init(&host.loop));
    bytes = in;
    piece = first / 4 + 1;
    flow.sends = flow.request.push = first & 2;
    feed(&host, first & 1, &flow);
    relay_sinks_finish(&host.sinks);
    HOLDS(!host.accounts || (!host.accounts->links && !host.accounts->memory));
    relay_accounts_finish(&host.accounts);
    relay_access_finish(&host.rules);
    relay_loop_finish(&host.loop);
    ach_list(remove_channel, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spinning.c - how soon a process that spins has a message of 64 bytes
 *
 * The floor is what the machine can do at best: one cache line each way, with
 * a sequence word and the rest of the line as payload. Half of a round trip.
 */
#include <stdlib.h>
#include <string.h>

#include "link.h"
#include "peer.h"
#include "ticks.h"

#define ROUND_TRIPS 10000u
#define SPIN_NS 1000000000u

/* Indexed by the side that sends. The sequence takes the place of the message's stamp. */
struct line {
    uint64_t sequence APART;
    unsigned char bytes[sizeof(struct message) - sizeof(uint64_t)];
};

struct line_link {
    struct line *line; /* two of them, shared */
    uint64_t sent, seen;
};

static void *line_setup(void)
{
    struct line_link *l = calloc(1, sizeof(*l));

    MUST(l != NULL);
    l->line = shared_alloc(2 * sizeof(*l->line));
    return l;
}

static void line_finish(void *state)
{
    struct line_link *l = state;

    shared_free(l->line, 2 * sizeof(*l->line));
    free(l);
}

static void line_attach(void *link, int side)
{
    struct line_link *l = link;

    l->sent = __atomic_load_n(&l->line[side].sequence, __ATOMIC_ACQUIRE);
    l->seen = __atomic_load_n(&l->line[!side].sequence, __ATOMIC_ACQUIRE);
}

static void line_send(void *link, int side, const struct message *m)
{
    struct line_link *l = link;

    memcpy(l->line[side].bytes, &m->number, sizeof(l->line[side].bytes));
    __atomic_store_n(&l->line[side].sequence, ++l->sent, __ATOMIC_RELEASE);
}

static void line_receive(void *link, int side, struct message *m)
{
    struct line_link *l = link;

    while (__atomic_load_n(&l->line[!side].sequence, __ATOMIC_ACQUIRE) == l->seen)
        relax();
    l->seen++;
    memcpy(&m->number, l->line[!side].bytes, sizeof(l->line[!side].bytes));
}

static const struct link_ops line_link = {line_attach, line_send, line_receive, NULL};

static void *spin_setup(void)
{
    return channel_link_create("spinning", SPIN_NS);
}

static void *poll_setup(void)
{
    return channel_link_create("polling", 0);
}

static void ping_pong(const struct link_ops *ops, void *state, struct trial *trial)
{
    link_ping_pong(ops, state, scaled(trial, ROUND_TRIPS, 1000), ticks_group(), trial->typical);
}

static void spin_run(void *state, struct trial *trial)
{
    ping_pong(&channel_link_wait, state, trial);
}

static void poll_run(void *state, struct trial *trial)
{
    ping_pong(&channel_link_poll, state, trial);
}

static void line_run(void *state, struct trial *trial)
{
    ping_pong(&line_link, state, trial);
}

enum { SPIN, POLL, LINE };

static const struct contender contenders[] = {
    [SPIN] = {"channel, handle that spins", spin_setup, spin_run, channel_link_destroy},
    [POLL] = {"channel, polled", poll_setup, poll_run, channel_link_destroy},
    [LINE] = {"cache-line pair", line_setup, line_run, line_finish},
};

static const struct claim claims[] = {
    {SPIN, LINE, CLAIM_AT_MOST, 2},
    {POLL, LINE, CLAIM_AT_MOST, 2},
    {LINE, LINE, CLAIM_NOTHING, 0},
};

const struct group spinning_group = {
    .name = "spinning",
    .about = "64 B to a process that spins: half of a round trip",
    .contenders = contenders,
    .contender_count = ARRAY_SIZE(contenders),
    .claims = claims,
    .claim_count = ARRAY_SIZE(claims),
    .needs_two_cpus = true,
};

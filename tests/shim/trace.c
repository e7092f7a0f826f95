/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace.h"

#include <string.h>

#include "chan.h"
#include "oracle.h"

#define UNKNOWN "-"

/* The recorder's state of an actor. */
struct known {
    char name[16];
    int options;       /* of the get it is in */
    uint32_t head;     /* the commit word it loaded last */
    bool head_is_last; /* its last step was that load */
    bool asleep;
};

static struct {
    FILE *out;
    struct known actors[PLAN_ACTORS];
    const struct actor *running; /* its access is not recorded yet */
    enum shim_step at;
} t;

static void line(const struct known *k, const char *label, const char *value)
{
    fprintf(t.out, "%s %s %s\n", k->name, label, value);
}

static void number(const struct known *k, const char *label, uint64_t value)
{
    fprintf(t.out, "%s %s %llu\n", k->name, label, (unsigned long long)value);
}

static uint64_t entry_seq(uint64_t seq)
{
    return achi_entry_of(&chan_view, seq)->seq;
}

/* Record the value that the access loaded or stored: no other step has happened since. */
static void write_step(struct known *k, enum shim_step at)
{
    const char *label = shim_step_name(at);
    uint32_t commit = chan_view.hdr->commit;

    switch (at) {
    case GET_HEAD:
        k->head = commit;
        number(k, label, commit);
        break;
    case PUT_HEAD:
    case PUT_WAITER:
    case PUT_COMMIT:
    case PUT_COMMIT_WAKE:
    case GET_AGAIN:
        number(k, label, commit);
        break;
    case PUT_FIRST:
    case PUT_FIRST_MOVE:
    case GET_FIRST:
        number(k, label, chan_view.hdr->first);
        break;
    case PUT_LAST:
        number(k, label, entry_seq(ACHI_SEQ(commit)));
        break;
    case PUT_SEQ:
        number(k, label, entry_seq(ACHI_SEQ(commit) + 1));
        break;
    case GET_SEQ:
    case GET_CHECK:
        if (k->head_is_last || (k->options & ACH_O_LAST))
            number(k, label, entry_seq(ACHI_SEQ(k->head)));
        else
            line(k, label, UNKNOWN);
        break;
    case SHIM_SLEEP:
        k->asleep = t.running->state == ACTOR_ASLEEP;
        number(k, "SLEEP", k->asleep);
        break;
    default:
        line(k, label, UNKNOWN);
    }
    k->head_is_last = at == GET_HEAD;
}

static bool untold(enum shim_step at)
{
    return at >= SHIM_LOCK && at != SHIM_SLEEP;
}

static void settle(void)
{
    const struct actor *a = t.running;

    if (a && !untold(t.at))
        write_step(&t.actors[a->id], t.at);
    t.running = NULL;
}

static void on_runs(const struct actor *a)
{
    settle();
    if (t.actors[a->id].asleep)
        number(&t.actors[a->id], "WAKE", 0);
    t.actors[a->id].asleep = false;
    t.running = a;
    t.at = a->at;
}

static void on_call(int id, const struct op *op)
{
    struct known *k = &t.actors[id];

    settle();
    k->options = op->options;
    if (op->kind == OP_PUT)
        fprintf(t.out, "%s CALL put %u\n", k->name, op->size);
    else
        fprintf(t.out, "%s CALL get %d\n", k->name, op->options);
}

static void on_return(int id, const struct op *op)
{
    const struct player *p = play_player(id);
    uint64_t seq = 0;

    settle();
    if (op->kind == OP_PUT)
        seq = oracle_put_seq(id);
    else if (p->status == ACH_OK || p->status == ACH_MISSED_FRAME)
        seq = p->look.seq;
    fprintf(t.out, "%s RETURN %d %llu\n", t.actors[id].name, (int)p->status,
            (unsigned long long)seq);
}

static void on_killed(const struct actor *a)
{
    settle();
    number(&t.actors[a->id], "KILL", 0);
}

static void name_actors(const struct plan *plan)
{
    int i, writers = 0, readers = 0;

    for (i = 0; i < plan->n; i++) {
        bool w = plan->actors[i].writer;

        t.actors[i] = (struct known){0};
        snprintf(t.actors[i].name, sizeof(t.actors[i].name), "%c%d", w ? 'w' : 'r',
                 w ? writers++ : readers++);
    }
}

bool trace_play(const struct plan *plan, struct policy *policy, FILE *out)
{
    static const struct play_listener listener = {on_call, on_return, on_runs, settle, on_killed};
    const struct play_options options = {.listener = &listener};
    bool ok;

    t.out = out;
    t.running = NULL;
    name_actors(plan);
    chan_setup(&plan->chan);
    fprintf(out, "# %s\n", plan->name);
    fprintf(out, "geometry %llu %llu %llu %llu %u\n", (unsigned long long)chan_view.frame_cnt,
            (unsigned long long)chan_view.mask + 1, (unsigned long long)chan_view.data_size,
            (unsigned long long)chan_view.capacity, ACHI_INLINE_MAX);
    ok = play(plan, policy, &options);
    settle();
    return ok;
}

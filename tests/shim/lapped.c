/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lapped.c - a reader that writers overtake every time it tries (G7)
 *
 * It gives up after ACHI_GET_TRIES tries, returns the same status as for
 * "nothing new", and has counted the tries.
 */
#include <check.h>

#include "chan.h"
#include "oracle.h"
#include "play.h"
#include "policy.h"

enum { WRITER, READER, TURNS = 2 * ACHI_GET_TRIES };

static void play_turns(const struct plan *plan, const struct turn *turns)
{
    struct play_options none = {0};
    struct scripted_policy policy;

    scripted_policy_init(&policy, turns, TURNS + 1);
    if (!CHECK(play(plan, &policy.policy, &none))) {
        fprintf(stderr, "%s: %s\n", plan->name, oracle_reason());
        sched_print_log();
    }
}

/* Each time the reader arrives at the step, two messages are put before it may go on. */
static void lap(const char *name, enum op_kind kind, int options, enum shim_step at,
                enum ach_status want, uint64_t overtaken)
{
    struct plan plan = {
        .name = name,
        .chan = {.frame_cnt = 1, .frame_size = 16},
        .n = 2,
        .actors = {{.writer = true, .after = -1, .n = 1, .ops = {{OP_PUT, 16, 0, 0, TURNS + 1}}},
                   {.after = -1, .n = 1, .ops = {{kind, 16, 0, options, 1}}}}};
    struct turn turns[TURNS + 1] = {{WRITER, SHIM_UNLOCK, 1, false}};
    int i;

    for (i = 1; i <= TURNS; i += 2) {
        turns[i] = (struct turn){READER, (int)at, 1, false};
        turns[i + 1] = (struct turn){WRITER, SHIM_UNLOCK, 2, false};
    }
    play_turns(&plan, turns);
    CHECK_STATUS(play_player(READER)->status, want);
    CHECK(play_player(READER)->cursor.overtaken == overtaken);
    CHECK(play_player(READER)->cursor.seen == 0);
}

/*
 * In the reader's last try a writer evicts the message being copied, and is killed before it
 * commits: the commit word is unchanged. The reader must not sleep, because there are messages.
 */
static void lapped_by_killed_writer(void)
{
    struct plan plan = {
        .name = "killed",
        .chan = {.frame_cnt = 2, .frame_size = 128},
        .n = 2,
        .actors = {{.writer = true, .after = -1, .n = 1, .ops = {{OP_PUT, 200, 0, 0, TURNS + 4}}},
                   {.after = -1, .n = 1, .ops = {{OP_GET, 256, 0, ACH_O_WAIT, 1}}}}};
    struct turn turns[TURNS + 1] = {{WRITER, SHIM_UNLOCK, 2, false}};
    int i;

    for (i = 1; i <= TURNS; i += 2) {
        turns[i] = (struct turn){READER, GET_CHECK, 1, false};
        turns[i + 1] = (struct turn){WRITER, SHIM_UNLOCK, 2, false};
    }
    turns[TURNS] = (struct turn){WRITER, PUT_VOID, 1, true};
    play_turns(&plan, turns);
    CHECK_STATUS(play_player(READER)->status, ACH_MISSED_FRAME);
    CHECK(play_player(READER)->cursor.overtaken == ACHI_GET_TRIES);
}

int main(void)
{
    lap("get FIRST", OP_GET, 0, GET_CHECK, ACH_EAGAIN, ACHI_GET_TRIES);
    lap("get LAST", OP_GET, ACH_O_LAST, GET_CHECK, ACH_EAGAIN, ACHI_GET_TRIES);
    lap("get at the head", OP_GET, ACH_O_LAST, GET_SEQ, ACH_EAGAIN, ACHI_GET_TRIES);
    lap("peek", OP_PEEK, 0, GET_SEQ, ACH_OK, 0);
    lap("flush", OP_FLUSH, 0, GET_SEQ, ACH_EAGAIN, 0);
    lap("range", OP_RANGE, 0, GET_SEQ, ACH_EAGAIN, 0);
    lapped_by_killed_writer();
    return check_result();
}

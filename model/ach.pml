/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ach.pml - the channel algorithm of src/core, with its sleepers and its lock
 *
 * put.pml and get.pml follow put.c, get.c, wait.c and lock.c step by step; each access to shared
 * memory is one atomic step with the label it has in the core. Reads under the writers' lock of
 * words that only writers change are folded into the step before them: no process can tell.
 *
 * Memory. Stores of a writer become visible in any order that its release stores and fences
 * allow, not only in program order: the loop in put.pml performs whichever store may go next.
 * That is exact for a machine with store buffers and one order of stores for all (x86, ARMv8),
 * because a writer reads back nothing that it stored in the same put. Loads of a reader between
 * two acquire points go in any order that addresses allow, size and bytes speculated. A dead
 * writer's stores are not lost: all that stand in program order before one that became visible
 * become visible too, and only then does the kernel free the lock.
 *
 * A message is n cells; n == 0 is a small message that is stored in its entry. Each cell holds
 * the number of its put and its position in the message, so that tearing is detected.
 */
#ifndef BUG
#define BUG 0
#endif
#ifndef WRITERS
#define WRITERS 2
#endif
#ifndef READERS
#define READERS 2
#endif
#ifndef PUTS            /* puts begun by all writers together */
#define PUTS 4
#endif
#ifndef GETS            /* gets of each reader */
#define GETS 1
#endif
#ifndef SLOTS
#define SLOTS 2
#endif
#ifndef FRAMES
#define FRAMES 1
#endif
#ifndef RING
#define RING 4
#endif
#ifndef SIZES           /* bit n: messages of n cells are put */
#define SIZES 5
#endif
#ifndef OPTS            /* bit n: gets with options n are made: WAIT 1, LAST 2, COPY 4 */
#define OPTS 4
#endif
#ifndef CRASHES
#define CRASHES 0
#endif
#ifndef KILL_READERS
#define KILL_READERS 0
#endif
#ifndef TRIES
#define TRIES 2
#endif
#ifndef WEAK_PUT        /* 1: stores in any order that is allowed; 0: program order */
#define WEAK_PUT 0
#endif
#ifndef WEAK_GET
#define WEAK_GET 0
#endif
#ifndef READONLY        /* bit n: reader n cannot write; then every put wakes */
#define READONLY 0
#endif
#ifndef WAKE_READERS    /* bit n: reader n has mapped the wake word, and sleeps there */
#define WAKE_READERS 0
#endif
#ifndef WAKE_WRITERS    /* bit n: writer n has mapped the wake word, and wakes there */
#define WAKE_WRITERS 0
#endif
#ifndef CHECK_MEMORY    /* 0: check only what readers return */
#define CHECK_MEMORY 1
#endif
#ifndef RETIRE          /* 1: a process unlinks the channel, 2: replaces it */
#define RETIRE 0
#endif
#ifndef LOWER           /* how often a reader that looks for a message lowers the flag */
#define LOWER 0
#endif
#ifndef CANCEL          /* number of readers that are canceled, from reader 0 on */
#define CANCEL 0
#endif

#define READER_0 16     /* actor number of the first reader */

#define MASK (SLOTS - 1)
#define AT(seq) ((seq) & MASK)
#define SEQ(word) (((word) & SEQ_BITS) >> 1)
#define NEWEST SEQ(commit)
#define FLAG 1
#define ONE_MESSAGE 2
#define UNLINKED 1
#define REPLACED 2

#define WAIT 1
#define LAST 2
#define COPY 4

#define OK 0
#define OVERFLOW 1
#define EAGAIN 5
#define MISSED_FRAME 6
#define CORRUPT 13

#ifdef REPLAY
#include "replay.pml"
#else
#define num byte
#define SEQ_BITS 62
#define NUDGE 64
#define NONE 255
#define CELL(put, i) ((put) * 4 + (i))
#define INLINE 128
#define EV(label, value) skip
#define EV_STAMP skip
#define RETURN(status, seq) skip
#define DIES(allowed) ((allowed) && crashes < CRASHES) -> crashes++
#define DIES_WAITING false
#define MAY_PUT (owner == 0 && puts < PUTS)
#define NO_MORE_PUTS (puts == PUTS)
#endif

/* The channel. */
num commit;
num first = 1;
byte state;
byte owner;
num e_seq[SLOTS] = NONE;
num e_pos[SLOTS];
num e_off[SLOTS];
num e_size[SLOTS];
num e_small[SLOTS];
num ring[RING];
bit asleep[READERS];
bit on_wake[READERS];   /* queued on the wake word */
bit on_commit[READERS]; /* queued on the commit word */
num announced;          /* the wake word: the last commit announced, made or about to be made */
bit commit_sleepers;    /* a handle that could put sleeps on the commit word alone */
bit both_words;         /* sleepers on the wake word must sleep on the commit word, too */
bit alone[READERS];     /* sleeps on the wake word alone, or is about to */
bit canceled[READERS];

/* Known to the model only: which put wrote the message in each slot, and its size. */
byte crashes;
num puts;
num put_of[SLOTS];
num size_of[SLOTS];

/* Loop counters, used within one step. */
hidden num s_;
hidden num i_;

/* The flag of bug 12, separate from the commit word. */
bit flag_word;

/*
 * G1, G2, G5: the newest message exists at every moment, and every entry that names a
 * committed message has that message's size and bytes.
 */
inline check_memory()
{
#if !CHECK_MEMORY
    skip
#else
    d_step {
        assert(e_seq[AT(NEWEST)] == NEWEST);
        s_ = 0;
        do
        :: s_ < SLOTS ->
            if
            :: e_seq[s_] != NONE && e_seq[s_] > 0 && e_seq[s_] <= NEWEST ->
                assert(e_size[s_] == size_of[s_]);
                if
                :: e_size[s_] == 0 ->
                    assert(e_off[s_] & INLINE);
                    assert(e_small[s_] == CELL(put_of[s_], 0))
                :: else ->
                    assert(e_off[s_] == e_pos[s_] % RING);
                    i_ = 0;
                    do
                    :: i_ < e_size[s_] ->
                        assert(ring[(e_off[s_] + i_) % RING] == CELL(put_of[s_], i_));
                        i_++
                    :: else -> break
                    od
                fi
            :: else
            fi;
            s_++
        :: else -> break
        od;
        s_ = 0
    }
#endif
}

#include "put.pml"
#include "get.pml"

init {
    byte p;

    atomic {
        e_seq[0] = 0;
#ifdef REPLAY
        run judge();
#endif
        p = 0;
        do
        :: p < WRITERS -> run writer(p); p++
        :: else -> break
        od;
        p = 0;
        do
        :: p < READERS -> run reader(p); p++
        :: else -> break
        od;
#if RETIRE
        run teller(READERS);
#endif
#if CANCEL
        p = 0;
        do
        :: p < CANCEL -> run teller(p); p++
        :: else -> break
        od;
#endif
#if LOWER
        run lowerer();
#endif
        p = 0
    }
}

/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
/*
 * layout.h - a channel's memory, byte for byte
 *
 *     header | entries[slots] | data[data_size]
 *
 * The header's first part never changes after creation. Then come two groups
 * of words on cache lines of their own: what readers poll, and what only
 * writers touch. An entry describes one message and, if the message is small,
 * holds it: a small message travels between cores together with its entry.
 * Larger messages lie in the data ring. A message is always contiguous: the
 * ring is mapped twice in a row, or followed by spare room (see geometry.h).
 *
 * All fields have fixed width, so that 32- and 64-bit programs share a
 * channel. There are no pointers in here, and nothing in here is trusted.
 */
#ifndef ACHI_LAYOUT_H
#define ACHI_LAYOUT_H

#include "deps.h"

#define ACHI_MAGIC 0x314c4e4843684341ull /* "AChCHNL1" */
#define ACHI_VERSION 6u
#define ACHI_HEADER_SIZE 4096u

/* A message no larger than this lives in its entry. */
#define ACHI_INLINE_MAX 80u

/* Messages in the ring begin at multiples of this. */
#define ACHI_ALIGN 64u

/* entry.seq while the entry is not valid. */
#define ACHI_NONE UINT64_MAX

/* Set in entry.off when the message lies in the entry itself. */
#define ACHI_INLINE (1ull << 63)

/* Where an entry says its message lies is where a message can lie. */
#define ACHI_OFF_VALID(off, data_size)                                                             \
    (((off) & ~ACHI_INLINE) < (data_size) && (off) % ACHI_ALIGN == 0)

/*
 * commit: the lowest bit says that somebody waits; then comes the sequence; the highest five bits
 * count nudges, which say that there is something to look at that is no message. All of it changes
 * by adding, so a sequence that comes around only counts as a nudge more.
 */
#define ACHI_WAITER 1u
#define ACHI_ONE_MESSAGE 2u
#define ACHI_NUDGE (1u << 27)
#define ACHI_SEQ_BITS (ACHI_NUDGE - ACHI_ONE_MESSAGE)

/* A commit word's sequence, which is the lower bits of a message's. */
#define ACHI_SEQ(commit) (((commit)&ACHI_SEQ_BITS) / ACHI_ONE_MESSAGE)

/* Does the commit word name this message? */
#define ACHI_NAMES(commit, seq)                                                                    \
    ((seq) != ACHI_NONE && (((uint32_t)(seq)*ACHI_ONE_MESSAGE ^ (commit)) & ACHI_SEQ_BITS) == 0)

enum achi_flags {
    ACHI_F_TIMESTAMPS = 1,    /* messages are stamped */
    ACHI_F_SINGLE_WRITER = 2, /* only the holder of the source lock puts */
    ACHI_F_MIRRORED = 4,      /* the ring is mapped twice; else spare room follows it */
    ACHI_F_ALL = 7
};

enum achi_state {
    ACHI_LIVE = 0,
    ACHI_UNLINKED = 1, /* the name is gone; open handles go on */
    ACHI_REPLACED = 2  /* another channel has the name; this one is closed */
};

/* Whether a handle that may put has not mapped the wake word (see libach/wakefile.h). */
enum achi_unmapped {
    ACHI_ALL_MAPPED = 0,
    ACHI_SOME_UNMAPPED = 1,
    ACHI_UNMAPPED_KNOWN = 2 /* since more than a slice of sleep: every sleeper knows */
};

struct achi_entry {
    uint64_t seq; /* the message's sequence, or ACHI_NONE */
    uint64_t pos; /* where the ring stood before this message; only grows */
    uint64_t off; /* pos within the ring, and ACHI_INLINE */
    uint64_t size;
    uint64_t stamp; /* nanoseconds on the channel's clock, or 0 */
    uint64_t spare;
    uint64_t small[ACHI_INLINE_MAX / 8];
} __attribute__((aligned(128)));

struct ach_header {
    /* Fixed at creation. */
    uint64_t magic;
    uint32_t version;
    uint32_t flags;
    uint64_t frame_cnt;
    uint64_t frame_size;
    uint64_t slots;     /* a power of two, more than frame_cnt */
    uint64_t data_off;  /* of the ring, from the start of the header */
    uint64_t data_size; /* of the ring; at least twice the capacity */
    uint64_t memory;    /* bytes of the whole channel */
    uint64_t pidns;     /* the PID namespace whose thread ids the lock holds */
    int32_t clock;
    uint32_t page;
    uint64_t wake_inode;  /* of the file with the word that writers sleep on; 0: there is none */
    uint32_t wake_number; /* in the name of that file */

    /* What readers poll. */
    uint32_t commit __attribute__((aligned(128))); /* the newest sequence, and more;
                                                           the futex that readers sleep on */
    uint32_t state;
    uint32_t readonly_wake;   /* there may be sleepers that cannot set the bit */
    uint32_t heir;            /* users of the channel that had the name may not know of this one */
    uint32_t commit_sleepers; /* there may be sleepers that set the bit, and sleep here alone */
    uint32_t unmapped;        /* an enum achi_unmapped */

    /* What writers share, under the lock. */
    uint32_t lock __attribute__((aligned(128))); /* thread id of the writer: a PI futex */
    uint32_t recovered;                          /* writers that died holding the lock */
    uint64_t first;                              /* no entry before this one is valid */
    uint32_t source;                             /* process id of the last source, 0: unknown */
    uint32_t source_turn;                        /* the byte of the file that it locked */
    uint32_t source_image;                       /* tells it from what the process executes later */
    uint32_t queued; /* writers that the kernel may have in the lock's queue; killed ones stay */
    uint64_t source_start; /* when the source's process started, in ticks since boot; 0: unknown */
} __attribute__((aligned(128)));

_Static_assert(sizeof(struct achi_entry) == 128, "entry layout");
_Static_assert(__builtin_offsetof(struct achi_entry, small) == 48, "entry layout");
_Static_assert(__builtin_offsetof(struct ach_header, slots) == 32, "header layout");
_Static_assert(__builtin_offsetof(struct ach_header, pidns) == 64, "header layout");
_Static_assert(__builtin_offsetof(struct ach_header, page) == 76, "header layout");
_Static_assert(__builtin_offsetof(struct ach_header, wake_number) == 88, "header layout");
_Static_assert(__builtin_offsetof(struct ach_header, commit) == 128, "header layout");
_Static_assert(__builtin_offsetof(struct ach_header, readonly_wake) == 136, "header layout");
_Static_assert(__builtin_offsetof(struct ach_header, heir) == 140, "header layout");
_Static_assert(__builtin_offsetof(struct ach_header, commit_sleepers) == 144, "header layout");
_Static_assert(__builtin_offsetof(struct ach_header, unmapped) == 148, "header layout");
_Static_assert(__builtin_offsetof(struct ach_header, lock) == 256, "header layout");
_Static_assert(__builtin_offsetof(struct ach_header, first) == 264, "header layout");
_Static_assert(__builtin_offsetof(struct ach_header, source_start) == 288, "header layout");
_Static_assert(sizeof(struct ach_header) == 384, "header layout");
_Static_assert(sizeof(struct ach_header) <= ACHI_HEADER_SIZE, "header layout");

#endif

/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
/*
 * layout.h - a channel's memory, byte for byte
 *
 *     header | entries[slots] | type[type_size] | data[data_size]
 *
 * The header's first part never changes after creation. Then come two groups
 * of words on cache lines of their own: what readers poll, and what only
 * writers touch. An entry describes one message and, if the message is small,
 * holds it: a small message travels between cores together with its entry.
 * Larger messages lie in the data ring. A message is always contiguous: the
 * ring is mapped twice in a row, or followed by spare room (see geometry.h).
 * The type says what the messages are. The core does not interpret it (see
 * libach/type.h), and most channels have none.
 *
 * All fields have fixed width, so that 32- and 64-bit programs share a
 * channel. There are no pointers in here, and nothing in here is trusted.
 */
#ifndef ACHI_LAYOUT_H
#define ACHI_LAYOUT_H

#include "deps.h"

#define ACHI_MAGIC 0x314c4e4843684341ull /* "AChCHNL1" */
#define ACHI_VERSION 6u
#define ACHI_VERSION_TYPED 7u /* of a channel with a type, with origins, or with a lowered flag */
#define ACHI_HEADER_SIZE 4096u

/* A message no larger than this lives in its entry. */
#define ACHI_INLINE_MAX 80u

/* With ACHI_F_ORIGINS no larger than this: two more words of the origin lie behind it. */
#define ACHI_INLINE_MAX_ORIGINS 64u
#define ACHI_ORIGIN_SEQ (ACHI_INLINE_MAX_ORIGINS / 8)
#define ACHI_ORIGIN_STAMP (ACHI_ORIGIN_SEQ + 1)

/* The largest type. */
#define ACHI_TYPE_MAX (1u << 20)

/* Messages in the ring begin at multiples of this. */
#define ACHI_ALIGN 64u

/* entry.seq while the entry is not valid. */
#define ACHI_NONE UINT64_MAX

/* Set in entry.off when the message lies in the entry itself. */
#define ACHI_INLINE (1ull << 63)

/* Is off, as read from an entry, a place where a message can lie? */
#define ACHI_OFF_VALID(off, data_size)                                                             \
    (((off) & ~ACHI_INLINE) < (data_size) && (off) % ACHI_ALIGN == 0)

/*
 * commit: the lowest bit is the waiter flag; then comes the sequence; the highest five bits count
 * nudges, which wake waiters for other reasons than a message. All of it changes by addition, so a
 * sequence that wraps around only counts as one more nudge.
 */
#define ACHI_WAITER 1u
#define ACHI_ONE_MESSAGE 2u
#define ACHI_NUDGE (1u << 27)
#define ACHI_SEQ_BITS (ACHI_NUDGE - ACHI_ONE_MESSAGE)

/* The sequence in a commit word: the lower bits of the message's sequence. */
#define ACHI_SEQ(commit) (((commit)&ACHI_SEQ_BITS) / ACHI_ONE_MESSAGE)

/* Does the commit word name this message? */
#define ACHI_NAMES(commit, seq)                                                                    \
    ((seq) != ACHI_NONE && (((uint32_t)(seq)*ACHI_ONE_MESSAGE ^ (commit)) & ACHI_SEQ_BITS) == 0)

enum achi_flags {
    ACHI_F_TIMESTAMPS = 1,    /* messages are stamped */
    ACHI_F_SINGLE_WRITER = 2, /* only the holder of the source lock puts */
    ACHI_F_MIRRORED = 4,      /* the ring is mapped twice; else spare room follows it */
    ACHI_F_ORIGINS = 8,       /* entries hold the origin of a relayed message */
    ACHI_F_LOWERED = 16,      /* readers may lower the waiter flag: see core/put.c */
    ACHI_F_ALL = 31
};

enum achi_state {
    ACHI_LIVE = 0,
    ACHI_UNLINKED = 1, /* the name was removed; open handles still work */
    ACHI_REPLACED = 2  /* another channel has the name; this one is closed */
};

/* Must sleepers on the wake word sleep on the commit word, too (see libach/wakefile.h)? */
enum achi_both_words {
    ACHI_ONE_WORD = 0,
    ACHI_BOTH_WORDS = 1,
    ACHI_BOTH_WORDS_KNOWN = 2 /* all sleepers have checked since it was ACHI_BOTH_WORDS */
};

struct achi_entry {
    uint64_t seq; /* the message's sequence, or ACHI_NONE */
    uint64_t pos; /* position of the ring before this message; only grows */
    uint64_t off; /* pos modulo the size of the ring, and ACHI_INLINE */
    uint64_t size;
    uint64_t stamp; /* nanoseconds on the channel's clock, or 0 */
    uint64_t origin_epoch;
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
    uint64_t wake_inode;  /* inode of the wake file (see libach/wakefile.h); 0: there is none */
    uint32_t wake_number; /* number in the name of the wake file; 0: the plain name */
    uint32_t type_size;   /* bytes of the type; 0: the channel has none */
    uint64_t epoch;       /* random: tells a channel from others of its name; 0: unknown */

    /* What readers poll. */
    uint32_t commit __attribute__((aligned(128))); /* the newest sequence, and more;
                                                           the futex that readers sleep on */
    uint32_t state;
    uint32_t readonly_wake;   /* every put wakes: read-only sleepers cannot set the flag */
    uint32_t heir;            /* the replaced channel's users may not have been notified */
    uint32_t commit_sleepers; /* sleepers that set the flag and sleep on commit alone may exist */
    uint32_t both_words;      /* an enum achi_both_words */

    /* What writers share, under the lock. */
    uint32_t lock __attribute__((aligned(128))); /* thread id of the writer: a PI futex */
    uint32_t recovered;                          /* writers that died holding the lock */
    uint64_t first;                              /* no entry before this one is valid */
    uint32_t source;                             /* process id of the last source, 0: unknown */
    uint32_t source_turn;                        /* offset of the byte that the source locked */
    uint32_t source_image;                       /* achi_image of the source: changes with exec */
    uint32_t queued; /* writers that may be in the kernel's queue of the lock; killed ones count */
    uint64_t source_start; /* when the source's process started, in ticks since boot; 0: unknown */
} __attribute__((aligned(128)));

_Static_assert(sizeof(struct achi_entry) == 128, "entry layout");
_Static_assert(__builtin_offsetof(struct achi_entry, small) == 48, "entry layout");
_Static_assert(__builtin_offsetof(struct ach_header, slots) == 32, "header layout");
_Static_assert(__builtin_offsetof(struct ach_header, pidns) == 64, "header layout");
_Static_assert(__builtin_offsetof(struct ach_header, page) == 76, "header layout");
_Static_assert(__builtin_offsetof(struct ach_header, wake_number) == 88, "header layout");
_Static_assert(__builtin_offsetof(struct ach_header, type_size) == 92, "header layout");
_Static_assert(__builtin_offsetof(struct ach_header, epoch) == 96, "header layout");
_Static_assert(__builtin_offsetof(struct ach_header, commit) == 128, "header layout");
_Static_assert(__builtin_offsetof(struct ach_header, readonly_wake) == 136, "header layout");
_Static_assert(__builtin_offsetof(struct ach_header, heir) == 140, "header layout");
_Static_assert(__builtin_offsetof(struct ach_header, commit_sleepers) == 144, "header layout");
_Static_assert(__builtin_offsetof(struct ach_header, both_words) == 148, "header layout");
_Static_assert(__builtin_offsetof(struct ach_header, lock) == 256, "header layout");
_Static_assert(__builtin_offsetof(struct ach_header, first) == 264, "header layout");
_Static_assert(__builtin_offsetof(struct ach_header, source_start) == 288, "header layout");
_Static_assert(sizeof(struct ach_header) == 384, "header layout");
_Static_assert(sizeof(struct ach_header) <= ACHI_HEADER_SIZE, "header layout");

#endif

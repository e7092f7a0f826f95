/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * random.h - what the processes of crash-random share
 *
 * Writers and readers use one channel at full speed and may be killed at any
 * time. All that anybody must know of the others stands in shared memory and
 * is written in single words.
 */
#ifndef CRASH_RANDOM_H
#define CRASH_RANDOM_H

#include <ach.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define CHANNEL "crash-random"
#define WRITERS_MAX 4 /* the last one is the supervisor itself */
#define ACTORS_MAX 16
#define LIVES 4096u /* how many finals are kept for each writer */
#define SIZE_MIN 16u
#define SIZE_LIMIT 65536u

enum role { WRITER, READ_FIRST, READ_LAST, READ_WAIT, READ_WAIT_LAST, READ_ONLY_WAIT, READ_VIEW };

struct geometry {
    unsigned frames, frame_size;
    unsigned writers;
    bool timestamps, readonly_wake, single_writer;
};

/* One process after another plays an actor's role. */
struct actor {
    enum role role;
    unsigned slot; /* of a writer */
    uint32_t life; /* how often it was begun */
    pid_t pid;
    uint64_t seen; /* a reader's last message */
};

struct writer {
    uint64_t done;         /* the last put of this life that returned */
    uint64_t final[LIVES]; /* done at the end of each life */
};

struct common {
    struct geometry geometry;
    struct actor actors[ACTORS_MAX];
    unsigned actors_count;
    struct writer writers[WRITERS_MAX];
    uint64_t newest; /* the newest message that anybody has seen */
    uint64_t checked, views_lost, faults;
};

extern struct common *common;

/* Say what is wrong, from any process. */
void fault(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Which of whose messages. */
struct origin {
    uint32_t slot, life;
    uint64_t count;
};

/* The size of a message follows from its origin, as its bytes do. */
unsigned origin_size(const struct origin *o);
void origin_fill(unsigned char *buf, const struct origin *o);
bool origin_read(struct origin *o, const unsigned char *buf, size_t size);

/* How far a handle has read of each writer. */
struct reader {
    ach_channel_t chan;
    uint64_t seq;
    uint64_t gaps;
    struct {
        struct origin last;
        uint64_t gaps; /* as it stood then */
    } of[WRITERS_MAX];
    unsigned char *buf;
};

/* Check a message just got: bytes, order, and that nothing is missing unreported. */
void reader_check(struct reader *r, enum ach_status status, size_t size);

/* Get the newest message and check that it is (G1): no older than at_least. */
enum ach_status reader_get_newest(struct reader *r, uint64_t at_least);

void newest_note(uint64_t seq);

/* Play a role until killed. */
void actor_run(struct actor *a) __attribute__((noreturn));

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * random.h - what the processes of crash-random share
 *
 * Writers and readers use one channel at full speed and may be killed at any
 * time. All state that the processes share is in shared memory and is written
 * in single words.
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
#define LIVES 4096u /* length of writer.final */
#define SIZE_MIN 16u
#define SIZE_LIMIT 65536u

enum role {
    WRITER,
    READ_FIRST,
    READ_LAST,
    READ_WAIT,
    READ_WAIT_LAST,
    READ_ONLY_WAIT,
    READ_VIEW,
    LOWER
};

struct geometry {
    unsigned frames, frame_size;
    unsigned writers;
    bool timestamps, readonly_wake, single_writer, anticipated;
};

/* One process after another plays an actor's role. */
struct actor {
    enum role role;
    unsigned slot; /* of a writer: index in common->writers */
    uint32_t life; /* how many processes were started for it */
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
    uint64_t newest; /* the newest message that any process has seen */
    uint64_t checked, views_lost, faults;
};

extern struct common *common;

/* Report a failed check, from any process. */
void fault(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Identifies a message: the writer's slot and life, and the count of its puts in that life. */
struct origin {
    uint32_t slot, life;
    uint64_t count;
};

/* The origin of a message determines its size and all its bytes. */
unsigned origin_size(const struct origin *o);
void origin_fill(unsigned char *buf, const struct origin *o);
bool origin_read(struct origin *o, const unsigned char *buf, size_t size);

/* A handle, and the last message it got from each writer. */
struct reader {
    ach_channel_t chan;
    uint64_t seq;
    uint64_t gaps;
    struct {
        struct origin last;
        uint64_t gaps; /* reader.gaps when last was got */
    } of[WRITERS_MAX];
    unsigned char *buf;
};

/* Check a message just got: bytes, order, and that nothing is missing unreported. */
void reader_check(struct reader *r, enum ach_status status, size_t size);

/* Get the newest message and check G1: no older than at_least, nor than common->newest. */
enum ach_status reader_get_newest(struct reader *r, uint64_t at_least);

void newest_note(uint64_t seq);

/* Play a role until killed. */
void actor_run(struct actor *a) __attribute__((noreturn));

#endif

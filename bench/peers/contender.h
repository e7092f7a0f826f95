/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * contender.h - a way to pass messages between processes, as the comparison sees it
 *
 * A contender carries messages from every sender to every receiver. It is made
 * in one process, which then forks a process for each end; an end opens it,
 * sends or receives, and closes it. Nobody but the harness measures, checks or
 * counts anything.
 *
 * One file holds one contender, or a few that differ in a word. What libc
 * offers is in the program itself; what needs a library is a module that
 * exports `const struct contender *const contenders[]`, ended by NULL, and is
 * built where the library is. C++ is welcome: the header is C for both.
 */
#ifndef PEERS_CONTENDER_H
#define PEERS_CONTENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a receiver waits. */
enum mode {
    MODE_BLOCK = 1, /* in the call that receives, asleep */
    MODE_SPIN = 2,  /* looks again and again */
    MODE_POLL = 4   /* in poll or epoll on a descriptor, then receives */
};

enum side { SENDER, RECEIVER };

enum kind { KIND_ACH, KIND_FLOOR, KIND_KERNEL, KIND_LIBRARY };

/* One link of one run. The harness makes it; all processes see the same. */
struct job {
    enum mode mode;
    size_t size; /* of every message */
    unsigned senders, receivers;
    unsigned id;     /* no two links that live at once have the same: for names, ports, topics */
    const char *dir; /* the run's own directory, for sockets and files */
    char *why;       /* setup that fails writes a sentence here */
    size_t why_size;
};

struct contender {
    const char *name;
    enum kind kind;
    const char *package;                 /* Debian's; NULL: libc is enough */
    const char *settings;                /* what is set for the lowest latency, for the report */
    const char *source;                  /* __FILE__: its lines are counted */
    unsigned modes;                      /* all that it has */
    size_t max_size;                     /* of a message; 0: any */
    unsigned max_senders, max_receivers; /* 0: any */
    bool threads;                        /* ends are threads of one process, not processes */
    bool multicasts;                     /* on interfaces that it chooses by itself */
    bool copies_nothing;                 /* receivers see the very bytes that the sender wrote */

    /* Once for the whole program, before the first and after the last run; may be NULL. For
       daemons. start: NULL if all is well, else why not. */
    const char *(*start)(const char *dir);
    void (*stop)(void);

    /* In the parent, before its children. NULL: see job->why. */
    void *(*setup)(const struct job *job);
    void (*finish)(void *link); /* in the parent, after its children */

    /* In each end. index counts the ends of a side from 0. */
    bool (*open)(void *link, enum side side, unsigned index);
    void (*close)(void *link, enum side side, unsigned index);

    /* 1: on its way; 0: there was no room, and it is lost; -1: failed. Waits for room if that is
       what the contender does by itself. */
    int (*send)(void *link, const void *message, size_t size);

    /* The next message, as many bytes as it has; 0: none within the time; -1: failed. */
    ssize_t (*receive)(void *link, void *buffer, size_t room, int timeout_ms);

    /* Instead of the two above, for contenders that need no copy. loan: a place to write size bytes
       to, then publish it. take: the next message in place, NULL: none within the time; when it has
       been read, give_back tells whether it was still whole then. */
    void *(*loan)(void *link, size_t size);
    int (*publish)(void *link, void *place, size_t size);
    const void *(*take)(void *link, size_t *size, int timeout_ms);
    bool (*give_back)(void *link, const void *place);
};

#ifdef __cplusplus
}
#endif

#endif

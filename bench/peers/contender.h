/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * contender.h - a way to pass messages between processes, as the comparison sees it
 *
 * A contender carries messages from every sender to every receiver of a link.
 * The parent sets a link up, then forks a process for each end. An end opens
 * its copy of the link, sends or receives, and closes it. The harness allocates
 * the state, waits, measures, checks and counts; a contender only makes the
 * calls of its library. The working directory is the program's own, for
 * sockets and files.
 *
 * Contenders that need no library are part of the program. One that needs a
 * library is a module that exports `const struct contender contenders[]`, ended
 * by one without a name, and is built where the library is. A module may call
 * what this header declares. C++ adapters begin with adapter.hpp.
 */
#ifndef PEERS_CONTENDER_H
#define PEERS_CONTENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SENDERS_MAX 4u
#define RECEIVERS_MAX 16u
#define WHY_SIZE 160u

/* How a receiver waits. */
enum mode {
    MODE_BLOCK = 1, /* in the call that receives, asleep */
    MODE_SPIN = 2,  /* looks again and again */
    MODE_POLL = 4   /* in poll or epoll on a descriptor, then receives */
};

enum side { SENDER, RECEIVER };

/* Between processes of this machine, over the network (here: its loopback interface), or both. */
enum reach { REACH_MACHINE, REACH_NETWORK, REACH_BOTH };

enum kind { KIND_ACH, KIND_FLOOR, KIND_KERNEL, KIND_LIBRARY };

/* One link of one run. Each end has a copy of it and of its state, as setup left them. */
struct link {
    const struct contender *c;
    enum mode mode;
    unsigned senders, receivers;
    unsigned id; /* unique in the program: for names, ports, topics */
    bool apart;  /* sender and receiver have a processor each */
    size_t size; /* of every message */
    void *state; /* the contender's own: state_size bytes, zero before setup */
    char *why;   /* WHY_SIZE bytes: see refuse */

    /* Of an end. */
    enum side side;
    unsigned index; /* among the ends of its side */
    int fd; /* set by open of a receiver in MODE_POLL: readable when a message may be there */
    int timeout_ms; /* of the last receive */
    void *message;  /* size bytes to send, or received: a buffer of the end unless changed */
} __attribute__((aligned));

struct contender {
    const char *name;
    enum kind kind;
    const char *package;  /* Debian's; NULL: libc is enough */
    const char *settings; /* what is set for the lowest latency, for the report */
    const char *source;   /* files, or FILE:NOUN: its lines are counted */
    const void *variant;  /* what tells contenders apart that share functions */
    enum reach reach;     /* the scenarios that it takes part in */
    unsigned modes;       /* all that it has */
    unsigned waits;       /* modes besides MODE_BLOCK in which receive waits */
    unsigned looks_first; /* modes in which receive(l, 0) comes before the wait */
    size_t max_size;      /* of a message; 0: any */
    unsigned max_senders; /* 0: any */
    bool named;           /* takes part only in scenarios that name it */
    bool threads;         /* ends are threads of one process, not processes */
    bool multicasts;      /* on interfaces that it chooses by itself */
    bool copies_nothing;  /* receivers see the very bytes that the sender wrote */
    bool yields;          /* while spinning, to the library's thread, which may share the core */
    size_t state_size;

    /* All functions but send and receive may be NULL. */

    /* Once for the whole program, before the first and after the last run. For daemons.
       start: NULL if all is well, else why not. */
    const char *(*start)(void);
    void (*stop)(void);

    /* In the parent, before and after its children. finish also follows a setup that failed. */
    bool (*setup)(struct link *l);
    void (*finish)(struct link *l);

    /* Once in the process of an end, before its first open and after its last close. */
    bool (*join)(void);
    void (*leave)(void);

    /* In each end. An end that fails to open exits without close. */
    bool (*open)(struct link *l);
    void (*close)(struct link *l);

    /* Point l->message to a place to write the next message to. False: none, it is lost. */
    bool (*loan)(struct link *l);

    /* 1: on its way; 0: there was no room, and it is lost; -1: failed. Waits for room if that is
       what the contender does by itself. */
    int (*send)(struct link *l);

    /* Set the time limit of the following receives, for libraries that keep it as an option. */
    bool (*limit)(struct link *l, int timeout_ms);

    /* The size of the next message, at l->message; 0: none within the time; -1: failed. May
       return 0 early. In a mode that is not the contender's to wait in, timeout_ms is 0. */
    ssize_t (*receive)(struct link *l, int timeout_ms);

    /* The message has been read. False: it was overwritten meanwhile. */
    bool (*release)(struct link *l);
};

/* Say why a link cannot be set up. Always false, for setup to return. */
bool refuse(struct link *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

#ifdef __cplusplus
}
#endif

#endif

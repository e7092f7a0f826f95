/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sink.h - channels of this host that relayed messages are put into
 *
 * All flows of the daemon into one channel share its sink, and with it the table of origins: a
 * message that comes on two ways is put once. The last flow closes the sink. The next one, also
 * after a restart, reads the table from its file; the channel adds the message that may have been put
 * right before the daemon was killed. A sink without such a file lives until its channel is removed,
 * so that a connection that was lost resumes where it was.
 */
#ifndef RELAY_SINK_H
#define RELAY_SINK_H

#include "origins_file.h"

struct relay_sink {
    struct relay_sink *next, **at; /* at: what points to this one */
    unsigned users;                /* flows */
    char name[ACH_CHAN_NAME_MAX];
    ach_channel_t chan;
    bool open;
    bool full;     /* and said so */
    int circle;    /* see circle.h; of a channel that stores no origins */
    uint64_t busy; /* until when its lock is taken for held; 0: it was free */
    bool relayed;  /* origins are stored; otherwise a restart may repeat messages */
    bool kept;     /* the table of origins is in a file */
    uint64_t epoch, capacity;
    struct relay_origins *origins; /* while it is open */
};

struct relay_sinks {
    struct relay_sink *first;
    uint64_t memory_max; /* of a channel that is created */
    uint64_t created;    /* bytes of all that were */
};

enum relay_put {
    RELAY_PUT_DONE,
    RELAY_PUT_KNOWN,
    RELAY_PUT_FAILED,
    RELAY_PUT_BUSY, /* a stopped process holds the lock: try again later */
    RELAY_PUT_LOST  /* the channel was replaced */
};

void relay_sinks_finish(struct relay_sinks *s);

/*
 * Use the open sink for messages of a channel like the sender's, instead of *sink. Its channel is
 * created if it is missing and `create`. sender NULL: only look what is there. Otherwise ach_errstr
 * says why not, and *sink stays.
 */
enum ach_status relay_sink_open(struct relay_sinks *s, const char *name,
                                const struct relay_terms *sender, bool create,
                                struct relay_sink **sink);

/* The same for a flow that sends messages of the channel. The sink may not be open. */
enum ach_status relay_sink_share(struct relay_sinks *s, const char *name, struct relay_sink **sink);

/* Use it no more; *sink becomes NULL. NULL is accepted. */
void relay_sink_leave(struct relay_sink **sink);

/* Close a sink whose channel was removed or replaced. True: it was. */
bool relay_sink_check(struct relay_sink *s);

/* The same for a sink that no flow may use, and for a table without one. name NULL: for all. */
void relay_sinks_check(struct relay_sinks *s, const char *name);

enum ach_status relay_sink_terms(const struct relay_sink *s, struct relay_terms *t);

/* Put a message unless the channel has it. e: the entry of its origin; NULL: there is none. */
enum relay_put relay_sink_put(struct relay_sink *s, struct relay_origin *e,
                              const ach_origin_t *origin, const void *bytes, size_t size);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hub.h - topics, the source of their messages, and the clients
 *
 * The source runs only while there is a client, and reads only topics with a subscriber.
 */
#ifndef VIEW_HUB_H
#define VIEW_HUB_H

#include <ach.h>

#include "channels.h"
#include "loop.h"
#include "options.h"
#include "topic.h"

struct view_hub;

/* Of a recording. Times are nanoseconds since 1970. */
struct view_clock {
    uint64_t time, start, end;
    double speed;
    bool paused;
};

/* How fast a recording or a simulation may be, in multiples of real time. */
#define VIEW_SPEED_MIN 0.001
#define VIEW_SPEED_MAX 1000.0

enum view_control {
    VIEW_PLAY, /* value: the speed, within its limits; 0: as before */
    VIEW_PAUSE,
    VIEW_STEP, /* to the next message, and pause */
    VIEW_SEEK, /* value: seconds since 1970 */
};

/* Where messages come from: channels and devices, or a recording. */
struct view_source {
    bool (*start)(struct view_hub *h); /* false after complaining */
    void (*stop)(struct view_hub *h);  /* calls view_hub_remove for each topic */
    void (*want)(struct view_hub *h, struct view_topic *t, bool want);
    void (*control)(struct view_hub *h, enum view_control control, double value); /* or NULL */
};

extern const struct view_source view_source_live, view_source_file;

struct view_hub {
    struct view_loop *loop;
    const struct view_options *options;
    const struct view_source *source;
    void *state; /* of the source */
    bool running;
    uint32_t next_id;
    struct view_topic *topics, *last_topic;
    void *by_id; /* the same as a tree of tsearch */
    struct view_channels channels;
    struct view_client *clients;
    unsigned n_clients;
    char session[33]; /* random: clients notice that it is another server */
    uint64_t messages;
    char trouble[512];          /* what was found wrong last, for each client; "": nothing */
    struct view_clock clock;    /* of a recording; end is 0 if there is none */
    struct page_common *pages;  /* what all pages share; NULL: there is none */
    struct page_drives *drives; /* devices that pages command; they may outlast the pages */
};

void view_hub_init(struct view_hub *h, struct view_loop *loop, const struct view_options *options,
                   const struct view_source *source);

/* The first client starts the source. False after complaining. */
bool view_hub_join(struct view_hub *h, struct view_client *c);
void view_hub_leave(struct view_hub *h, struct view_client *c);

/* Called by the source. NULL: no memory. */
struct view_topic *view_hub_add(struct view_hub *h, const struct view_topic_type *type);
void view_hub_remove(struct view_hub *h, struct view_topic *t);
void view_hub_message(struct view_hub *h, struct view_message *m);

/* The topics that were added and removed are all for now. */
void view_hub_settle(struct view_hub *h);

/* Tell all clients the time of a recording. */
void view_hub_clock(struct view_hub *h, const struct view_clock *clock);

/*
 * The recording is at another time. The source calls the first before it sends the messages that are
 * the state at that time, and the second after them.
 */
void view_hub_forget(struct view_hub *h);
void view_hub_sought(struct view_hub *h);

/* Tell all clients that read something in a sentence. */
void view_hub_status(struct view_hub *h, int level, const char *sentence);

struct view_topic *view_hub_topic(const struct view_hub *h, uint64_t id);
struct view_topic *view_hub_named(const struct view_hub *h, const char *name, size_t size);

/*
 * A subscriber has one topic at most. It begins with the newest message that there is, which the
 * source hands to the first one and the hub to the others, at once.
 */
void view_hub_subscribe(struct view_hub *h, struct view_topic *t, struct view_subscriber *s);
void view_hub_unsubscribe(struct view_hub *h, struct view_subscriber *s);

#endif

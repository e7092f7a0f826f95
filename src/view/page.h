/* SPDX-License-Identifier: BSD-3-Clause */
/* page.h - a client with our own page; PROTOCOL.md has the messages */
#ifndef VIEW_PAGE_H
#define VIEW_PAGE_H

#include "client.h"
#include "request.h"

#define PAGE_WATCHES 256u
#define PAGE_PLOTS 64u
#define PAGE_FIELDS 32u

/* What all pages share. It exists while there is one. */
struct page_common {
    struct view_hub *hub;
    unsigned pages;
    struct view_blob *devices; /* the newest list */
    uint64_t devices_number;   /* of that list: it grows when they change */
    struct page_simulation *simulation;
};

struct page {
    struct view_client *client;
    bool hidden, greeted, listed, lists_shown;
    bool sought;             /* while it was hidden */
    struct view_text topics; /* that is being written */
    bool adding;
    uint32_t *gone;
    size_t n_gone;
    struct page_watch *watches;
    struct page_plot *plots;
    unsigned n_watches, n_plots;
    struct view_timer timer; /* watches and plots */
    struct view_stream lists, clock, tick;
    uint64_t devices_number; /* of the list that it was sent */
};

static inline struct page *page_of(const struct view_client *c)
{
    return c->session;
}

/* All pages that are visible, one after the other; begin with NULL. */
static inline struct page *page_next(const struct view_hub *h, const struct page *p)
{
    struct view_client *c = p ? p->client->next : h->clients;

    while (c && (!c->protocol->page || page_of(c)->hidden))
        c = c->next;
    return c ? page_of(c) : NULL;
}

/* Let the page's timer come at this time or earlier. */
static inline void page_alarm(struct page *p, uint64_t when)
{
    if (!p->timer.when || when < p->timer.when)
        view_timer_set(p->client->hub->loop, &p->timer, when);
}

/* lists.c: channels, relays and devices, once per second */
bool page_lists_open(struct page *p);
void page_lists_close(struct page *p);
void page_lists_listed(struct view_client *c);
void page_lists_show(struct page *p, bool show);

/* driving.c: bases and joints */
void page_drive(struct page *p, const struct value *request);
void page_joint(struct page *p, const struct value *request);
void page_goal(struct page *p, const struct value *request);
void page_stop(struct page *p, const struct value *request);
void page_release(struct page *p, const struct value *request);
void page_drives_show(struct page *p); /* the page is visible from now on */

/* The page is hidden or closed: stop what it drives. What goes to a goal goes on. */
void page_drives_leave(struct page *p, const char *reason);
void page_drives_end(struct view_hub *h);    /* no page is left: close what stands */
void page_drives_finish(struct view_hub *h); /* stop all, for seconds at most, and close it */

/* simulation.c: the clock of a simulation. The survey of the channels is new. */
void page_simulation_listed(struct page_common *c);
void page_simulation_finish(struct page_common *c);
void page_simulation_command(struct page *p, const char *command);
void page_clock_request(struct page *p, const struct view_request *r);

/* watch.c: messages, newest first */
void page_watch(struct page *p, const struct value *request);
void page_unwatch(struct page *p, const struct value *request);
void page_watches_removed(struct page *p, uint32_t topic);
void page_watches_show(struct page *p, bool show);
void page_watches_forget(struct page *p); /* what was not sent yet */
void page_watches_due(struct page *p, uint64_t now);
void page_watches_finish(struct page *p);

/* plot.c: all values of some fields */
void page_plot(struct page *p, const struct value *request);
void page_unplot(struct page *p, const struct value *request);
void page_plots_removed(struct page *p, uint32_t topic);
void page_plots_show(struct page *p, bool show);
void page_plots_forget(struct page *p);
void page_plots_due(struct page *p, uint64_t now);
void page_plots_finish(struct page *p);

/* picture.c: an image or a grid, which is sent as a text and its pixels or cells */
#define PAGE_PICTURE_MEMBERS 16u

struct page_picture {
    struct value rest; /* the message without its data */
    struct value members[PAGE_PICTURE_MEMBERS];
    char told[32];     /* in place of the data */
    const uint8_t *at; /* the data */
    size_t size;
    size_t cells; /* of a grid; 0: it is an image */
    uint32_t width, height, format;
    size_t step;       /* bytes of a row */
    unsigned bytes;    /* of a pixel */
    unsigned order[3]; /* of red, green and blue in it */
};

/* False: the message is none. It is valid as long as the message. */
bool page_picture_find(struct page_picture *p, struct view_message *m);

/* As a binary message that begins with this text. NULL: no memory. */
struct view_blob *page_picture_blob(const struct page_picture *p, const struct view_blob *text);

/* Seconds since 1970. */
static inline double page_time(int64_t nanoseconds)
{
    return (double)nanoseconds * 1e-9;
}

#endif

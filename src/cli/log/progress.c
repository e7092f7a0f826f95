/* SPDX-License-Identifier: BSD-3-Clause */
#include "progress.h"

#include <math.h>
#include <unistd.h>

#include "monotonic.h"

#define PROGRESS_EVERY_NS 200000000
#define PROGRESS_FIRST_NS 500000000 /* quick work shows nothing */
#define PROGRESS_MESSAGES 256u      /* between two looks at the clock */

void rec_progress_begin(struct rec_progress *p, const struct logs_source *s)
{
    *p = (struct rec_progress){.shows = isatty(STDERR_FILENO)};
    p->next = monotonic_ns() + PROGRESS_FIRST_NS;
    if (!logs_times(s, &p->first, &p->last))
        p->first = p->last = 0;
}

static void progress_draw(struct rec_progress *p, const struct logs_message *m)
{
    fprintf(stderr, "\r\033[K%llu messages", (unsigned long long)p->messages);
    if (p->last > p->first)
        fprintf(stderr, ", %.0f %%",
                fmin(100, 100 * ((double)m->order - (double)p->first) /
                              ((double)p->last - (double)p->first)));
    fflush(stderr);
    p->drawn = true;
}

void rec_progress_show(struct rec_progress *p, const struct logs_message *m)
{
    int64_t now;

    if (!p->shows || ++p->messages % PROGRESS_MESSAGES)
        return;
    now = monotonic_ns();
    if (now < p->next)
        return;
    progress_draw(p, m);
    p->next = now + PROGRESS_EVERY_NS;
}

void rec_progress_end(struct rec_progress *p)
{
    if (p->drawn)
        fputs("\r\033[K", stderr);
    p->drawn = p->shows = false;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "agenda.h"

#include <ach.h>
#include <stdlib.h>

static bool before(const struct simd_agenda_item *a, const struct simd_agenda_item *b)
{
    if (a->time != b->time)
        return a->time < b->time;
    if (a->rank != b->rank)
        return a->rank < b->rank;
    return a->serial < b->serial;
}

static void agenda_put(struct simd_agenda *a, size_t place, struct simd_agenda_item *item)
{
    a->items[place - 1] = item;
    item->place = place;
}

static void rise(struct simd_agenda *a, size_t place)
{
    struct simd_agenda_item *item = a->items[place - 1];

    while (place > 1 && before(item, a->items[place / 2 - 1])) {
        agenda_put(a, place, a->items[place / 2 - 1]);
        place /= 2;
    }
    agenda_put(a, place, item);
}

static void sink(struct simd_agenda *a, size_t place)
{
    struct simd_agenda_item *item = a->items[place - 1];
    size_t child;

    while ((child = 2 * place) <= a->count) {
        if (child < a->count && before(a->items[child], a->items[child - 1]))
            child++;
        if (!before(a->items[child - 1], item))
            break;
        agenda_put(a, place, a->items[child - 1]);
        place = child;
    }
    agenda_put(a, place, item);
}

static ach_status_t grow(struct simd_agenda *a)
{
    size_t room = a->room ? 2 * a->room : 16;
    struct simd_agenda_item **more = realloc(a->items, room * sizeof(struct simd_agenda_item *));

    if (!more)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for the world's agenda");
    a->items = more;
    a->room = room;
    return ACH_OK;
}

ach_status_t simd_agenda_add(struct simd_agenda *a, struct simd_agenda_item *item, int64_t time)
{
    if (a->count == a->room && grow(a) != ACH_OK)
        return ACH_FAILED_SYSCALL;
    item->time = time;
    item->serial = a->serial++;
    a->items[a->count++] = item;
    rise(a, a->count);
    return ACH_OK;
}

void simd_agenda_remove(struct simd_agenda *a, struct simd_agenda_item *item)
{
    size_t place = item->place;
    struct simd_agenda_item *last;

    if (!place)
        return;
    item->place = 0;
    last = a->items[--a->count];
    if (last == item)
        return;
    agenda_put(a, place, last);
    sink(a, place);
    rise(a, last->place);
}

struct simd_agenda_item *simd_agenda_first(const struct simd_agenda *a)
{
    return a->count ? a->items[0] : NULL;
}

void simd_agenda_finish(struct simd_agenda *a)
{
    free(a->items);
    *a = (struct simd_agenda){0};
}

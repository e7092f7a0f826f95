/* SPDX-License-Identifier: BSD-3-Clause */
#include "missed.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "feed.h"

void record_missed_init(struct record_missed *m)
{
    memset(m, 0, sizeof(*m));
}

static void missed_pair(struct record_missed *m, const char *prefix, const char *name,
                        uint64_t count)
{
    struct mcap_pair *more = realloc(m->pairs, (m->n + 1) * sizeof(*more));
    char *key = NULL, *value = NULL;

    if (more)
        m->pairs = more;
    if (!more || asprintf(&key, "%s%s", prefix, name) < 0)
        return;
    if (asprintf(&value, "%" PRIu64, count) < 0) {
        free(key);
        return;
    }
    m->pairs[m->n++] = (struct mcap_pair){mcap_text(key), mcap_text(value)};
}

/* A channel that was replaced has several topics of one name, and a map has each key once. */
static bool missed_merge(struct record_missed *m, const char *key, uint64_t count)
{
    char value[24];
    size_t i;

    for (i = 0; i < m->n; i++) {
        struct mcap_pair *p = &m->pairs[i];

        if (p->key.size != strlen(key) || memcmp(p->key.at, key, p->key.size) != 0)
            continue;
        snprintf(value, sizeof(value), "%" PRIu64,
                 (uint64_t)strtoull(p->value.at, NULL, 10) + count);
        free((char *)(uintptr_t)p->value.at);
        p->value = mcap_text(strdup(value));
        return true;
    }
    return false;
}

void record_missed_add(struct record_missed *m, const char *topic, const struct record_lost *lost)
{
    const uint64_t total = record_lost_total(lost);
    char key[FEED_TOPIC_MAX + 8];

    record_lost_add(&m->lost, lost);
    if (total == 0)
        return;
    snprintf(key, sizeof(key), "topic:%s", topic);
    if (!missed_merge(m, key, total))
        missed_pair(m, "topic:", topic, total);
}

bool record_missed_write(struct record_missed *m, struct mcap_writer *w)
{
    missed_pair(m, "total", "", record_lost_total(&m->lost));
    missed_pair(m, "overwritten", "", m->lost.overwritten);
    missed_pair(m, "dropped", "", m->lost.dropped);
    missed_pair(m, "oversized", "", m->lost.oversized);
    missed_pair(m, "unwritten", "", m->lost.unwritten);
    if (m->forgotten)
        missed_pair(m, "forgotten", "", m->forgotten);
    return mcap_writer_metadata(w, mcap_text("ach.missed"), m->pairs, m->n);
}

void record_missed_finish(struct record_missed *m)
{
    size_t i;

    for (i = 0; i < m->n; i++) {
        free((char *)(uintptr_t)m->pairs[i].key.at);
        free((char *)(uintptr_t)m->pairs[i].value.at);
    }
    free(m->pairs);
}

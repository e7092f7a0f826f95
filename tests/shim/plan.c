/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan.h"

#include <check.h>

#include "../../src/core/layout.h"

static uint64_t below(uint64_t *random, uint64_t n)
{
    return check_random(random) % n;
}

static bool one_in(uint64_t *random, uint64_t n)
{
    return below(random, n) == 0;
}

/* Prefer boundary sizes: 1, frame_size, the inline limit and one more, the capacity. */
static uint32_t random_size(const struct chan_plan *c, uint64_t *random)
{
    uint64_t capacity = c->frame_cnt * c->frame_size;
    uint64_t in_entry = c->flags & ACHI_F_ORIGINS ? ACHI_INLINE_MAX_ORIGINS : ACHI_INLINE_MAX;
    uint64_t n;

    switch (below(random, 8)) {
    case 0:
        n = 1;
        break;
    case 1:
        n = c->frame_size;
        break;
    case 2:
        n = in_entry;
        break;
    case 3:
        n = in_entry + 1;
        break;
    case 4:
        n = capacity;
        break;
    case 5:
        n = 1 + below(random, c->frame_size);
        break;
    default:
        n = 1 + below(random, capacity);
    }
    return (uint32_t)(n < capacity ? n : capacity);
}

/* At most 5 below the largest sequence number that fits the commit word's bits, or 32 bits. */
static uint64_t near_wrap(uint64_t *random)
{
    return (one_in(random, 2) ? ACHI_SEQ_BITS / ACHI_ONE_MESSAGE + 1 : 1ull << 32) - 1 -
           below(random, 6);
}

void plan_random_channel(struct chan_plan *c, uint64_t *random, bool wrap)
{
    static const uint32_t sizes[] = {1, 8, 24, 64, 80, 81, 100, 128, 200};

    *c = (struct chan_plan){.frame_cnt = 1 + below(random, 4)};
    c->frame_size = one_in(random, 3) ? 1 + below(random, 200) : sizes[below(random, 9)];
    c->flags = (uint32_t)below(random, 4) & (ACHI_F_TIMESTAMPS | ACHI_F_SINGLE_WRITER);
    if (one_in(random, 2))
        c->flags |= ACHI_F_MIRRORED;
    if (one_in(random, 4))
        c->flags |= ACHI_F_ORIGINS;
    c->roomy = one_in(random, 8);
    c->readonly_wake = one_in(random, 6);
    c->copy_words = 1 + (unsigned)below(random, 3);
    c->start_pos = ACHI_ALIGN * below(random, 64);
    if (wrap || one_in(random, 16)) {
        c->start_seq = wrap ? near_wrap(random) : 1 + below(random, 100);
        c->start_size = random_size(c, random);
    }
}

static struct op random_write(const struct chan_plan *c, uint64_t *random)
{
    struct op op = {.kind = OP_PUT, .size = random_size(c, random)};

    if ((c->flags & ACHI_F_SINGLE_WRITER) && one_in(random, 2)) {
        op.kind = one_in(random, 4) ? OP_ABORT : OP_RESERVE;
        op.least = 1 + (uint32_t)below(random, op.size);
    } else if (one_in(random, 32)) {
        op.size = (uint32_t)(c->frame_cnt * c->frame_size) + 1;
    }
    return op;
}

static struct op random_read(const struct chan_plan *c, uint64_t *random, bool may_wait)
{
    uint32_t capacity = (uint32_t)(c->frame_cnt * c->frame_size);
    struct op op = {.kind = OP_GET, .size = capacity};

    if (one_in(random, 10))
        op.kind = (enum op_kind)(OP_PEEK + below(random, 3));
    else if (one_in(random, 6))
        op.kind = OP_VIEW;
    else if (one_in(random, 12))
        op.size = (uint32_t)below(random, capacity + 1);
    op.options = (int)below(random, 8) & (ACH_O_LAST | ACH_O_COPY | (may_wait ? ACH_O_WAIT : 0));
    return op;
}

static void add_writer(struct plan *p, uint64_t *random)
{
    struct script *s = &p->actors[p->n];
    int i;

    *s = (struct script){.writer = true, .after = -1, .n = 1 + (int)below(random, 6)};
    /* Single writer: a writer begins when the one before has ended, also if it was killed. */
    if (p->n && (p->chan.flags & ACHI_F_SINGLE_WRITER))
        s->after = p->n - 1;
    for (i = 0; i < s->n; i++)
        s->ops[i] = random_write(&p->chan, random);
    p->n++;
}

static void add_reader(struct plan *p, uint64_t *random)
{
    struct script *s = &p->actors[p->n++];
    int i;

    *s = (struct script){.after = -1, .n = 1 + (int)below(random, 6)};
    s->readonly = one_in(random, 3);
    for (i = 0; i < s->n; i++)
        s->ops[i] = random_read(&p->chan, random, !s->readonly || p->chan.readonly_wake);
}

void plan_random(struct plan *p, uint64_t *random, bool wrap)
{
    uint64_t writers = 1 + below(random, 3);
    uint64_t readers = 1 + below(random, 3);

    *p = (struct plan){.name = "random"};
    plan_random_channel(&p->chan, random, wrap);
    while (writers--)
        add_writer(p, random);
    while (readers--)
        add_reader(p, random);
    if (one_in(random, 40)) {
        struct script *s = &p->actors[0];

        s->ops[s->n++].kind = OP_RETIRE;
    }
}

void plan_print(const struct plan *p)
{
    static const char *const kinds[OP_KINDS] = {"put",  "reserve", "abort", "retire", "get",
                                                "view", "peek",    "flush", "range"};
    int i, k;

    fprintf(stderr, "plan %s: %llu frames of %llu, flags %u%s%s, from sequence %llu\n", p->name,
            (unsigned long long)p->chan.frame_cnt, (unsigned long long)p->chan.frame_size,
            p->chan.flags, p->chan.roomy ? ", roomy" : "",
            p->chan.readonly_wake ? ", wakes always" : "", (unsigned long long)p->chan.start_seq);
    for (i = 0; i < p->n; i++) {
        fprintf(stderr, "  actor %d%s:", i, p->actors[i].readonly ? " read-only" : "");
        for (k = 0; k < p->actors[i].n; k++) {
            const struct op *op = &p->actors[i].ops[k];

            fprintf(stderr, " %s(%u, options %d)", kinds[op->kind], op->size, op->options);
        }
        fprintf(stderr, "\n");
    }
}

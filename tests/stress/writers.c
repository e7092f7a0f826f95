/* SPDX-License-Identifier: BSD-3-Clause */
/* writers.c - put messages of random sizes, by copy and in place */
#include "racy.h"
#include "run.h"

static size_t between(uint64_t *rng, size_t low, size_t high)
{
    return low + (size_t)(check_random(rng) % (high - low + 1));
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Favour small sizes: the limit is doubled again with probability 7/8. */
static size_t any_magnitude(uint64_t *rng, size_t capacity)
{
    size_t top = 1;

    while (top < capacity && check_random(rng) % 8 != 0)
        top *= 2;
    return between(rng, 1, smaller(top, capacity));
}

static size_t pick_size(const struct run *r, uint64_t *rng)
{
    size_t capacity = run_capacity(r), nominal = r->shape.frame_size;

    switch (r->mix) {
    case MIX_SMALL:
        return between(rng, 1, smaller(80, capacity));
    case MIX_NOMINAL:
        return nominal;
    case MIX_FULL:
        return capacity - (check_random(rng) % 4 == 0 ? between(rng, 0, capacity - 1) : 0);
    case MIX_EVEN:
        return between(rng, 1, capacity);
    default:
        return check_random(rng) % 16 == 0 ? capacity : any_magnitude(rng, capacity);
    }
}

static void put_by_copy(ach_channel_t *chan, unsigned char *buf, size_t size, unsigned writer,
                        uint64_t counter)
{
    pattern_fill(buf, size, writer, counter);
    REQUIRE_OK(ach_put(chan, buf, size));
}

/* At times reserve more than is needed, and at times abort a reservation first. */
static void put_in_place(ach_channel_t *chan, unsigned char *buf, size_t room, size_t size,
                         unsigned writer, uint64_t counter)
{
    void *p = NULL;

    pattern_fill(buf, size, writer, counter);
    if (counter % 7 == 0) {
        REQUIRE_OK(ach_reserve(chan, room, &p));
        racy_copy(p, buf, size);
        REQUIRE_OK(ach_abort(chan));
    }
    REQUIRE_OK(ach_reserve(chan, counter % 3 == 0 ? room : size, &p));
    racy_copy(p, buf, size);
    REQUIRE_OK(ach_commit(chan, size));
}

int run_writer(struct actor *self)
{
    const struct run *r = self->arg;
    uint64_t rng = r->seed + self->index, counter = 0;
    size_t capacity = run_capacity(r);
    unsigned char *buf = malloc(capacity);
    ach_channel_t chan;

    REQUIRE(buf);
    run_open(r, &chan, false, r->single);
    while (!__atomic_load_n(&r->shared->stop, __ATOMIC_ACQUIRE) || counter == 0) {
        size_t size = pick_size(r, &rng);

        counter++;
        if (check_random(&rng) % (r->single ? 2 : 8) == 0)
            put_in_place(&chan, buf, capacity, size, self->index, counter);
        else
            put_by_copy(&chan, buf, size, self->index, counter);
        __atomic_store_n(&r->shared->put[self->index], counter, __ATOMIC_RELEASE);
        actor_step(self);
    }
    CHECK_OK(ach_close(&chan));
    free(buf);
    return check_failures;
}

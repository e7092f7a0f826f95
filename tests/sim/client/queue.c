/* SPDX-License-Identifier: BSD-3-Clause */
/* queue - many threads, one short queue: no wake-up is lost, whichever thread holds the mutex */
#include <check.h>
#include <pthread.h>

#define THREADS 8
#define ROOM 4

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t full = PTHREAD_COND_INITIALIZER, empty = PTHREAD_COND_INITIALIZER;
static ach_channel_t chan;
static uint64_t items, queue[ROOM], in, out, sum;

static void *producer(void *arg)
{
    uint64_t i;

    for (i = 1; i <= items; i++) {
        pthread_mutex_lock(&lock);
        while (in - out == ROOM)
            pthread_cond_wait(&full, &lock);
        queue[in++ % ROOM] = i;
        pthread_cond_signal(&empty);
        if (i % 16 == 0) /* other threads block on the mutex meanwhile */
            CHECK_OK(ach_put(&chan, &i, sizeof(i)));
        pthread_mutex_unlock(&lock);
        if (i % 50 == 0)
            usleep(1000);
    }
    return arg;
}

static void *consumer(void *arg)
{
    uint64_t i;

    for (i = 1; i <= items; i++) {
        pthread_mutex_lock(&lock);
        while (in == out)
            pthread_cond_wait(&empty, &lock);
        sum += queue[out++ % ROOM];
        pthread_cond_broadcast(&full);
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t threads[THREADS];
    int i;

    items = check_scale(500);
    REQUIRE_OK(ach_create("queue", 8, 8, NULL));
    REQUIRE_OK(ach_open(&chan, "queue", NULL));
    for (i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&threads[i], NULL, i % 2 ? producer : consumer, NULL) == 0);
    for (i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(sum == THREADS / 2 * items * (items + 1) / 2);
    ach_close(&chan);
    CHECK_OK(ach_unlink("queue"));
    return check_result();
}

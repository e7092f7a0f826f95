/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * switches.c - what a pair of context switches costs, with nothing else
 *
 * usage: switches CORE COUNT
 *
 * Two processes on one core wake each other in turn: a line for futexes, then one for pipes. It
 * has what there and back takes, in ns, in each of ten parts of the run.
 */
#include <linux/futex.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench.h"
#include "ticks.h"

#define PARTS 10

/* The sides are 0, which measures, and 1, which answers. */
static uint32_t *turn;  /* shared: the side that may run */
static int pipes[2][2]; /* to each side */

static void futex_wake(uint32_t side)
{
    __atomic_store_n(turn, side, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, turn, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void futex_wait(uint32_t side)
{
    while (__atomic_load_n(turn, __ATOMIC_SEQ_CST) != side)
        syscall(SYS_futex, turn, FUTEX_WAIT, !side, NULL, NULL, 0);
}

static void pipe_wake(uint32_t side)
{
    MUST_SYS(write(pipes[side][1], "", 1) == 1);
}

static void pipe_wait(uint32_t side)
{
    char c;

    MUST_SYS(read(pipes[side][0], &c, 1) == 1);
}

struct way {
    void (*wake)(uint32_t side), (*wait)(uint32_t side);
};

static void answer(void *way)
{
    const struct way *w = way;

    peer_ready();
    for (;;) {
        w->wait(1);
        w->wake(0);
    }
}

int main(int argc, char **argv)
{
    static struct way ways[] = {{futex_wake, futex_wait}, {pipe_wake, pipe_wait}};
    long i, count = argc == 3 ? strtol(argv[2], NULL, 10) / PARTS : 0;
    struct way *w;

    if (count < 1) {
        fputs("usage: switches CORE COUNT\n", stderr);
        return 2;
    }
    bench.machine.peer_cpu = (int)strtol(argv[1], NULL, 10);
    machine_pin(bench.machine.peer_cpu);
    turn = shared_alloc(sizeof(*turn));
    MUST_SYS(pipe(pipes[0]) == 0 && pipe(pipes[1]) == 0);
    for (w = ways; w < ways + ARRAY_SIZE(ways); w++) {
        pid_t peer = peer_start(answer, w);
        int part;

        for (part = 0; part < PARTS; part++) {
            uint64_t begin = clock_ns();

            for (i = 0; i < count; i++) {
                w->wake(1);
                w->wait(0);
            }
            printf("%.1f ", (double)(clock_ns() - begin) / (double)count);
        }
        putchar('\n');
        peer_kill(peer);
    }
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stress.c - all operations on kernel channels at once, with processes killed at any moment
 *
 * vm-stress SECONDS SEED
 *
 * A process for each role; they are killed, stopped and interrupted at random
 * moments and started again. After each round all are killed, and the module is
 * unloaded and loaded again. Every message that a reader gets must be whole.
 */
#include "world.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#define PROCESSES 14
#define ROUNDS 5
#define UNLOAD_LIMIT_MS ((long)check_time(20000))

struct world *world;

const struct shape shapes[CHANNELS] = {
    {"small", 16, 64, 0},
    {"large", 8, MESSAGE_MAX, ACH_KERNEL_TIMESTAMPS},
    {"one", 1, 200, 0},
    {"many", 500, 1000, ACH_KERNEL_TIMESTAMPS},
};

static const char *const names[COUNTS] = {
    [PUTS] = "puts",
    [GETS] = "gets",
    [POLLS] = "polls",
    [WAITS] = "waits",
    [MAPS] = "maps",
    [CANCELS] = "cancels",
    [INTERRUPTS] = "interrupted",
    [CREATES] = "creates",
    [UNLINKS] = "unlinks",
    [STALES] = "stale",
    [REFUSED] = "refused unloads",
    [KILLS] = "kills",
    [STOPS] = "stops",
    [UNLOADS] = "unloads",
};

void wrong(const char *fmt, ...)
{
    char text[300];
    va_list ap;

    /* Print only the first 20. */
    if (atomic_fetch_add(&world->wrong, 1) >= 20)
        return;
    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    fprintf(stderr, "wrong: %s\n", text);
}

int some_channel(uint64_t *random, int flags, const struct shape **shape)
{
    const struct shape *s = &shapes[check_random(random) % CHANNELS];
    int fd = device_open(s->name, flags);

    if (shape)
        *shape = s;
    if (fd < 0) {
        if (errno != ENOENT && errno != EINTR && errno != ENXIO && errno != ENODEV)
            wrong("open: %s", strerror(errno));
        check_sleep_ms(1);
    }
    return fd;
}

static void nothing(int number)
{
    (void)number;
}

static pid_t start(unsigned slot, uint64_t seed)
{
    struct sigaction quiet = {.sa_handler = nothing};
    pid_t pid = fork();

    REQUIRE(pid >= 0);
    if (pid > 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpriority(PRIO_PROCESS, 0, 0);
    sigaction(SIGUSR1, &quiet, NULL);
    while (!world->over)
        roles[slot % role_count].run(slot, &seed);
    exit(0);
}

static void end(pid_t pid)
{
    int status;

    kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
}

static void make_channels(void)
{
    unsigned i;

    for (i = 0; i < CHANNELS; i++)
        if (channel_create(shapes[i].name, shapes[i].frame_cnt, shapes[i].frame_size,
                           shapes[i].flags) != 0)
            wrong("create %s: %s", shapes[i].name, strerror(errno));
}

/* Kill all processes; then nothing may pin the module. */
static void reload(pid_t *pids)
{
    unsigned i;

    for (i = 0; i < PROCESSES; i++)
        end(pids[i]);
    if (channel_unlink_all() != 0)
        wrong("channels cannot be unlinked: %s", strerror(errno));
    if (module_unload_soon(UNLOAD_LIMIT_MS) != 0)
        wrong("the module cannot be unloaded: %s", strerror(errno));
    else
        count(UNLOADS);
    if (!module_loaded() && module_load() != 0)
        wrong("the module cannot be loaded again: %s", strerror(errno));
}

/* Kill a process, stop it for a moment, or interrupt it. */
static void disturb(pid_t *pid, unsigned slot, uint64_t *random)
{
    switch (check_random(random) % 4) {
    case 0:
        kill(*pid, SIGSTOP);
        check_sleep_ms((long)(check_random(random) % 5));
        kill(*pid, SIGCONT);
        count(STOPS);
        break;
    case 1:
        kill(*pid, SIGUSR1);
        break;
    default:
        end(*pid);
        *pid = start(slot, check_random(random));
        count(KILLS);
    }
}

/* Create the channels, run and disturb the processes for ns, reload the module. */
static void one_round(uint64_t ns, uint64_t *random)
{
    pid_t pids[PROCESSES];
    uint64_t end_ns;
    unsigned i;

    make_channels();
    for (i = 0; i < PROCESSES; i++)
        pids[i] = start(i, check_random(random));
    end_ns = check_now_ns() + ns;
    while (check_now_ns() < end_ns) {
        check_sleep_ms((long)(check_random(random) % 20));
        i = (unsigned)(check_random(random) % PROCESSES);
        disturb(&pids[i], i, random);
    }
    reload(pids);
}

static void stress(uint64_t seconds, uint64_t *random)
{
    int i;

    setpriority(PRIO_PROCESS, 0, -10); /* the others must not delay this process */
    for (i = 0; i < ROUNDS; i++)
        one_round(seconds * 1000000000u / ROUNDS, random);
}

int main(int argc, char **argv)
{
    uint64_t random = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    unsigned i;

    if (!module_loaded())
        check_skip("the module is not loaded");
    world = check_shared(sizeof(*world));
    printf("seed %" PRIu64 "\n", random);
    fflush(stdout);
    stress(argc > 1 ? strtoull(argv[1], NULL, 10) : 10, &random);
    for (i = 0; i < COUNTS; i++) {
        printf("%s %" PRIu64 "%s", names[i], counted(i), i + 1 < COUNTS ? ", " : "\n");
        if (i != STALES && i != INTERRUPTS && i != STOPS)
            CHECK(counted(i) > 0);
    }
    CHECK(world->wrong == 0);
    return check_result();
}

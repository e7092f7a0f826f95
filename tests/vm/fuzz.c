/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz.c - random calls to the module, from several processes
 *
 * vm-fuzz SECONDS SEED
 *
 * Fuzzing processes, with and without privileges, come and go or are killed.
 * Meanwhile an honest writer and an honest reader use a channel, which the
 * fuzzing processes must not disturb.
 */
#include "fuzz.h"

#include "pattern.h"

#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>

#define PROCESSES 4
#define STEPS 1000
#define NOBODY 65534
#define HONEST_SIZE 1000
#define ENOUGH_CALLS 10000u /* so many calls include a mapping: one call in 300 maps */

struct fuzz_counts *fuzz_counts;

static sigjmp_buf back;

void fuzz_wrong(const char *what)
{
    if (atomic_fetch_add(&fuzz_counts->wrong, 1) < 20)
        fprintf(stderr, "wrong: %s (%s)\n", what, strerror(errno));
}

static void on_fault(int number)
{
    (void)number;
    atomic_fetch_add(&fuzz_counts->faults, 1);
    siglongjmp(back, 1);
}

static void on_alarm(int number)
{
    (void)number;
}

/* SIGALRM interrupts calls that block. After a fault, the next step follows. */
static void set_signals(void)
{
    struct itimerval often = {.it_interval.tv_usec = 4000, .it_value.tv_usec = 4000};
    struct sigaction fault = {.sa_handler = on_fault, .sa_flags = SA_NODEFER};
    struct sigaction alarm_action = {.sa_handler = on_alarm};

    sigaction(SIGSEGV, &fault, NULL);
    sigaction(SIGBUS, &fault, NULL);
    sigaction(SIGALRM, &alarm_action, NULL);
    signal(SIGIO, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    setitimer(ITIMER_REAL, &often, NULL);
}

static void set_up(struct fuzz *f, uint64_t seed)
{
    char name[ACH_KERNEL_NAME_MAX];
    unsigned i;

    memset(f, 0, sizeof(*f));
    f->random = seed;
    f->page = (size_t)sysconf(_SC_PAGESIZE);
    f->room = mmap(NULL, 3 * f->page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(f->room != MAP_FAILED);
    mprotect(f->room + f->page, f->page, PROT_READ);
    mprotect(f->room + 2 * f->page, f->page, PROT_NONE);
    for (i = 0; i < FDS; i++)
        f->fds[i] = -1;
    f->fds[0] = device_try_control();
    for (i = 1; i < FDS / 2; i++) {
        snprintf(name, sizeof(name), "fuzz-%u", i);
        channel_create(name, 16, 1000, i % 4);
        f->fds[i] = device_open(name, i % 2 ? O_RDWR : O_RDONLY | O_NONBLOCK);
    }
}

static pid_t start_fuzzer(uint64_t seed)
{
    struct rlimit little = {1 << 20, 1 << 20};
    static struct fuzz f;
    volatile unsigned step = 0;
    pid_t pid = fork();

    REQUIRE(pid >= 0);
    if (pid > 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setrlimit(RLIMIT_MEMLOCK, &little);
    if (seed % 3 == 0 && (setgid(NOBODY) != 0 || setuid(NOBODY) != 0))
        _exit(1);
    set_up(&f, seed);
    set_signals();
    sigsetjmp(back, 1);
    while (step < STEPS) {
        step++;
        fuzz_step(&f);
    }
    _exit(0);
}

static void honest_writer(void)
{
    int fd = device_open("honest", O_WRONLY);
    static unsigned char buf[HONEST_SIZE];
    uint64_t number = 0, random = 1;

    for (;;) {
        size_t size = 8 + check_random(&random) % (HONEST_SIZE - 7);

        pattern_fill(buf, size, 0, ++number);
        if (write(fd, buf, size) != (ssize_t)size)
            fuzz_wrong("the honest writer cannot write");
        atomic_fetch_add(&fuzz_counts->puts, 1);
        check_sleep_ms(1);
    }
}

static void honest_reader(void)
{
    int fd = device_open("honest", O_RDONLY);
    static unsigned char buf[HONEST_SIZE];
    uint64_t number, last = 0;
    unsigned writer;

    for (;;) {
        ssize_t r = read(fd, buf, sizeof(buf));

        if (r <= 0 || !pattern_check(buf, (size_t)r, &writer, &number) || number <= last) {
            fuzz_wrong("the honest reader got something else");
            check_sleep_ms(1);
            continue;
        }
        last = number;
        atomic_fetch_add(&fuzz_counts->gets, 1);
    }
}

static pid_t start_honest(void (*run)(void))
{
    pid_t pid = fork();

    REQUIRE(pid >= 0);
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        run();
    }
    return pid;
}

static void end(pid_t pid)
{
    kill(pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

/* Replace processes that have exited; now and then kill and replace a running one. */
static void fuzz(uint64_t seconds, uint64_t seed)
{
    uint64_t end_ns = check_now_ns() + seconds * 1000000000u, random = seed;
    pid_t pids[PROCESSES];
    unsigned i;

    for (i = 0; i < PROCESSES; i++)
        pids[i] = start_fuzzer(check_random(&random));
    while (check_now_ns() < end_ns) {
        check_sleep_ms((long)(check_random(&random) % 30));
        i = (unsigned)(check_random(&random) % PROCESSES);
        if (waitpid(pids[i], NULL, WNOHANG) == 0) {
            if (check_random(&random) % 32)
                continue;
            end(pids[i]);
            atomic_fetch_add(&fuzz_counts->kills, 1);
        }
        pids[i] = start_fuzzer(check_random(&random));
        atomic_fetch_add(&fuzz_counts->processes, 1);
    }
    for (i = 0; i < PROCESSES; i++)
        end(pids[i]);
}

/* Nothing else limits root, and the guest has little memory. */
static void limit_channels(void)
{
    int fd = open("/sys/module/ach/parameters/max_channel_bytes", O_WRONLY);

    CHECK(fd >= 0 && write(fd, "4194304", 7) == 7);
    if (fd >= 0)
        close(fd);
}

static void report(void)
{
    printf("ioctls %" PRIu64 ", accepted %" PRIu64 ", calls %" PRIu64 ", maps %" PRIu64
           ", faults %" PRIu64 ", processes %" PRIu64 ", kills %" PRIu64 ", puts %" PRIu64
           ", gets %" PRIu64 "\n",
           fuzz_counts->ioctls, fuzz_counts->accepted, fuzz_counts->calls, fuzz_counts->maps,
           fuzz_counts->faults, fuzz_counts->processes, fuzz_counts->kills, fuzz_counts->puts,
           fuzz_counts->gets);
    CHECK(fuzz_counts->wrong == 0);
    CHECK(fuzz_counts->accepted > 0);
    CHECK(fuzz_counts->maps > 0 || fuzz_counts->calls < ENOUGH_CALLS);
    CHECK(fuzz_counts->puts > 0 && fuzz_counts->gets > 0);
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    pid_t writer, reader;

    if (!module_loaded())
        check_skip("the module is not loaded");
    fuzz_counts = check_shared(sizeof(*fuzz_counts));
    printf("seed %" PRIu64 "\n", seed);
    fflush(stdout);
    limit_channels();
    REQUIRE(channel_create("honest", 64, HONEST_SIZE, 0) == 0);
    writer = start_honest(honest_writer);
    reader = start_honest(honest_reader);
    fuzz(argc > 1 ? strtoull(argv[1], NULL, 10) : 10, seed);
    end(writer);
    end(reader);
    CHECK(channel_unlink_all() == 0);
    report();
    return check_result();
}

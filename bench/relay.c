/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * relay.c - from a process through two achd to another process, beside a bare chain
 *
 * relay-bench ACHD [MESSAGES]
 *
 * The bare chain does the least that this needs: futex, TCP on loopback, futex. Messages take both
 * ways in turn, so that both meet the same machine. Prints quantiles of the time from the put to
 * the return of the get.
 */
#include <ach.h>
#include <arpa/inet.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../src/util/monotonic.h"

#define PAUSE_US 500
#define PORT "18076"

struct message {
    int64_t put;
    char rest[56];
};

/* One place for a message, and a word to sleep on. */
struct mailbox {
    uint32_t word;
    struct message m;
};

static struct shared {
    struct mailbox in, out;
    uint32_t n[2];
    int64_t took[2][1000000];
} * s;

static void post(struct mailbox *b, const struct message *m)
{
    b->m = *m;
    __atomic_add_fetch(&b->word, 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, &b->word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void await(struct mailbox *b, uint32_t *seen, struct message *m)
{
    while (__atomic_load_n(&b->word, __ATOMIC_ACQUIRE) == *seen)
        syscall(SYS_futex, &b->word, FUTEX_WAIT, *seen, NULL, NULL, 0);
    ++*seen;
    *m = b->m;
}

/* A child that dies with this process. */
static pid_t child(void)
{
    pid_t pid = fork();

    if (pid == 0)
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    return pid;
}

static void record(int way, const struct message *m)
{
    s->took[way][s->n[way]] = monotonic_ns() - m->put;
    __atomic_add_fetch(&s->n[way], 1, __ATOMIC_RELEASE);
}

static void start_bare(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int listener = socket(AF_INET, SOCK_STREAM, 0), one = 1, fd, other;
    socklen_t size = sizeof(a);
    struct message m;
    uint32_t seen = 0;

    if (bind(listener, (struct sockaddr *)&a, sizeof(a)) != 0 || listen(listener, 1) != 0 ||
        getsockname(listener, (struct sockaddr *)&a, &size) != 0)
        exit(1);
    fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(fd, (struct sockaddr *)&a, size) != 0)
        exit(1);
    other = accept(listener, NULL, NULL);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    if (child() == 0)
        for (;;) {
            await(&s->in, &seen, &m);
            if (send(fd, &m, sizeof(m), 0) != sizeof(m))
                _exit(1);
        }
    if (child() == 0)
        while (recv(other, &m, sizeof(m), MSG_WAITALL) == sizeof(m))
            post(&s->out, &m);
    if (child() == 0)
        for (;;) {
            await(&s->out, &seen, &m);
            record(0, &m);
        }
}

static void start_relay(const char *achd, const char *there)
{
    ach_channel_t chan;
    struct message m;
    size_t n;

    if (child() == 0) {
        setenv("ACH_DIR", there, 1);
        execl(achd, achd, "-q", "-p", PORT, "serve", NULL);
    }
    if (child() == 0)
        execl(achd, achd, "-q", "-p", PORT, "--all", "push", "127.0.0.1", "bench", NULL);
    if (child() == 0) {
        setenv("ACH_DIR", there, 1);
        while (ach_open(&chan, "bench", NULL) != ACH_OK)
            usleep(1000);
        while (ach_get(&chan, &m, sizeof(m), &n, NULL, ACH_O_WAIT) == ACH_OK)
            record(1, &m);
    }
}

static int by_size(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static double quantile(int way, double q)
{
    return (double)s->took[way][(uint32_t)(q * (s->n[way] - 1))] / 1e3;
}

int main(int argc, char **argv)
{
    uint32_t i, n = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 10000;
    char here[] = "/dev/shm/relay-bench.XXXXXX", there[64];
    ach_channel_t chan;
    int way;

    s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (argc < 2 || n > 1000000 || s == MAP_FAILED || !mkdtemp(here))
        return 2;
    snprintf(there, sizeof(there), "%s/there", here);
    mkdir(there, 0700);
    setenv("ACH_DIR", here, 1);
    if (ach_create("bench", 64, sizeof(struct message), NULL) != ACH_OK ||
        ach_open(&chan, "bench", NULL) != ACH_OK)
        return 1;
    start_bare();
    start_relay(argv[1], there);
    sleep(1);
    for (i = 0; i < 2 * n; i++) {
        struct message m = {.put = monotonic_ns()};

        if (i % 2)
            ach_put(&chan, &m, sizeof(m));
        else
            post(&s->in, &m);
        usleep(PAUSE_US);
    }
    sleep(1);
    for (way = 0; way < 2; way++) {
        qsort(s->took[way], s->n[way], sizeof(int64_t), by_size);
        printf("%-5s %6u messages: p10 %7.1f  p50 %7.1f  p99 %8.1f us\n", way ? "achd" : "bare",
               s->n[way], quantile(way, 0.1), quantile(way, 0.5), quantile(way, 0.99));
    }
    printf("ratio of p50: %.2f, of p10: %.2f\n", quantile(1, 0.5) / quantile(0, 0.5),
           quantile(1, 0.1) / quantile(0, 0.1));
    signal(SIGTERM, SIG_IGN);
    kill(0, SIGTERM);
    fflush(stdout);
    return execlp("rm", "rm", "-rf", here, NULL);
}

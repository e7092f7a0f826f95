/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * crash_random.c - kill writers and readers at any time (G1, G2, G3, G5, G6)
 *
 * For several geometries: writers and readers run at full speed; again and
 * again one of them is killed, the supervisor puts a message while the killed
 * process is still a zombie, and a new process takes its place. From time to
 * time all writers are killed at once: then no reader may sleep that has not
 * seen the newest message.
 */
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>

#include <check.h>
#include <lower.h>

#include "random.h"
#include "trace.h"

/* Less than the second after which a reader that was not woken checks by itself. */
#define ASLEEP_NS 300000000ull
#define LONG_NS check_time(20000000000ull)

#define KILLS_BETWEEN_SILENCES 40
#define SUPERVISOR (WRITERS_MAX - 1)

static const struct geometry geometries[] = {
    {1, 32, 3, 0, 0, 0, 0},   {1, 4096, 3, 0, 0, 0, 0},  {2, 64, 3, 0, 0, 0, 0},
    {4, 16, 3, 0, 0, 0, 0},   {10, 100, 3, 0, 0, 0, 0},  {64, 16, 3, 0, 0, 0, 0},
    {8, 448, 3, 1, 0, 0, 0},  {3, 20000, 3, 0, 0, 0, 0}, {16, 512, 3, 0, 1, 0, 0},
    {64, 256, 3, 0, 0, 0, 0}, {8, 256, 1, 0, 0, 1, 0},   {1, 2000, 1, 1, 1, 1, 0},
    {1, 64, 3, 0, 0, 0, 1},   {16, 100, 3, 1, 1, 0, 1},
};
#define GEOMETRIES (sizeof(geometries) / sizeof(geometries[0]))

static const enum role readers[] = {READ_FIRST,     READ_LAST,      READ_WAIT, READ_WAIT,
                                    READ_WAIT_LAST, READ_ONLY_WAIT, READ_VIEW};

static struct {
    struct reader reader;
    struct origin next; /* of the supervisor's own messages */
    uint64_t random;
    uint64_t kills, writer_kills, silences;
} self;

static void actor_start(struct actor *a)
{
    pid_t pid;

    a->life++;
    a->seen = 0;
    if (a->role == WRITER)
        common->writers[a->slot].done = 0;
    fflush(NULL);
    pid = fork();
    if (pid == 0)
        actor_run(a);
    REQUIRE(pid > 0);
    a->pid = pid;
}

static void supervisor_put(void)
{
    static unsigned char buf[SIZE_LIMIT];
    enum ach_status s;

    if (common->geometry.single_writer || common->faults)
        return;
    self.next.count++;
    origin_fill(buf, &self.next);
    s = ach_put(&self.reader.chan, buf, origin_size(&self.next));
    if (s != ACH_OK)
        fault("a put after a kill gives %s", ach_result_to_string(s));
    __atomic_store_n(&common->writers[SUPERVISOR].done, self.next.count, __ATOMIC_RELEASE);
}

/* Kill an actor; put and get while it is still a zombie. */
static void actor_kill(struct actor *a)
{
    struct writer *w = &common->writers[a->slot];
    siginfo_t info;

    if (kill(a->pid, 0) != 0 || waitid(P_PID, (id_t)a->pid, &info, WEXITED | WNOHANG | WNOWAIT) ||
        info.si_pid == a->pid)
        fault("an actor of role %d ended by itself", (int)a->role);
    kill(a->pid, SIGKILL);
    while (waitid(P_PID, (id_t)a->pid, &info, WEXITED | WNOWAIT) != 0 && errno == EINTR)
        ;
    supervisor_put();
    reader_get_newest(&self.reader, 0);
    waitpid(a->pid, NULL, 0);
    a->pid = 0;
    self.kills++;
    if (a->role != WRITER)
        return;
    self.writer_kills++;
    __atomic_store_n(&w->final[a->life % LIVES], __atomic_load_n(&w->done, __ATOMIC_ACQUIRE),
                     __ATOMIC_RELEASE);
}

static bool waits(const struct actor *a)
{
    return a->role == READ_WAIT || a->role == READ_WAIT_LAST || a->role == READ_ONLY_WAIT;
}

/* A reader that has not seen the newest message must not sleep, and must get it. */
static void check_awake(const struct actor *a, uint64_t newest)
{
    uint64_t start = check_now_ns(), awake = start;

    while (__atomic_load_n(&a->seen, __ATOMIC_ACQUIRE) < newest) {
        uint64_t now = check_now_ns();
        bool late;

        if (check_state(a->pid) != 'S')
            awake = now;
        late = now > awake + ASLEEP_NS || now > start + LONG_NS;
        /* This process may have been preempted since the last check: check again. */
        if (late && __atomic_load_n(&a->seen, __ATOMIC_ACQUIRE) < newest) {
            fault("a reader of role %d has seen %llu of %llu and %s", (int)a->role,
                  (unsigned long long)a->seen, (unsigned long long)newest,
                  now > awake + ASLEEP_NS ? "sleeps" : "does not get on");
            return;
        }
        sched_yield();
    }
}

/* Kill all writers: every waiting reader must get the newest message without another put. */
static void silence(void)
{
    uint64_t newest;
    unsigned i;

    for (i = 0; i < common->actors_count; i++)
        if (common->actors[i].role == WRITER || common->actors[i].role == LOWER)
            kill(common->actors[i].pid, SIGSTOP);
    for (i = 0; i < common->actors_count; i++) {
        struct actor *a = &common->actors[i];

        if (a->role != WRITER)
            continue;
        kill(a->pid, SIGKILL);
        waitpid(a->pid, NULL, 0);
        common->writers[a->slot].final[a->life % LIVES] = common->writers[a->slot].done;
        self.kills++;
        self.writer_kills++;
    }
    while (reader_get_newest(&self.reader, 0) != ACH_EAGAIN)
        ;
    newest = self.reader.seq;
    for (i = 0; i < common->actors_count; i++)
        if (waits(&common->actors[i]))
            check_awake(&common->actors[i], newest);
    supervisor_put();
    for (i = 0; i < common->actors_count; i++)
        if (common->actors[i].role == WRITER)
            actor_start(&common->actors[i]);
        else if (common->actors[i].role == LOWER) /* it would have woken readers */
            kill(common->actors[i].pid, SIGCONT);
    self.silences++;
}

static void cast(enum role role, unsigned slot)
{
    struct actor *a = &common->actors[common->actors_count++];

    *a = (struct actor){.role = role, .slot = slot};
    actor_start(a);
}

static void begin(const struct geometry *g)
{
    ach_create_attr_t attr;
    ach_attr_t patient;
    unsigned i;

    memset(common->writers, 0, sizeof(common->writers));
    common->geometry = *g;
    common->newest = 0;
    common->actors_count = 0;
    ach_create_attr_init(&attr);
    ach_create_attr_set_timestamps(&attr, g->timestamps);
    ach_create_attr_set_readonly_wake(&attr, g->readonly_wake);
    ach_create_attr_set_single_writer(&attr, g->single_writer);
    ach_create_attr_set_anticipated(&attr, g->anticipated);
    REQUIRE_OK(ach_create(CHANNEL, g->frames, g->frame_size, &attr));
    ach_attr_init(&patient);
    ach_attr_set_lock_timeout(&patient, LONG_NS);
    free(self.reader.buf);
    self.reader = (struct reader){.buf = malloc(SIZE_LIMIT)};
    self.next = (struct origin){.slot = SUPERVISOR, .life = 1};
    REQUIRE(self.reader.buf);
    REQUIRE_OK(ach_open(&self.reader.chan, CHANNEL, &patient));
    if (g->anticipated)
        lower_begin(&self.reader.chan);
    for (i = 0; i < g->writers; i++)
        cast(WRITER, i);
    for (i = 0; i < sizeof(readers) / sizeof(readers[0]); i++)
        cast(readers[i], 0);
    if (g->anticipated)
        cast(LOWER, 0);
}

static void end(void)
{
    unsigned i;

    for (i = 0; i < common->actors_count; i++)
        actor_kill(&common->actors[i]);
    supervisor_put();
    reader_get_newest(&self.reader, 0);
    CHECK_OK(ach_close(&self.reader.chan));
    CHECK_OK(ach_unlink(CHANNEL));
}

static void play(const struct geometry *g, uint64_t duration_ns)
{
    uint64_t until = check_now_ns() + duration_ns, kills = self.kills, checked = common->checked;
    unsigned n;

    begin(g);
    for (n = 1; check_now_ns() < until && !common->faults; n++) {
        struct actor *a = &common->actors[check_random(&self.random) % common->actors_count];

        usleep((useconds_t)(check_random(&self.random) % 1500));
        actor_kill(a);
        actor_start(a);
        if (n % KILLS_BETWEEN_SILENCES == 0)
            silence();
    }
    if (!common->faults)
        silence();
    end();
    printf("%3u x %-5u %5llu kills, %8llu messages checked\n", g->frames, g->frame_size,
           (unsigned long long)(self.kills - kills),
           (unsigned long long)(common->checked - checked));
    fflush(stdout);
}

/* Without robust futexes a dead owner's lock is free only after waitpid. Emulators lack them. */
static bool robust_futexes(void)
{
    void *head;
    size_t len;

    return syscall(SYS_get_robust_list, 0, &head, &len) == 0;
}

int main(int argc, char **argv)
{
    unsigned i;

    if (!robust_futexes())
        check_skip("this system has no robust futexes");
    common = check_shared(sizeof(*common));
    self.random = argc > 1 ? strtoull(argv[1], NULL, 0) : check_now_ns();
    printf("seed %llu\n", (unsigned long long)self.random);
    for (i = 0; i < GEOMETRIES && !common->faults; i++)
        play(&geometries[i], check_scale(1600) * 1000000u);
    printf("%llu kills, %llu of them writers, %llu silences, %llu messages checked, "
           "%llu views lost, %llu faults\n",
           (unsigned long long)self.kills, (unsigned long long)self.writer_kills,
           (unsigned long long)self.silences, (unsigned long long)common->checked,
           (unsigned long long)common->views_lost, (unsigned long long)common->faults);
    CHECK(common->faults == 0);
    CHECK(self.writer_kills > 0 && common->checked > 0);
    free(self.reader.buf);
    return check_result();
}

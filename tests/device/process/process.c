/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Drivers in processes of their own work as drivers in the server's process. When
 * one crashes, the others keep running and the server restarts it.
 */
#include <ach/interface/common.h>
#include <ach/interface/opaque.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>

#include "process.h"
#include "rig.h"

#define WILD "plugin \"wild\" name \"wild\" process true "

/* The program that servers run for a driver, a symbolic link, and the target of the link. */
static char program[] = "/tmp/ach-process.XXXXXX/program", *real;

static void make_link(void)
{
    char *slash = strrchr(program, '/');

    real = getenv("ACH_DRIVER_PROCESS");
    REQUIRE(real);
    *slash = '\0';
    REQUIRE(mkdtemp(program));
    *slash = '/';
    REQUIRE(symlink(real, program) == 0);
    real = strdup(real);
    setenv("ACH_DRIVER_PROCESS", program, 1);
}

static void remove_link(void)
{
    unlink(program);
    *strrchr(program, '/') = '\0';
    rmdir(program);
    free(real);
}

static struct said next(struct ear *ear)
{
    ach_message_t *m = ear_data(ear, ACH_OPAQUE_DATA_STATE);
    const ach_opaque_data_t *body = m ? ach_message_body(m) : NULL;
    struct said s = {0};

    REQUIRE(body && body->data_count == sizeof(s));
    memcpy(&s, body->data, sizeof(s));
    ach_message_unref(m);
    return s;
}

/* The first data from a process other than @pid. */
static struct said next_but(struct ear *ear, int pid)
{
    double end = rig_now() + RIG_PATIENCE;
    struct said s = next(ear);

    while (s.pid == pid && rig_now() < end)
        s = next(ear);
    CHECK(s.pid != pid);
    return s;
}

/* False: the driver's queue is full. */
static bool tell(struct ear *ear, uint8_t a, uint8_t b)
{
    uint8_t data[] = {a, b};
    const ach_opaque_data_t body = {sizeof(data), data};

    return ear_command(ear, ACH_OPAQUE_CMD_DATA, &body) == ACH_OK;
}

static bool ask(struct ear *ear, uint8_t what)
{
    const ach_opaque_data_t body = {1, &what};

    return ear_acked(ear, ACH_OPAQUE_REQ_DATA, &body);
}

/*
 * Whether the robot refuses a request; a transport would answer it with a NACK. It still does when
 * the first data of a restarted process arrives, if its own thread has not run since.
 */
static bool refused(struct ear *ear)
{
    return ear_refused(ear, ACH_OPAQUE_REQ_DATA);
}

static bool runs(int pid)
{
    return kill(pid, 0) == 0;
}

static void works_as_usual(void)
{
    struct rig *rig = rig_start("driver (" WILD "provides [\"opaque:0\"] number 7)");
    struct ear *ear = ear_open(rig, "opaque:0");
    char key[] = "number";
    const ach_intprop_t get = {.key_count = sizeof(key), .key = key};
    const ach_intprop_t set = {.key_count = sizeof(key), .key = key, .value = 9};
    const ach_capability_t self = {.type = ACH_MSG_REQ, .subtype = ACH_REQ_CAPABILITY};
    struct said s = next(ear);
    ach_message_t *m;

    CHECK(s.pid != getpid() && s.number == 7);
    CHECK(ask(ear, WILD_NOTHING));
    CHECK(ear_acked(ear, ACH_REQ_CAPABILITY, &self));
    CHECK(ear_acked(ear, ACH_REQ_SET_INTPROP, &set));
    m = ear_request(ear, ACH_REQ_GET_INTPROP, &get);
    CHECK(ach_message_body(m) && ((const ach_intprop_t *)ach_message_body(m))->value == 9);
    ach_message_unref(m);
    EVENTUALLY(next(ear).number == 9);
    CHECK(rig_count(rig, "") == 0);
    ear_close(ear);
    EVENTUALLY(!runs(s.pid)); /* the last subscriber has left */
    ear = ear_open(rig, "opaque:0");
    CHECK(next(ear).pid != s.pid);
    ear_close(ear);
    rig_end(rig);
}

/* A driver in a process of its own uses the device of another such driver. */
static void requires_others(void)
{
    struct rig *rig =
        rig_start("driver (" WILD "provides [\"opaque:1\"] requires [\"other:::opaque:0\"])"
                  "driver (" WILD "provides [\"opaque:0\"] alwayson true)");
    struct ear *two = ear_open(rig, "opaque:1"), *one = ear_open(rig, "opaque:0");
    int pid = next(one).pid;

    CHECK(next(two).pid != pid);
    EVENTUALLY(next(two).heard > 3);
    tell(two, WILD_ASK, 0);
    EVENTUALLY(next(two).asked);
    tell(two, WILD_PASS_ON, WILD_ABORT);
    pid = next_but(one, pid).pid;
    CHECK(rig_logged(rig, "driver wild: its process was ended by Aborted"));
    EVENTUALLY(!refused(one));
    tell(two, WILD_ASK, 0); /* not restarted itself; its required device works again */
    EVENTUALLY(next(two).asked);
    ear_close(one);
    ear_close(two);
    CHECK(runs(pid));
    rig_end(rig);
    CHECK(!runs(pid));
}

/* Commands sent right before the last subscriber leaves are all handled and passed on. */
static void last_commands(void)
{
    struct rig *rig =
        rig_start("driver (" WILD "provides [\"opaque:1\"] requires [\"other:::opaque:0\"])"
                  "driver ( name \"relay\" provides [\"opaque:0\"] )");
    struct ear *observer = ear_open(rig, "opaque:0");
    unsigned i, round;

    for (round = 0; round < 3; round++) {
        struct ear *ear = ear_open(rig, "opaque:1");

        for (i = 0; i < 50; i++)
            tell(ear, WILD_PASS_ON, (uint8_t)i);
        ear_close(ear);
        for (i = 0; i < 50; i++) {
            ach_message_t *m = ear_data(observer, ACH_OPAQUE_DATA_STATE);
            const ach_opaque_data_t *body = m ? ach_message_body(m) : NULL;

            CHECK(body && body->data_count == 1 && body->data[0] == i);
            ach_message_unref(m);
            if (!body)
                break;
        }
    }
    ear_close(observer);
    rig_end(rig);
}

/* A crash leaves other drivers and all subscriptions intact; requests are refused meanwhile. */
static void crashes(uint8_t how, const char *line)
{
    struct rig *rig = rig_start("driver (" WILD "provides [\"opaque:0\"])"
                                "driver (name \"dummy\" provides [\"opaque:1\"] rate 50)");
    struct ear *ear = ear_open(rig, "opaque:0"), *other = ear_open(rig, "opaque:1");
    int pid = next(ear).pid;
    ach_message_t *m;

    REQUIRE(unlink(program) == 0); /* it cannot be restarted yet */
    tell(ear, how, 0);
    EVENTUALLY(refused(ear));
    EVENTUALLY(!runs(pid));
    m = ear_data(other, ACH_OPAQUE_DATA_STATE);
    CHECK(m);
    ach_message_unref(m);
    CHECK(rig_logged(rig, line));
    CHECK(rig_logged(rig, "driver wild has failed; next attempt in 0.5 s"));
    CHECK(rig_logged(rig, "driver wild has failed; next attempt in 1 s"));
    REQUIRE(symlink(real, program) == 0);
    pid = next_but(ear, pid).pid;
    EVENTUALLY(!refused(ear));
    CHECK(ask(ear, WILD_NOTHING));
    CHECK(!ask(ear, WILD_ABORT)); /* a pending request gets a NACK at the crash */
    next_but(ear, pid);
    ear_close(ear);
    ear_close(other);
    rig_end(rig);
}

static uint32_t unhandled(struct ear *ear, const char *why)
{
    ach_queue_usage_t u = {.size = sizeof(u)};

    ach_queue_usage(ear_queue(ear), &u);
    return strstr(u.unhandled_why, why) ? u.unhandled : 0;
}

/* The number of commands that were not handled, by the answer to a flush. */
static uint32_t flush_answer(struct ear *ear, uint32_t sequence)
{
    ach_message_t *m = ear_next(ear, RIG_PATIENCE);
    const ach_flush_t *body;
    uint32_t n;

    while (m && ach_message_header(m)->sequence != sequence) {
        ach_message_unref(m);
        m = ear_next(ear, RIG_PATIENCE);
    }
    REQUIRE(m);
    body = ach_message_body(m);
    n = body ? body->unhandled : 0;
    ach_message_unref(m);
    return n;
}

static uint32_t flushed(struct ear *ear)
{
    return flush_answer(ear, ear_ask(ear, ACH_REQ_FLUSH, NULL));
}

/* The sender of commands that a process refuses, or had not handled when it was killed, is told. */
static void loses_commands(void)
{
    struct rig *rig = rig_start("driver (" WILD "provides [\"opaque:0\"])");
    struct ear *ear = ear_open(rig, "opaque:0"), *other = ear_open(rig, "opaque:0");
    int i, pid = next(ear).pid;
    uint32_t flush;

    tell(other, WILD_NOTHING, 0);
    for (i = 0; i < 10; i++)
        tell(ear, WILD_NOTHING, 0);
    tell(ear, WILD_UNKNOWN, 0);
    CHECK(flushed(ear) == 1);
    CHECK(unhandled(ear, "driver wild does not support it") == 1);
    tell(ear, WILD_HANG, 0);
    for (i = 0; i < 20; i++)
        tell(ear, WILD_NOTHING, 0);
    flush = ear_ask(ear, ACH_REQ_FLUSH, NULL);
    kill(pid, SIGKILL);
    CHECK(flush_answer(ear, flush) == 1 + 21);
    CHECK(unhandled(ear, "has ended") == 1 + 21 || unhandled(ear, "has stopped") == 1 + 21);
    CHECK(unhandled(other, "") == 0);
    CHECK(rig_logged(rig, "its process ended before it handled") ||
          unhandled(ear, "has stopped") == 1 + 21);
    next_but(ear, pid); /* it is restarted */
    ear_close(ear);
    ear_close(other);
    rig_end(rig);
}

/* A driver in a process passes a command on to a driver that does not support it. */
static void passes_on(void)
{
    struct rig *rig = rig_start("driver (name \"passthrough\" process true\n"
                                "        provides [\"opaque:0\"] requires [\"opaque:1\"])\n"
                                "driver (plugin \"wild\" name \"wild\" provides [\"opaque:1\"])");
    struct ear *ear = ear_open(rig, "opaque:0");
    unsigned i;

    for (i = 1; i <= 20; i++) {
        tell(ear, WILD_UNKNOWN, 0);
        CHECK(flushed(ear) == i);
    }
    ear_close(ear);
    rig_end(rig);
}

/* One command keeps the driver busy while the process refuses more than the server remembers. */
static void refuses_many(void)
{
    struct rig *rig = rig_start("driver (" WILD "provides [\"opaque:0\"])");
    struct ear *ear = ear_open(rig, "opaque:0");
    int pid = next(ear).pid;
    uint32_t accepted = 1, i, flush;

    CHECK(tell(ear, WILD_HANG, 0));
    for (i = 0; i < 12000; i++) {
        accepted += tell(ear, WILD_NOTHING, 0);
        if (i % 100 == 0)
            check_sleep_ms(1);
    }
    flush = ear_ask(ear, ACH_REQ_FLUSH, NULL);
    kill(pid, SIGKILL);
    CHECK(flush_answer(ear, flush) == accepted);
    ear_close(ear);
    rig_end(rig);
}

static bool is_stopped(int pid)
{
    bool stopped = true;
    struct dirent *e;
    char path[32];
    DIR *threads;

    snprintf(path, sizeof(path), "/proc/%d/task", pid);
    REQUIRE(threads = opendir(path));
    while (stopped && (e = readdir(threads)))
        stopped = e->d_name[0] == '.' || check_state(atoi(e->d_name)) == 'T';
    closedir(threads);
    return stopped;
}

/* The signal goes to one thread, and the others run on until that one gets a processor. */
static void stop(int pid)
{
    kill(pid, SIGSTOP);
    EVENTUALLY(is_stopped(pid));
}

/* A process that does not read is killed and started again, however many messages are queued. */
static void does_not_read(void)
{
    const int bursts = 15, size = 100;
    struct rig *rig = rig_start("driver (" WILD "provides [\"opaque:0\"])");
    struct ear *ear = ear_open(rig, "opaque:0");
    int i, pid = next(ear).pid;
    uint32_t accepted = 0;

    stop(pid);
    for (i = 0; i < bursts * size; i++) {
        accepted += tell(ear, WILD_NOTHING, 0);
        if (i % size == 0)
            check_sleep_ms(20); /* the pipe takes some, the queue the rest */
    }
    next_but(ear, pid);
    CHECK(!runs(pid));
    CHECK(accepted > ACH_QUEUE_MESSAGES / 2 && unhandled(ear, "") == accepted);
    ear_close(ear);
    rig_end(rig);
}

/* A driver process that hangs or is stopped is killed when the robot ends. */
static void hangs(uint8_t how)
{
    struct rig *rig = rig_start("driver (" WILD "provides [\"opaque:0\"])");
    struct ear *ear = ear_open(rig, "opaque:0");
    int pid = next(ear).pid;

    tell(ear, how, 0);
    check_sleep_ms(100);
    ear_close(ear);
    rig_end(rig);
    CHECK(!runs(pid));
}

static void does_not_start(void)
{
    struct rig *rig = rig_create(false);
    ach_status_t status;
    struct ear *ear;
    char why[256];

    REQUIRE_OK(rig_load(rig, "driver (" WILD "provides [\"opaque:0\"] number 13)"
                             "driver (" WILD "provides [\"opaque:1\"] crash_at_once true)"
                             "driver (name \"unknown\" process true provides [\"opaque:2\"])"));
    ear = ear_try(rig, "opaque:0", &status, why);
    CHECK(status != ACH_OK && strstr(why, "its process cannot set it up"));
    ear_close(ear);
    ear = ear_try(rig, "opaque:1", &status, why);
    CHECK(status != ACH_OK && strstr(why, "its process has ended"));
    CHECK(rig_logged(rig, "its process was ended by Aborted"));
    ear_close(ear);
    ear = ear_try(rig, "opaque:2", &status, why);
    CHECK(status != ACH_OK && rig_logged(rig, "driver unknown: its process ended with status 1"));
    ear_close(ear);
    rig_end(rig);

    rig = rig_create(true);
    CHECK_STATUS(rig_load(rig, "driver (" WILD "provides [\"opaque:0\"])"), ACH_EINVAL);
    CHECK(rig_logged(rig, "the option process cannot be used with a simulated clock"));
    rig_end(rig);

    rig = rig_start("driver (" WILD "provides [\"opaque:0\"])");
    setenv("ACH_DRIVER_PROCESS", "/nowhere", 1);
    ear = ear_try(rig, "opaque:0", &status, why);
    CHECK(status == ACH_FAILED_SYSCALL && strstr(why, "/nowhere"));
    ear_close(ear);
    rig_end(rig);
}

/* When the server is killed by SIGKILL, the driver's process runs its shutdown and exits. */
static void server_is_killed(void)
{
    int *pid = check_shared(sizeof(*pid));
    char file[] = "/tmp/ach-process.XXXXXX";
    int fd = mkstemp(file);
    pid_t server;

    close(fd);
    setenv("WILD_SHUTDOWN", file, 1);
    server = fork();
    if (server == 0) {
        struct ear *ear =
            ear_open(rig_start("driver (" WILD "provides [\"opaque:0\"])"), "opaque:0");

        __atomic_store_n(pid, next(ear).pid, __ATOMIC_SEQ_CST);
        for (;;)
            pause();
    }
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    EVENTUALLY(__atomic_load_n(pid, __ATOMIC_SEQ_CST) != 0);
    kill(server, SIGKILL);
    waitpid(server, NULL, 0);
    REQUIRE(waitpid(*pid, NULL, 0) == *pid);
    CHECK(access(file, F_OK) != 0);
    unlink(file);
    unsetenv("WILD_SHUTDOWN");
}

int main(void)
{
    make_link();
    server_is_killed();
    works_as_usual();
    requires_others();
    last_commands();
    crashes(WILD_ABORT, "its process was ended by Aborted");
    crashes(WILD_EXIT, "its process ended with status 3");
    loses_commands();
    does_not_read();
    passes_on();
    refuses_many();
    hangs(WILD_HANG);
    hangs(WILD_STOP);
    does_not_start();
    remove_link();
    return check_result();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ended.c - clients on channels notice that their server has ended, whether they poll, wait or get
 * without waiting, and whether the server exits by itself or is killed
 */
#include <ach/channel.h>
#include <ach/device.h>
#include <ach/interface/opaque.h>
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "probe.h"
#include "rig.h"

static const char *const channels[] = {"dev.6665.req", "dev.6665.ans", "dev.6665.opaque.0.data",
                                       "dev.6665.opaque.0.cmd"};

/* A server in a process of its own. It exits when the pipe is closed. */
struct server {
    pid_t pid;
    int pipe;
};

static void serve_until_closed(int in, int out)
{
    struct rig *rig = probe_start("driver (name \"probe\" provides [\"opaque:0\"])");
    void *server;
    char byte;

    REQUIRE_OK(ach_transport_channel.serve(rig_robot(rig), NULL, &server));
    if (write(out, "x", 1) != 1 || read(in, &byte, 1) != 0)
        _exit(1);
    ach_transport_channel.end(server);
    rig_end(rig);
    _exit(0);
}

static pid_t fork_server(const int down[2], const int up[2])
{
    pid_t pid = fork();

    REQUIRE(pid >= 0);
    if (pid == 0) {
        close(down[1]);
        close(up[0]);
        serve_until_closed(down[0], up[1]);
    }
    return pid;
}

static struct server server_start(void)
{
    struct server s;
    int down[2], up[2];
    char byte;

    REQUIRE(pipe(down) == 0 && pipe(up) == 0);
    s.pid = fork_server(down, up);
    close(down[0]);
    close(up[1]);
    REQUIRE(read(up[0], &byte, 1) == 1);
    close(up[0]);
    s.pipe = down[1];
    return s;
}

static void server_reap(struct server *s, int signal)
{
    int status;

    REQUIRE(waitpid(s->pid, &status, 0) == s->pid);
    CHECK(signal ? WIFSIGNALED(status) && WTERMSIG(status) == signal : status == 0);
}

/* Stop the server by @signal; 0: let it exit by itself. */
static void server_stop(struct server *s, int signal)
{
    if (signal)
        kill(s->pid, signal);
    close(s->pipe);
}

static ach_device_t *open_device(void)
{
    ach_device_attr_t attr = {
        .size = sizeof(attr), .timeout = RIG_PATIENCE, .transport = "channel"};
    ach_device_t *d;

    REQUIRE_OK(ach_device_open("opaque:0", &attr, &d));
    return d;
}

static ach_status_t get(ach_device_t *d, double timeout, int options)
{
    ach_message_t *m = NULL;
    ach_status_t status = ach_device_get(d, ACH_SUBTYPE_ANY, timeout, options, &m);

    ach_message_unref(m);
    return status;
}

static bool readable(ach_device_t *d, double seconds)
{
    struct pollfd p = {.fd = ach_device_fd(d), .events = POLLIN};

    return poll(&p, 1, (int)(seconds * 1000)) == 1;
}

/* Poll the descriptor, as `ach dev print` does. */
static ach_status_t learn_by_polling(ach_device_t *d)
{
    double end = rig_now() + RIG_PATIENCE;
    ach_status_t status;

    while ((status = get(d, 0, 0)) != ACH_CLOSED && rig_now() < end)
        readable(d, end - rig_now());
    return status;
}

static ach_status_t learn_by_waiting(ach_device_t *d)
{
    return get(d, RIG_PATIENCE, ACH_O_WAIT);
}

static ach_status_t learn_by_asking(ach_device_t *d)
{
    double end = rig_now() + RIG_PATIENCE;
    ach_status_t status;

    while ((status = get(d, 0, 0)) != ACH_CLOSED && rig_now() < end)
        check_sleep_ms(1);
    return status;
}

static ach_status_t learn_by_request(ach_device_t *d)
{
    uint8_t what = PROBE_KEEP;

    return ach_device_request(d, ACH_OPAQUE_REQ_DATA,
                              &(ach_opaque_data_t){.data_count = 1, .data = &what}, RIG_PATIENCE,
                              NULL);
}

static ach_status_t command(ach_device_t *d, uint8_t what)
{
    return ach_device_command(d, ACH_OPAQUE_CMD_DATA,
                              &(ach_opaque_data_t){.data_count = 1, .data = &what});
}

/* After the end every call returns ACH_CLOSED, and the descriptor stays readable. */
static void check_ended(ach_device_t *d)
{
    unsigned i;

    for (i = 0; i < 3; i++) {
        CHECK(readable(d, 0));
        CHECK_STATUS(get(d, 0, 0), ACH_CLOSED);
        CHECK(strstr(ach_errstr(), "has ended"));
        CHECK_STATUS(get(d, RIG_PATIENCE, ACH_O_WAIT), ACH_CLOSED);
        CHECK_STATUS(get(d, -1, ACH_O_WAIT), ACH_CLOSED);
        CHECK_STATUS(command(d, PROBE_ECHO), ACH_CLOSED);
        CHECK_STATUS(learn_by_request(d), ACH_CLOSED);
    }
}

typedef ach_status_t learn_t(ach_device_t *d);

/* A client process is already in @learn when the server ends. */
static void learns(learn_t *learn, int signal)
{
    struct server s = server_start();
    int told[2];
    pid_t client;
    char byte;

    REQUIRE(pipe(told) == 0);
    client = fork();
    REQUIRE(client >= 0);
    if (client == 0) {
        ach_device_t *d = open_device();
        ach_status_t status;

        close(s.pipe);
        CHECK_STATUS(get(d, 0, 0), ACH_STALE_FRAMES);
        CHECK(!readable(d, 0));
        REQUIRE(write(told[1], "x", 1) == 1);
        status = learn(d);
        /* If the driver is shut down before the server ends, it refuses the request. */
        CHECK(status == ACH_CLOSED ||
              (learn == learn_by_request && !signal && status == ACH_ENOTSUP));
        CHECK_STATUS(learn_by_asking(d), ACH_CLOSED);
        check_ended(d);
        ach_device_close(d);
        _exit(check_result());
    }
    close(told[1]);
    REQUIRE(read(told[0], &byte, 1) == 1);
    close(told[0]);
    check_sleep_ms(20);
    server_stop(&s, signal);
    server_reap(&s, signal);
    CHECK(check_child(client, 100000));
}

static void unlink_channels(void)
{
    size_t i;

    for (i = 0; i < sizeof(channels) / sizeof(channels[0]); i++)
        CHECK_OK(ach_unlink(channels[i]));
}

static void each_learns(int signal)
{
    static learn_t *const all[] = {learn_by_polling, learn_by_waiting, learn_by_asking,
                                   learn_by_request};
    size_t i;

    for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        learns(all[i], signal);
        if (signal)
            unlink_channels();
    }
}

/* Data published before the end is still received; a new server does not serve the old handle. */
static void data_before_the_end(int signal)
{
    struct server s = server_start();
    ach_device_t *d = open_device(), *other;

    CHECK_OK(command(d, PROBE_ECHO));
    CHECK(readable(d, RIG_PATIENCE));
    server_stop(&s, signal);
    server_reap(&s, signal);
    CHECK_OK(get(d, 0, 0));
    CHECK_STATUS(get(d, 0, 0), ACH_CLOSED);
    s = server_start();
    other = open_device();
    CHECK_STATUS(get(other, 0, 0), ACH_STALE_FRAMES);
    check_ended(d);
    CHECK_OK(ach_device_close(other));
    ach_device_close(d);
    server_stop(&s, 0);
    server_reap(&s, 0);
}

/* A handle of a killed server stays closed when a new server replaces it. */
static void replaced(void)
{
    struct server s = server_start();
    ach_device_t *d = open_device();

    server_stop(&s, SIGKILL);
    server_reap(&s, SIGKILL);
    s = server_start();
    CHECK_STATUS(learn_by_polling(d), ACH_CLOSED);
    check_ended(d);
    ach_device_close(d);
    server_stop(&s, 0);
    server_reap(&s, 0);
}

/* The client may only read: a process in another PID namespace may not put anyway. */
static void learn_as_reader(int begun)
{
    ach_device_t *d;

    REQUIRE(chmod(getenv("ACH_DIR"), 01777) == 0 && seteuid(65534) == 0);
    d = open_device();
    CHECK(!(ach_device_rights(d) & ACH_RIGHT_REQUEST));
    CHECK_STATUS(get(d, 0, 0), ACH_STALE_FRAMES);
    REQUIRE(write(begun, "x", 1) == 1);
    CHECK_STATUS(learn_by_polling(d), ACH_CLOSED);
    CHECK(readable(d, 0));
    CHECK_STATUS(get(d, RIG_PATIENCE, ACH_O_WAIT), ACH_CLOSED);
    ach_device_close(d);
    _exit(check_result());
}

/* The client cannot see the server's process, which is outside of its PID namespace. */
static void in_another_namespace(void)
{
    mode_t mask = umask(022);
    struct server s = server_start();
    int begun[2];
    pid_t middle;
    char byte;

    umask(mask);
    REQUIRE(pipe(begun) == 0);
    middle = fork();
    REQUIRE(middle >= 0);
    if (middle == 0) {
        pid_t client;

        close(s.pipe);
        REQUIRE(unshare(CLONE_NEWPID) == 0);
        client = fork();
        if (client == 0)
            learn_as_reader(begun[1]);
        _exit(!check_child(client, 100000));
    }
    close(begun[1]);
    REQUIRE(read(begun[0], &byte, 1) == 1);
    close(begun[0]);
    server_stop(&s, SIGKILL);
    server_reap(&s, SIGKILL);
    CHECK(check_child(middle, 150000));
    unlink_channels();
}

int main(void)
{
    each_learns(0);
    each_learns(SIGKILL);
    data_before_the_end(0);
    data_before_the_end(SIGKILL);
    replaced();
    if (geteuid() == 0)
        in_another_namespace();
    else
        fprintf(stderr, "not tested: only root can make a PID namespace and become another user\n");
    return check_result();
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "cop.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "common.h"

/* Seconds after which a first run counts as started. */
#define FIRST_RUN 1.0

enum state {
    STARTING, /* the child runs, but has not sent SIGUSR1 yet */
    PROVING,  /* the same without --wait: it counts as started at the deadline */
    RUNNING,
    STOPPING, /* the child was sent SIGTERM */
    PAUSING,  /* no child; the next one starts at the deadline */
    ENDED
};

/* What to do after STOPPING. */
enum after {
    AFTER_END,
    AFTER_RESTART, /* at once, on SIGHUP */
    AFTER_PAUSE    /* after the delay, as after any failure */
};

struct cop {
    const struct cop_options *options;
    struct cop_files *files;
    cop_started_fun *started;
    void *cx;
    enum state state;
    enum after after;
    pid_t child;
    int status; /* to exit with */
    int64_t begun_ns;
    int64_t deadline_ns; /* INT64_MAX: none */
    double delay;
    uint64_t restarts; /* in a row */
};

static void cop_signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGHUP);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGCHLD);
    sigaddset(set, SIGUSR1);
    sigaddset(set, SIGUSR2);
}

static sigset_t mask_before;

void cop_block_signals(void)
{
    sigset_t set;

    /* With an inherited SIG_IGN for SIGCHLD, the child's exit status would be lost. */
    signal(SIGCHLD, SIG_DFL);
    /* A closed stderr pipe must not kill the cop, so block SIGPIPE too. */
    cop_signals(&set);
    sigaddset(&set, SIGPIPE);
    sigprocmask(SIG_BLOCK, &set, &mask_before);
}

void cop_unblock_signals(void)
{
    sigprocmask(SIG_SETMASK, &mask_before, NULL);
}

static int64_t in_seconds(double seconds)
{
    return tool_clock_ns(CLOCK_MONOTONIC) + (int64_t)(seconds * 1e9);
}

static void tell_started(struct cop *c, int status)
{
    if (c->started)
        c->started(c->cx, status);
    c->started = NULL;
}

static void end(struct cop *c, int status)
{
    c->state = ENDED;
    c->status = status;
    tell_started(c, status);
}

static void running(struct cop *c)
{
    c->state = RUNNING;
    c->deadline_ns = INT64_MAX;
    tell_started(c, EXIT_DONE);
}

/* Schedule the next start, or give up. */
static void pause_or_end(struct cop *c, int status)
{
    const struct cop_options *o = c->options;

    if (c->restarts >= o->max_restarts) {
        tool_complain("'%s' %s after %" PRIu64 " restarts in a row; giving up", o->command[0],
                      status ? "failed" : "ended", c->restarts);
        end(c, status);
        return;
    }
    c->restarts++;
    c->state = PAUSING;
    c->deadline_ns = in_seconds(c->delay);
    c->delay = c->delay * 2 < o->max_delay ? c->delay * 2 : o->max_delay;
}

static void stop(struct cop *c, enum after after)
{
    c->after = after;
    c->state = STOPPING;
    c->deadline_ns = c->options->grace < 0 ? INT64_MAX : in_seconds(c->options->grace);
    kill(-c->child, SIGTERM);
    kill(-c->child, SIGCONT);
}

/* The child failed to start. A first start is not retried. */
static void start_failed(struct cop *c, const char *why)
{
    tool_complain("'%s' %s", c->options->command[0], why);
    c->status = EXIT_FAILED;
    stop(c, c->started || !c->options->restart ? AFTER_END : AFTER_PAUSE);
}

static void start(struct cop *c)
{
    const struct cop_options *o = c->options;

    c->child = child_start(o, &mask_before);
    c->begun_ns = tool_clock_ns(CLOCK_MONOTONIC);
    if (!c->child) {
        tool_complain("cannot run '%s': %s", o->command[0], strerror(errno));
        if (c->started || !o->restart)
            end(c, 127);
        else
            pause_or_end(c, 127);
        return;
    }
    if (o->verbose)
        tool_complain("'%s' runs as process %d", o->command[0], (int)c->child);
    /* Fatal only at the first start, when a user sees it; a restart goes on without the file. */
    if (!pidfile_set(&c->files->child, c->child) && c->started) {
        start_failed(c, "is ended, because its pid file cannot be written");
        return;
    }
    if (!o->wait && !c->started) {
        running(c);
        return;
    }
    c->state = o->wait ? STARTING : PROVING;
    c->deadline_ns = in_seconds(o->wait ? o->wait_seconds : FIRST_RUN);
}

static void describe_end(const struct cop *c, int status)
{
    if (WIFSIGNALED(status))
        tool_complain("'%s' was ended by signal %d (%s)", c->options->command[0], WTERMSIG(status),
                      strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) != 0 || c->options->verbose)
        tool_complain("'%s' ended with status %d", c->options->command[0], WEXITSTATUS(status));
}

/* A first start that fails is not repeated, unless a number of restarts was given. */
static bool fails_at_once(const struct cop *c, int code)
{
    if (!c->started ||
        (c->state == PROVING && (code == 0 || c->options->max_restarts != UINT64_MAX)))
        return false;
    if (c->state == PROVING && c->options->restart)
        tool_complain("'%s' failed in its first second; giving up. See --max-restarts",
                      c->options->command[0]);
    return true;
}

static void died(struct cop *c, int status)
{
    const struct cop_options *o = c->options;
    int code = child_exit_status(status);

    describe_end(c, status);
    if (c->state == STARTING) {
        tool_complain("'%s' ended before it reported that it has started", o->command[0]);
        code = code ? code : EXIT_FAILED;
    }
    if (tool_clock_ns(CLOCK_MONOTONIC) - c->begun_ns >= (int64_t)(o->stable * 1e9)) {
        c->restarts = 0;
        c->delay = o->delay;
    }
    if (!fails_at_once(c, code) && (o->always || (o->restart && code != 0)))
        pause_or_end(c, code);
    else
        end(c, code);
}

static void on_child(struct cop *c)
{
    bool restarts = c->options->always || (c->state == STOPPING && c->after != AFTER_END);
    int status;

    if (!child_reap(c->child, !restarts, &status))
        return;
    c->child = 0;
    pidfile_set(&c->files->child, 0);
    if (c->state == STOPPING && c->options->verbose)
        describe_end(c, status);
    if (c->state != STOPPING)
        died(c, status);
    else if (c->after == AFTER_RESTART)
        start(c);
    else if (c->after == AFTER_PAUSE)
        pause_or_end(c, c->status);
    else
        end(c, c->status);
}

static void on_terminate(struct cop *c)
{
    c->status = EXIT_DONE;
    if (c->started)
        tell_started(c, EXIT_FAILED);
    if (c->state == STOPPING)
        c->after = AFTER_END;
    else if (c->child)
        stop(c, AFTER_END);
    else
        end(c, EXIT_DONE);
}

static void on_hangup(struct cop *c)
{
    c->restarts = 0;
    c->delay = c->options->delay;
    if (c->state == STARTING || c->state == PROVING || c->state == RUNNING)
        stop(c, AFTER_RESTART);
    else if (c->state == PAUSING)
        start(c);
}

static void on_failure(struct cop *c)
{
    if (c->state == STARTING || c->state == PROVING)
        start_failed(c, "reports that it failed to start");
    else if (c->state == RUNNING)
        tool_complain("'%s' reports a failure", c->options->command[0]);
}

static void on_deadline(struct cop *c)
{
    switch (c->state) {
    case STARTING:
        start_failed(c, "did not report in time that it has started");
        break;
    case PROVING:
        running(c);
        break;
    case STOPPING:
        tool_complain("'%s' does not end; killing it", c->options->command[0]);
        kill(-c->child, SIGKILL);
        c->deadline_ns = INT64_MAX;
        break;
    case PAUSING:
        start(c);
        break;
    default:
        c->deadline_ns = INT64_MAX;
    }
}

static void cop_on_signal(struct cop *c, int sig)
{
    switch (sig) {
    case SIGCHLD:
        on_child(c);
        break;
    case SIGHUP:
        on_hangup(c);
        break;
    case SIGINT:
    case SIGTERM:
        on_terminate(c);
        break;
    case SIGUSR1:
        if (c->state == STARTING || c->state == PROVING)
            running(c);
        break;
    case SIGUSR2:
        on_failure(c);
        break;
    }
}

/* The next signal, or 0 when the deadline has come. */
static int next_signal(const struct cop *c, const sigset_t *set)
{
    for (;;) {
        int64_t left_ns = c->deadline_ns - tool_clock_ns(CLOCK_MONOTONIC);
        struct timespec left = tool_ns_to_time(left_ns > 0 ? left_ns : 0);
        int sig = sigtimedwait(set, NULL, c->deadline_ns == INT64_MAX ? NULL : &left);

        if (sig > 0)
            return sig;
        if (errno == EAGAIN)
            return 0;
    }
}

int cop_run(const struct cop_options *options, struct cop_files *files, cop_started_fun *started,
            void *cx)
{
    struct cop c = {.options = options,
                    .files = files,
                    .started = started,
                    .cx = cx,
                    .delay = options->delay,
                    .deadline_ns = INT64_MAX};
    sigset_t set;

    cop_signals(&set);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (pidfile_set(&files->cop, getpid()))
        start(&c);
    else
        end(&c, EXIT_FAILED);
    while (c.state != ENDED) {
        int sig = next_signal(&c, &set);

        if (sig)
            cop_on_signal(&c, sig);
        else
            on_deadline(&c);
    }
    return c.status;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * demo.c - runs the robot, breaks parts of it, and shows that the rest does not care
 *
 * usage: demo DIRECTORY-OF-THE-PROGRAMS
 *
 * Thirteen seconds: at 3 s a driver is stopped with SIGSTOP, at 5 s the controller
 * is killed with SIGKILL and started again, at 7 s the driver goes on. At 10 s the
 * controller is started again, and anticipates the sensor's messages.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "robot.h"

#define SECOND 1000000000ull
#define STOP_AT (3 * SECOND)
#define KILL_AT (5 * SECOND)
#define CONTINUE_AT (7 * SECOND)
#define ANTICIPATE_AT (10 * SECOND)
#define END_AT (13 * SECOND)
#define PARTS 6

/* A process of the robot, and what it reported. */
struct part {
    const char *name, *program, *argument;
    bool steady; /* its rate must not depend on the others' fate */
    pid_t pid;
    const char *fate;
    struct report last;
    uint64_t total, reports;
    double rate, lowest;
    uint32_t worst_us;
};

static uint32_t before_us; /* the controller's median latency before it anticipated */

static struct part parts[PARTS] = {
    {.name = "sensor", .program = "demo-sensor", .steady = true},
    {.name = "controller", .program = "demo-controller"},
    {.name = "driver-left", .program = "demo-driver", .argument = "left"},
    {.name = "driver-right", .program = "demo-driver", .argument = "right"},
    {.name = "logger", .program = "demo-logger"},
    {.name = "slow", .program = "demo-slow", .steady = true},
};
enum { SENSOR, CONTROLLER, LEFT, RIGHT, LOGGER, SLOW };

static const char *const channels[] = {"imu",        "cmd-left",    "cmd-right",
                                       "state-left", "state-right", ROBOT_REPORT};

static void start(struct part *p, const char *dir)
{
    char path[4096];

    snprintf(path, sizeof(path), "%s/%s", dir, p->program);
    p->pid = fork();
    if (p->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execl(path, p->program, p->argument, (char *)NULL);
        perror(path);
        _exit(127);
    }
    p->fate = "running";
}

static void take_report(const struct report *r)
{
    for (int i = 0; i < PARTS; i++) {
        struct part *p = &parts[i];

        if (strncmp(p->name, r->name, sizeof(r->name)) != 0)
            continue;
        p->last = *r;
        p->total += r->count;
        p->rate = (double)r->count * 1e9 / (double)r->interval_ns;
        /* The first intervals are those in which everybody starts. */
        if (++p->reports > 2 && (p->lowest == 0 || p->rate < p->lowest))
            p->lowest = p->rate;
        if (p->reports > 2 && r->latency_us[2] > p->worst_us)
            p->worst_us = r->latency_us[2];
    }
}

static void show(uint64_t elapsed, bool terminal)
{
    static bool shown;

    if (terminal && shown)
        printf("\033[%dA", PARTS + 2);
    shown = true;
    printf("%-13s %-9s %8s   %21s %9s   %4.1f s\n", "process", "state", "rate/Hz",
           "latency us p50/p99/max", "missed", (double)elapsed / 1e9);
    for (int i = 0; i < PARTS; i++) {
        const struct part *p = &parts[i];
        bool alive = strcmp(p->fate, "running") == 0;

        printf("%-13s %-9s %8.0f   ", p->name, p->fate, alive ? p->rate : 0);
        if (p->last.latency_us[2])
            printf("%7u %6u %7u", p->last.latency_us[0], p->last.latency_us[1],
                   p->last.latency_us[2]);
        else
            printf("%7s %6s %7s", "-", "-", "-");
        printf(" %9llu\n", (unsigned long long)p->last.missed);
    }
    printf("\n");
    fflush(stdout);
}

static void event(const char *text, uint64_t elapsed, bool terminal)
{
    if (!terminal)
        printf("--- %.1f s: %s\n", (double)elapsed / 1e9, text);
    else
        printf("\033[1A\033[2K%4.1f s: %s\n", (double)elapsed / 1e9, text);
}

static void restart(struct part *p, const char *dir)
{
    kill(p->pid, SIGKILL);
    waitpid(p->pid, NULL, 0);
    start(p, dir);
}

/* What happens to the robot, in order. Returns the number of the next event. */
static int script(int next, uint64_t elapsed, const char *dir, bool terminal)
{
    static const uint64_t when[] = {STOP_AT, KILL_AT, CONTINUE_AT, ANTICIPATE_AT};

    if (next > 3 || elapsed < when[next])
        return next;
    switch (next) {
    case 0:
        kill(parts[RIGHT].pid, SIGSTOP);
        parts[RIGHT].fate = "stopped";
        event("driver-right is stopped (SIGSTOP); nobody waits for it", elapsed, terminal);
        break;
    case 1:
        restart(&parts[CONTROLLER], dir);
        event("the controller is killed (SIGKILL) and started again", elapsed, terminal);
        break;
    case 2:
        kill(parts[RIGHT].pid, SIGCONT);
        parts[RIGHT].fate = "running";
        event("driver-right goes on, with the newest command", elapsed, terminal);
        break;
    default:
        before_us = parts[CONTROLLER].last.latency_us[0];
        setenv("ACH_WAIT", "anticipate:5", 1); /* for all processes that are started from now on */
        restart(&parts[CONTROLLER], dir);
        event("the controller anticipates: it is awake when the sensor's message comes", elapsed,
              terminal);
    }
    return next + 1;
}

static int run(ach_channel_t *reports, const char *dir)
{
    const struct timespec limit = {.tv_nsec = 50 * 1000 * 1000};
    bool terminal = isatty(STDOUT_FILENO);
    uint64_t begin = robot_now_ns(), shown = 0, elapsed = 0;
    int next = 0;

    while (elapsed < END_AT && !robot_stop) {
        struct report r;
        size_t size;

        if (robot_got(ach_get(reports, &r, sizeof(r), &size, &limit, ACH_O_WAIT | ACH_O_RELTIME)) &&
            size == sizeof(r))
            take_report(&r);
        elapsed = robot_now_ns() - begin;
        if (elapsed - shown >= (terminal ? SECOND / 4 : 2 * SECOND)) {
            shown = elapsed;
            show(elapsed, terminal);
        }
        next = script(next, elapsed, dir, terminal);
        for (int i = 0; i < PARTS; i++)
            if (waitpid(parts[i].pid, NULL, WNOHANG) == parts[i].pid) {
                fprintf(stderr, "demo: %s ended by itself\n", parts[i].name);
                return 1;
            }
    }
    return 0;
}

static void stop_all(void)
{
    for (int i = 0; i < PARTS; i++)
        if (parts[i].pid > 0) {
            kill(parts[i].pid, SIGCONT);
            kill(parts[i].pid, SIGTERM);
        }
    usleep(200000);
    for (int i = 0; i < PARTS; i++)
        if (parts[i].pid > 0) {
            kill(parts[i].pid, SIGKILL);
            waitpid(parts[i].pid, NULL, 0);
        }
    for (size_t i = 0; i < sizeof(channels) / sizeof(channels[0]); i++)
        ach_unlink(channels[i]);
}

static int summary(void)
{
    int silent = 0;

    printf("\nSummary\n");
    for (int i = 0; i < PARTS; i++) {
        const struct part *p = &parts[i];

        printf("  %-13s %8llu cycles", p->name, (unsigned long long)p->total);
        if (p->steady)
            printf(", never below %.0f Hz", p->lowest);
        if (p->worst_us)
            printf(", worst latency %u us", p->worst_us);
        if (p->last.missed)
            printf(", skipped %llu", (unsigned long long)p->last.missed);
        printf("\n");
        silent += p->total == 0;
    }
    if (silent)
        printf("  %d processes never reported\n", silent);
    else if (parts[SENSOR].lowest < 950)
        printf("  This machine was too busy for a steady 1000 Hz.\n");
    else
        printf("  A driver was stopped and the controller killed; the sensor kept its rate, and\n"
               "  the logger read every message it sent%s.\n",
               parts[LOGGER].last.missed ? " but the few it skipped" : "");
    if (before_us && parts[CONTROLLER].last.latency_us[0])
        printf("  The controller had the sensor's messages after %u us; after %u us when it\n"
               "  anticipated, for at most 5 %% of a processor.\n",
               before_us, parts[CONTROLLER].last.latency_us[0]);
    return silent != 0;
}

int main(int argc, char **argv)
{
    ach_channel_t reports;
    int status;

    if (argc != 2) {
        fprintf(stderr, "usage: demo DIRECTORY\n");
        return 2;
    }
    robot_handle_signals();
    signal(SIGINT, SIG_IGN);
    robot_open(&reports, ROBOT_REPORT, 64, sizeof(struct report));
    printf("A small robot: six processes, %zu channels, thirteen seconds.\n\n",
           sizeof(channels) / sizeof(channels[0]));
    for (int i = 0; i < PARTS; i++)
        start(&parts[i], argv[1]);
    status = run(&reports, argv[1]);
    stop_all();
    ach_close(&reports);
    return summary() || status;
}

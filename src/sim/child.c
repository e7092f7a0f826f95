/* SPDX-License-Identifier: BSD-3-Clause */
/* child.c - starts and ends the processes of controllers */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "program/program.h"
#include "sim.h"

#define GRACE 1500000000LL /* wall time from SIGTERM to SIGKILL */
#define NAP 2000000L

static const char *child_status_words(int status, char *text, size_t size)
{
    if (WIFEXITED(status))
        snprintf(text, size, "exit status %d", WEXITSTATUS(status));
    else if (WIFSIGNALED(status))
        snprintf(text, size, "signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        snprintf(text, size, "status %d", status);
    return text;
}

static void pin(const struct sim_sim *s, const struct sim_plan_controller *p)
{
    cpu_set_t set;
    size_t i;

    CPU_ZERO(&set);
    for (i = 0; i < s->plan->n_cores; i++)
        if (p->core < 0 || p->core == s->plan->cores[i])
            CPU_SET((size_t)s->plan->cores[i], &set);
    if (CPU_COUNT(&set))
        sched_setaffinity(0, sizeof(set), &set);
}

/* Default scheduling, signal mask and handlers: the coordinator may have others. */
static void child_become(const struct sim_sim *s, const struct sim_plan_controller *p)
{
    const struct sched_param usual = {0};
    sigset_t none;

    sched_setscheduler(0, SCHED_OTHER, &usual);
    pin(s, p);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGCHLD, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
}

static void set_environment(const struct sim_sim *s, const struct sim_plan_controller *p)
{
    const char *preload = getenv("LD_PRELOAD");
    char text[2 * PATH_MAX];

    snprintf(text, sizeof(text), "%s%s%s", s->library, preload ? ":" : "", preload ? preload : "");
    setenv("LD_PRELOAD", text, 1);
    setenv("ACH_SIM", s->plan->name, 1);
    setenv("ACH_SIM_NAME", p->name, 1);
    snprintf(text, sizeof(text), "%.9f", s->plan->epoch);
    setenv("ACH_SIM_EPOCH", text, 1);
    snprintf(text, sizeof(text), "%d", (int)getppid());
    setenv("ACH_SIM_PID", text, 1);
    setenv("ACH_SIM_ALLOW", p->allow, 1);
    snprintf(text, sizeof(text), "%u", (unsigned)ach_robot_number(s->robot));
    setenv("ACH_ROBOT", text, 1);
}

static void child(const struct sim_sim *s, const struct sim_plan_controller *p, pid_t parent,
                  int fd)
{
    int error;

    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127);
    child_become(s, p);
    set_environment(s, p);
    setrlimit(RLIMIT_NOFILE, &s->files);
    execvp(p->command[0], p->command);
    error = errno;
    if (write(fd, &error, sizeof(error)) < 0)
        _exit(126);
    _exit(127);
}

static bool allows(const struct sim_plan_controller *p, const char *word)
{
    const char *found = strstr(p->allow, word);
    size_t n = strlen(word);

    return found && (found == p->allow || found[-1] == ',') && (!found[n] || found[n] == ',');
}

/* Refuse a program that cannot be shown virtual time, before it is started. */
static bool check_program(struct sim_sim *s, const struct sim_plan_controller *p)
{
    char path[PATH_MAX], why[SIM_PROGRAM_WHY];

    if (allows(p, "static") || !sim_program_find(p->command[0], path, sizeof(path)) ||
        sim_program_good(path, why))
        return true;
    return sim_fail(s, "controller %s: refused: %s; " SIM_PROGRAM_ADVICE, p->name, why);
}

/* If exec fails, the child writes errno to the pipe. */
static bool start(struct sim_sim *s, struct sim_child *c)
{
    int fds[2], error = 0;
    pid_t pid, parent = getpid();

    if (!check_program(s, c->plan))
        return false;

    if (pipe2(fds, O_CLOEXEC) != 0)
        return sim_fail(s, "no pipe: %s", strerror(errno));
    fflush(NULL);
    pid = fork();
    if (pid == 0)
        child(s, c->plan, parent, fds[1]);
    close(fds[1]);
    if (pid > 0) {
        setpgid(pid, pid);
        c->pid = c->group = pid;
        if (read(fds[0], &error, sizeof(error)) != sizeof(error))
            error = 0;
    } else {
        error = errno;
    }
    close(fds[0]);
    if (!error)
        return true;
    return sim_fail(
        s, "controller %s: cannot start %s: %s%s", c->plan->name, c->plan->command[0],
        strerror(error),
        error == ENOENT && !strchr(c->plan->command[0], '/') ? ", in no directory of PATH" : "");
}

/* Find the LD_PRELOAD library: ACH_SIM_PRELOAD, in the build tree, or installed. */
static bool find_library(struct sim_sim *s)
{
    const char *given = getenv("ACH_SIM_PRELOAD");
    char exe[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

    exe[n > 0 ? n : 0] = 0;
    if (strrchr(exe, '/'))
        *strrchr(exe, '/') = 0;
    snprintf(s->library, sizeof(s->library), "%s%s", given ? given : exe,
             given ? "" : "/../sim/preload/libachsim-preload.so");
    if (!given && access(s->library, R_OK) != 0)
        snprintf(s->library, sizeof(s->library), "%s", ACH_SIM_PRELOAD);
    return access(s->library, R_OK) == 0 ||
           sim_fail(s, "there is no %s, which controllers need", s->library);
}

bool sim_children_start(struct sim_sim *s)
{
    size_t i;

    s->children = calloc(s->plan->n_controllers + 1, sizeof(*s->children));
    if (!s->children)
        return sim_fail(s, "no memory for controllers");
    for (i = 0; i < s->plan->n_controllers; i++) {
        s->children[i].plan = &s->plan->controllers[i];
        s->children[i].index = i;
    }
    if (!find_library(s))
        return false;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    for (i = 0; i < s->plan->n_controllers; i++)
        if (!start(s, &s->children[i]))
            return false;
    return true;
}

static void ended(struct sim_sim *s, struct sim_child *c, int status)
{
    char text[128];

    c->ended = true;
    c->status = status;
    c->pid = 0;
    if (s->over)
        return;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        sim_fail(s, "controller %s has ended: %s", c->plan->name,
                 child_status_words(status, text, sizeof(text)));
    else if (!c->hello)
        sim_fail(s,
                 "controller %s has ended without joining the simulation: is %s statically linked?",
                 c->plan->name, c->plan->command[0]);
}

void sim_children_reap(struct sim_sim *s)
{
    int status;
    pid_t pid;
    size_t i;

    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        while (sim_notes_take(s, 0)) /* notes that it sent before it exited */
            continue;
        sim_process_forget(s, pid);
        for (i = 0; s->children && i < s->plan->n_controllers; i++)
            if (s->children[i].pid == pid)
                ended(s, &s->children[i], status);
    }
}

static void signal_all(const struct sim_sim *s, int sig)
{
    size_t i;

    for (i = 0; s->children && i < s->plan->n_controllers; i++)
        if (s->children[i].plan && !s->children[i].ended && s->children[i].pid)
            kill(-s->children[i].pid, sig);
}

bool sim_children_left(const struct sim_sim *s)
{
    size_t i;

    for (i = 0; s->children && i < s->plan->n_controllers; i++)
        if (s->children[i].pid)
            return true;
    return false;
}

static void nap(void)
{
    const struct timespec t = {0, NAP};

    nanosleep(&t, NULL);
}

/* Also processes that left their group: orphans become children of the coordinator (subreaper). */
static void kill_children(void)
{
    DIR *dir = opendir("/proc");
    const struct dirent *e;

    while (dir && (e = readdir(dir)))
        if (isdigit((unsigned char)e->d_name[0])) {
            pid_t pid = (pid_t)strtol(e->d_name, NULL, 10);

            if (sim_process_parent(pid) == getpid())
                kill(pid, SIGKILL);
        }
    if (dir)
        closedir(dir);
}

/* First a go with end set, with SIGTERM; after GRACE, SIGKILL. */
void sim_children_end(struct sim_sim *s)
{
    int64_t until = monotonic_ns() + GRACE;
    struct sim_sink *k;

    s->over = true;
    for (k = s->sinks; k; k = k->next)
        sim_go_send(s, k, true, -1);
    signal_all(s, SIGTERM);
    signal_all(s, SIGCONT);
    while (sim_children_left(s) && monotonic_ns() < until) {
        nap();
        sim_children_reap(s);
    }
    until = monotonic_ns() + GRACE;
    while ((sim_children_left(s) || waitpid(-1, NULL, WNOHANG) >= 0) && monotonic_ns() < until) {
        kill_children();
        nap();
        sim_children_reap(s);
    }
    while (s->sinks)
        sim_sink_remove(s, s->sinks);
    sim_sinks_free(s);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * process.c - who stands in for a driver that is in a process of its own
 *
 * Its hardware is the process: it is started in setup, and when it ends by itself
 * main does. Then the driver has failed, and is set up again after a while, as any
 * driver is; its subscribers notice only that no data comes.
 */
#include "process.h"

#include <ach.h>
#include <ach/interface/player.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "config_tree.h"

/* The process has so many seconds to shut its driver down. */
#define END_SECONDS 5.0

struct stand_in {
    struct achi_end end;
    pid_t pid;
    ach_message_t *config; /* what the process is told first */
};

static ach_status_t claim(ach_driver_t *driver, ach_section_t *options)
{
    size_t provides = ach_section_tuple_count(options, "provides");
    size_t requires = ach_section_tuple_count(options, "requires");
    ach_status_t status = ACH_OK;
    ach_address_t address;

    while (provides-- && status == ACH_OK)
        status = ach_driver_provide_next(driver, NULL, &address);
    while (requires --&&status == ACH_OK)
        status = ach_driver_require(driver, 0, NULL, &address);
    return status;
}

/* The process will tell what nobody asks for. */
static void read_all(ach_section_t *section)
{
    struct achi_field *f;
    ach_section_t *s;

    section->visited = true;
    for (f = section->fields; f; f = f->next)
        f->used = true;
    for (s = section->first; s; s = s->next)
        read_all(s);
}

/* What messages about it are to name as the file, a NUL, and the text. */
static char *describe(const ach_driver_t *driver, ach_section_t *options, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);

    if (!out)
        return NULL;
    fprintf(out, "%s (driver %s)%c", ach_section_file(options), driver->class->name, '\0');
    achi_section_print_alone(options, out);
    fclose(out);
    return text;
}

static ach_status_t make_config(const ach_driver_t *driver, ach_section_t *options,
                                ach_message_t **config)
{
    const ach_header_t h = {.address = {.robot = driver->robot->attr.robot,
                                        .interf = ACH_PLAYER_CODE,
                                        .index = (uint16_t)driver->robot->attr.level},
                            .type = ACH_MSG_SYNCH,
                            .subtype = ACHI_SYNCH_CONFIG};
    size_t size;
    char *text = describe(driver, options, &size);
    ach_status_t status;

    if (!text)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a driver");
    status = ach_message_wrap(&h, text, size, config);
    free(text);
    return status;
}

static ach_status_t create(ach_driver_t *driver, ach_section_t *options, void **state)
{
    struct stand_in *s;
    ach_status_t status = claim(driver, options);

    if (status != ACH_OK)
        return status;
    if (driver->robot->attr.simulated)
        return ach_errstr_set(ACH_ENOTSUP, "driver %s: a simulated clock is for one process only",
                              driver->class->name);
    s = calloc(1, sizeof(*s));
    if (!s)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a driver");
    status = make_config(driver, options, &s->config);
    read_all(options);
    if (status != ACH_OK)
        free(s);
    *state = s;
    return status;
}

static void destroy(ach_driver_t *driver, void *state)
{
    struct stand_in *s = state;

    (void)driver;
    ach_message_unref(s->config);
    free(s);
}

static ach_status_t run_program(pid_t *pid, int in, int out)
{
    const char *program = secure_getenv("ACH_DRIVER_PROCESS");
    char in_text[16], out_text[16];
    char *argv[] = {(char *)"ach-driver-process", in_text, out_text, NULL};
    posix_spawn_file_actions_t actions;
    int error;

    if (!program)
        program = ACHI_LIBEXEC_DIR "/driver-process";
    snprintf(in_text, sizeof(in_text), "%d", in);
    snprintf(out_text, sizeof(out_text), "%d", out);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in, in); /* so it stays open there */
    posix_spawn_file_actions_adddup2(&actions, out, out);
    error = posix_spawn(pid, program, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error ? ach_errstr_set(ACH_FAILED_SYSCALL, "%s: %s", program, strerror(error)) : ACH_OK;
}

static ach_status_t spawn(struct stand_in *s)
{
    int down[2], up[2];
    ach_status_t status;

    if (pipe2(down, O_CLOEXEC) != 0)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no pipe: %s", strerror(errno));
    if (pipe2(up, O_CLOEXEC) != 0) {
        close(down[0]);
        close(down[1]);
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no pipe: %s", strerror(errno));
    }
    status = run_program(&s->pid, down[0], up[1]);
    close(down[0]);
    close(up[1]);
    fcntl(down[1], F_SETFL, O_NONBLOCK);
    s->end.in = up[0];
    s->end.out = down[1];
    if (status != ACH_OK) {
        close(up[0]);
        close(down[1]);
    }
    return status;
}

/* How it ended; -1: nobody knows, because the program takes no notice of its children. */
static int reap(pid_t pid, bool *killed)
{
    double until = achi_monotonic() + END_SECONDS;
    int status = -1;

    while (waitpid(pid, &status, *killed ? 0 : WNOHANG) == 0) {
        if (achi_monotonic() < until) {
            usleep(5000);
        } else {
            kill(pid, SIGKILL);
            *killed = true;
        }
    }
    return status;
}

static void tell(const ach_driver_t *driver, int status, bool killed)
{
    if (killed)
        ach_robot_log(driver->robot, ACH_LOG_WARNING,
                      "driver %s: its process did not end and was killed", driver->class->name);
    else if (status != -1 && WIFSIGNALED(status))
        ach_robot_log(driver->robot, ACH_LOG_ERROR, "driver %s: its process was ended by %s",
                      driver->class->name, strsignal(WTERMSIG(status)));
    else if (status != -1 && WEXITSTATUS(status) != 0)
        ach_robot_log(driver->robot, ACH_LOG_ERROR, "driver %s: its process ended with status %d",
                      driver->class->name, WEXITSTATUS(status));
}

/* Its pipe is closed: that is the sign for it to end. */
static void shutdown_(ach_driver_t *driver, void *state)
{
    struct stand_in *s = state;
    bool killed = false;
    int status;

    close(s->end.out);
    s->end.out = -1;
    status = reap(s->pid, &killed);
    achi_end_finish(&s->end);
    tell(driver, status, killed);
}

static ach_status_t await(ach_driver_t *driver, struct stand_in *s)
{
    int answer;

    while (!(answer = __atomic_load_n(&s->end.answer, __ATOMIC_ACQUIRE)) &&
           !__atomic_load_n(&s->end.lost, __ATOMIC_ACQUIRE) &&
           !__atomic_load_n(&driver->stop, __ATOMIC_ACQUIRE)) {
        achi_bell_wait(driver->eventfd, -1);
        achi_bell_clear(driver->eventfd);
    }
    achi_driver_wake(driver); /* what it told of others is put back */
    if (answer == ACHI_SYNCH_READY)
        return ACH_OK;
    if (__atomic_load_n(&driver->stop, __ATOMIC_ACQUIRE))
        return ach_errstr_set(ACH_CANCELED, "the driver is to stop");
    return ach_errstr_set(ACH_FAILED_SYSCALL,
                          answer ? "its process cannot set it up" : "its process has ended");
}

static ach_status_t setup(ach_driver_t *driver, void *state)
{
    struct stand_in *s = state;
    ach_status_t status;
    sigset_t pipes;

    /* A process that has gone is an error, no signal; the thread is the driver's own. */
    sigemptyset(&pipes);
    sigaddset(&pipes, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipes, NULL);
    status = spawn(s);
    if (status != ACH_OK)
        return status;
    status = achi_end_start(&s->end, driver);
    if (status == ACH_OK)
        status = achi_end_send(&s->end, s->config);
    if (status == ACH_OK || status == ACH_CLOSED)
        status = await(driver, s);
    if (status != ACH_OK) {
        char why[200];

        snprintf(why, sizeof(why), "%s", ach_errstr());
        shutdown_(driver, s);
        ach_errstr_set(status, "%s", why);
    }
    return status;
}

static ach_status_t process(ach_driver_t *driver, void *state, const ach_message_t *message)
{
    (void)driver;
    return achi_end_process(&((struct stand_in *)state)->end, message);
}

static void main_(ach_driver_t *driver, void *state)
{
    (void)driver;
    achi_end_run(&((struct stand_in *)state)->end);
}

/* Properties and capabilities are the driver's business. */
static const ach_driver_class_t class = {
    .version = ACH_DRIVER_VERSION,
    .flags = ACH_DRIVER_TRANSPARENT,
    .create = create,
    .destroy = destroy,
    .setup = setup,
    .shutdown = shutdown_,
    .process = process,
    .main = main_,
};

ach_driver_class_t *achi_process_class(const char *name)
{
    ach_driver_class_t *c = malloc(sizeof(*c));

    if (!c)
        return NULL;
    *c = class;
    c->name = name;
    return c;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * process.c - the stand-in for a driver that is in a process of its own
 *
 * Its hardware is the process: setup starts it, and main returns when it exits by
 * itself. Then the driver has failed, and is set up again after a while, as any
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

#include "../../../util/monotonic.h"
#include "../config/tree.h"

/* Seconds for the process to shut its driver down; then it is killed. */
#define END_SECONDS 5.0

struct stand_in {
    struct dev_pipe end;
    pid_t pid;
    ach_message_t *config; /* the first message to the process */
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

/* Mark all fields as read: the process itself warns of those that are not. */
static void process_read_all(ach_section_t *section)
{
    struct dev_field *f;
    ach_section_t *s;

    section->visited = true;
    for (f = section->fields; f; f = f->next)
        f->used = true;
    for (s = section->first; s; s = s->next)
        process_read_all(s);
}

/* The file name that error messages are to show, a NUL, and the text of the config. */
static char *process_describe(const ach_driver_t *driver, ach_section_t *options, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);

    if (!out)
        return NULL;
    fprintf(out, "%s (driver %s)%c", ach_section_file(options), driver->class->name, '\0');
    dev_section_print_alone(options, out);
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
                            .subtype = DEV_SYNCH_CONFIG};
    size_t size;
    char *text = process_describe(driver, options, &size);
    ach_status_t status;

    if (!text)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a driver");
    status = ach_message_wrap(&h, text, size, config);
    free(text);
    return status;
}

static ach_status_t process_create(ach_driver_t *driver, ach_section_t *options, void **state)
{
    struct stand_in *s;
    ach_status_t status = claim(driver, options);

    if (status != ACH_OK)
        return status;
    if (driver->robot->attr.simulated)
        return ach_errstr_set(ACH_ENOTSUP,
                              "driver %s: the option process cannot be used with a simulated clock",
                              driver->class->name);
    s = calloc(1, sizeof(*s));
    if (!s)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a driver");
    status = make_config(driver, options, &s->config);
    process_read_all(options);
    if (status != ACH_OK)
        free(s);
    *state = s;
    return status;
}

static void process_destroy(ach_driver_t *driver, void *state)
{
    struct stand_in *s = state;

    (void)driver;
    ach_message_unref(s->config);
    free(s);
}

/* @fds: descriptors for the process; their numbers are its arguments. */
static ach_status_t run_program(pid_t *pid, const int fds[3])
{
    const char *program = secure_getenv("ACH_DRIVER_PROCESS");
    char text[3][16];
    char *argv[] = {(char *)"ach-driver-process", text[0], text[1], text[2], NULL};
    posix_spawn_file_actions_t actions;
    int error, i;

    if (!program)
        program = ACHI_LIBEXEC_DIR "/driver-process";
    posix_spawn_file_actions_init(&actions);
    for (i = 0; i < 3; i++) {
        snprintf(text[i], sizeof(text[i]), "%d", fds[i]);
        posix_spawn_file_actions_adddup2(&actions, fds[i], fds[i]); /* clears FD_CLOEXEC there */
    }
    error = posix_spawn(pid, program, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error ? ach_errstr_set(ACH_FAILED_SYSCALL, "%s: %s", program, strerror(error)) : ACH_OK;
}

static ach_status_t make_pipes(int down[2], int up[2])
{
    if (pipe2(down, O_CLOEXEC) != 0)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no pipe: %s", strerror(errno));
    if (pipe2(up, O_CLOEXEC) == 0)
        return ACH_OK;
    close(down[0]);
    close(down[1]);
    return ach_errstr_set(ACH_FAILED_SYSCALL, "no pipe: %s", strerror(errno));
}

static ach_status_t run_with_pipes(struct stand_in *s, int memory)
{
    int down[2], up[2];
    ach_status_t status = make_pipes(down, up);

    if (status != ACH_OK)
        return status;
    status = run_program(&s->pid, (const int[]){down[0], up[1], memory});
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

static ach_status_t spawn(struct stand_in *s)
{
    int memory;
    ach_status_t status = dev_passed_create(&s->end.passed, &memory);

    if (status != ACH_OK)
        return status;
    status = run_with_pipes(s, memory);
    close(memory);
    if (status != ACH_OK)
        dev_passed_finish(&s->end.passed);
    return status;
}

/* The wait status of the process; -1: unknown, because this program ignores SIGCHLD. */
static int reap(pid_t pid, bool *killed)
{
    double until = monotonic_seconds() + END_SECONDS;
    int status = -1;

    while (waitpid(pid, &status, *killed ? 0 : WNOHANG) == 0) {
        if (monotonic_seconds() < until) {
            usleep(5000);
        } else {
            kill(pid, SIGKILL);
            *killed = true;
        }
    }
    return status;
}

static void process_tell(const ach_driver_t *driver, int status, bool killed)
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

/* Closing its pipe asks the process to exit. */
static void process_shutdown(ach_driver_t *driver, void *state)
{
    struct stand_in *s = state;
    bool killed = false;
    int status;

    close(s->end.out);
    s->end.out = -1;
    status = reap(s->pid, &killed);
    dev_pipe_finish(&s->end);
    process_tell(driver, status, killed);
}

/* Messages are passed on meanwhile: answers to requests that the driver sends in its setup. */
static ach_status_t process_await(ach_driver_t *driver, struct stand_in *s)
{
    int answer;

    while (!(answer = __atomic_load_n(&s->end.answer, __ATOMIC_ACQUIRE)) &&
           !__atomic_load_n(&s->end.lost, __ATOMIC_ACQUIRE) &&
           !__atomic_load_n(&driver->stop, __ATOMIC_ACQUIRE)) {
        dev_wakeup_wait(driver->eventfd, -1);
        dev_driver_process(driver);
    }
    dev_driver_wake(driver); /* it was cleared, maybe with messages in the queue */
    if (answer == DEV_SYNCH_READY)
        return ACH_OK;
    if (__atomic_load_n(&driver->stop, __ATOMIC_ACQUIRE))
        return ach_errstr_set(ACH_CANCELED, "the driver was asked to stop");
    return ach_errstr_set(ACH_FAILED_SYSCALL,
                          answer ? "its process cannot set it up" : "its process has ended");
}

static ach_status_t process_setup(ach_driver_t *driver, void *state)
{
    struct stand_in *s = state;
    ach_status_t status;
    sigset_t pipes;

    /* Have write fail with EPIPE if the process has exited. The thread is the driver's own. */
    sigemptyset(&pipes);
    sigaddset(&pipes, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipes, NULL);
    status = spawn(s);
    if (status != ACH_OK)
        return status;
    status = dev_pipe_start(&s->end, driver);
    if (status == ACH_OK)
        status = dev_pipe_send(&s->end, s->config);
    if (status == ACH_OK || status == ACH_CLOSED)
        status = process_await(driver, s);
    if (status != ACH_OK) {
        char why[200];

        snprintf(why, sizeof(why), "%s", ach_errstr());
        process_shutdown(driver, s);
        ach_errstr_set(status, "%s", why);
    }
    return status;
}

static ach_status_t process_process(ach_driver_t *driver, void *state, const ach_message_t *message)
{
    (void)driver;
    return dev_pipe_process(&((struct stand_in *)state)->end, message);
}

static void process_main(ach_driver_t *driver, void *state)
{
    (void)driver;
    dev_pipe_run(&((struct stand_in *)state)->end);
}

/* Transparent: the driver in the process answers requests for properties and capabilities. */
static const ach_driver_class_t class = {
    .version = ACH_DRIVER_VERSION,
    .flags = ACH_DRIVER_TRANSPARENT,
    .create = process_create,
    .destroy = process_destroy,
    .setup = process_setup,
    .shutdown = process_shutdown,
    .process = process_process,
    .main = process_main,
};

ach_driver_class_t *dev_process_class(const char *name)
{
    ach_driver_class_t *c = malloc(sizeof(*c));

    if (!c)
        return NULL;
    *c = class;
    c->name = name;
    return c;
}

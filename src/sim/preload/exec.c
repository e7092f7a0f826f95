/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * exec.c - programs that a controller executes
 *
 * A program that cannot become part of the simulation is refused. The others get the environment
 * variables that make them part of it, even if the caller's environment lacks or changes them.
 */
#include "exec.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <wordexp.h>

#include "../program/program.h"
#include "alarm.h"
#include "counter.h"
#include "refuse.h"

static const char *const names[] = {"LD_PRELOAD",    "ACH_SIM",       "ACH_SIM_NAME", "ACH_SIM_PID",
                                    "ACH_SIM_EPOCH", "ACH_SIM_ALLOW", "ACH_DIR"};
#define NAMES (sizeof(names) / sizeof(names[0]))

static char *kept[NAMES]; /* NAME=VALUE, saved when this program began */

void simp_exec_begin(void)
{
    size_t i;

    for (i = 0; i < NAMES; i++) {
        const char *value = getenv(names[i]);

        if (value && asprintf(&kept[i], "%s=%s", names[i], value) < 0)
            kept[i] = NULL;
    }
}

static const char *exec_find(char *const env[], const char *name)
{
    size_t n = strlen(name);

    for (; env && *env; env++)
        if (strncmp(*env, name, n) == 0 && (*env)[n] == '=')
            return *env + n + 1;
    return NULL;
}

/* LD_PRELOAD may name further libraries, but must still contain the simulation's. */
static bool has(char *const env[], size_t i)
{
    const char *value = exec_find(env, names[i]);

    if (!kept[i])
        return true;
    return value && (i == 0 ? strstr(value, "libachsim-preload") != NULL
                            : strcmp(value, strchr(kept[i], '=') + 1) == 0);
}

static bool complete(char *const env[])
{
    size_t i;

    for (i = 0; i < NAMES; i++)
        if (!has(env, i))
            return false;
    return true;
}

/* Missing or changed variables of the simulation come first, and replace those of the same name. */
static char *const *exec_environment(char *const env[])
{
    size_t i, k, n = 0, count = 0;
    char **all;

    if (complete(env))
        return env;
    while (env && env[count])
        count++;
    all = mmap(NULL, (count + NAMES + 1) * sizeof(*all), PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED)
        return env;
    for (i = 0; i < NAMES; i++)
        if (!has(env, i))
            all[n++] = kept[i];
    for (k = 0; k < count; k++) {
        bool replaced = false;

        for (i = 0; i < NAMES; i++)
            replaced |= !has(env, i) && exec_find((char *const[]){env[k], NULL}, names[i]);
        if (!replaced)
            all[n++] = env[k];
    }
    return all;
}

static void check(const char *path)
{
    char why[SIM_PROGRAM_WHY], text[SIM_PROGRAM_WHY + 16];

    if (simp_alarm_armed())
        simp_refuse("exec while an alarm is set", "set it to 0 before");
    if (sim_program_good(path, why))
        return;
    snprintf(text, sizeof(text), "static program: %s", why);
    simp_refuse(text, SIM_PROGRAM_ADVICE);
}

static void check_name(const char *name)
{
    char path[PATH_MAX];

    if (sim_program_find(name, path, sizeof(path)))
        check(path);
}

EXPORT int execve(const char *path, char *const argv[], char *const env[])
{
    if (simc_active()) {
        check(path);
        env = exec_environment(env);
    }
    return (int)simp_result(SIMP_COUNTER_SHOWN(simc_raw3(SYS_execve, path, argv, env)));
}

EXPORT int execv(const char *path, char *const argv[])
{
    return execve(path, argv, environ);
}

EXPORT int execvpe(const char *name, char *const argv[], char *const env[])
{
    if (!simc_active())
        return REAL(execvpe)(name, argv, env);
    check_name(name);
    return SIMP_COUNTER_SHOWN(REAL(execvpe)(name, argv, exec_environment(env)));
}

EXPORT int execvp(const char *name, char *const argv[])
{
    return execvpe(name, argv, environ);
}

/* Collect the variadic arguments up to NULL into an array; an environment may follow them. */
#define COLLECT(first, list, after)                                                                \
    size_t n = 1;                                                                                  \
    va_list count;                                                                                 \
                                                                                                   \
    va_start(count, first);                                                                        \
    while (va_arg(count, char *))                                                                  \
        n++;                                                                                       \
    va_end(count);                                                                                 \
    char *list[n + 1];                                                                             \
    char *const *after;                                                                            \
    list[0] = (char *)(uintptr_t)(first);                                                          \
    va_start(count, first);                                                                        \
    for (size_t i = 1; i <= n; i++)                                                                \
        list[i] = va_arg(count, char *);                                                           \
    after = environ

EXPORT int execl(const char *path, const char *first, ...)
{
    COLLECT(first, list, after);
    va_end(count);
    return execve(path, list, after);
}

EXPORT int execlp(const char *name, const char *first, ...)
{
    COLLECT(first, list, after);
    va_end(count);
    return execvpe(name, list, after);
}

EXPORT int execle(const char *path, const char *first, ...)
{
    COLLECT(first, list, after);
    after = va_arg(count, char *const *);
    va_end(count);
    return execve(path, list, after);
}

EXPORT int fexecve(int fd, char *const argv[], char *const env[])
{
    char path[32];

    if (!simc_active())
        return REAL(fexecve)(fd, argv, env);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    check(path);
    return SIMP_COUNTER_SHOWN(REAL(fexecve)(fd, argv, exec_environment(env)));
}

EXPORT int posix_spawn(pid_t *restrict pid, const char *restrict path,
                       const posix_spawn_file_actions_t *restrict actions,
                       const posix_spawnattr_t *restrict attr, char *const argv[restrict],
                       char *const env[restrict])
{
    if (!simc_active())
        return REAL(posix_spawn)(pid, path, actions, attr, argv, env);
    check(path);
    env = exec_environment(env);
    return SIMP_COUNTER_SHOWN(REAL(posix_spawn)(pid, path, actions, attr, argv, env));
}

EXPORT int posix_spawnp(pid_t *restrict pid, const char *restrict name,
                        const posix_spawn_file_actions_t *restrict actions,
                        const posix_spawnattr_t *restrict attr, char *const argv[restrict],
                        char *const env[restrict])
{
    if (!simc_active())
        return REAL(posix_spawnp)(pid, name, actions, attr, argv, env);
    check_name(name);
    env = exec_environment(env);
    return SIMP_COUNTER_SHOWN(REAL(posix_spawnp)(pid, name, actions, attr, argv, env));
}

EXPORT int execveat(int dir, const char *path, char *const argv[], char *const env[], int flags)
{
    char full[PATH_MAX];

    if (simc_active()) {
        if (*path == '/' || dir == AT_FDCWD)
            snprintf(full, sizeof(full), "%s", path);
        else
            snprintf(full, sizeof(full), "/proc/self/fd/%d%s%s", dir, *path ? "/" : "", path);
        check(full);
        env = exec_environment(env);
    }
    return (int)simp_result(
        SIMP_COUNTER_SHOWN(simc_raw5(SYS_execveat, dir, path, argv, env, flags)));
}

/* These came with glibc 2.39. */
EXPORT int pidfd_spawn(int *restrict fd, const char *restrict path,
                       const posix_spawn_file_actions_t *restrict actions,
                       const posix_spawnattr_t *restrict attr, char *const argv[restrict],
                       char *const env[restrict]);
EXPORT int pidfd_spawnp(int *restrict fd, const char *restrict name,
                        const posix_spawn_file_actions_t *restrict actions,
                        const posix_spawnattr_t *restrict attr, char *const argv[restrict],
                        char *const env[restrict]);

EXPORT int pidfd_spawn(int *restrict fd, const char *restrict path,
                       const posix_spawn_file_actions_t *restrict actions,
                       const posix_spawnattr_t *restrict attr, char *const argv[restrict],
                       char *const env[restrict])
{
    if (!simc_active())
        return REAL(pidfd_spawn)(fd, path, actions, attr, argv, env);
    check(path);
    env = exec_environment(env);
    return SIMP_COUNTER_SHOWN(REAL(pidfd_spawn)(fd, path, actions, attr, argv, env));
}

EXPORT int pidfd_spawnp(int *restrict fd, const char *restrict name,
                        const posix_spawn_file_actions_t *restrict actions,
                        const posix_spawnattr_t *restrict attr, char *const argv[restrict],
                        char *const env[restrict])
{
    if (!simc_active())
        return REAL(pidfd_spawnp)(fd, name, actions, attr, argv, env);
    check_name(name);
    env = exec_environment(env);
    return SIMP_COUNTER_SHOWN(REAL(pidfd_spawnp)(fd, name, actions, attr, argv, env));
}

/* The C library passes the environment of this process to the shell, so complete it here. */
EXPORT FILE *popen(const char *command, const char *type)
{
    size_t i;

    for (i = 0; simc_active() && i < NAMES; i++)
        if (!has(environ, i))
            putenv(kept[i]);
    return SIMP_COUNTER_SHOWN(REAL(popen)(command, type));
}

/* May start a shell. */
EXPORT int wordexp(const char *restrict words, wordexp_t *restrict result, int flags)
{
    return SIMP_COUNTER_SHOWN(REAL(wordexp)(words, result, flags));
}

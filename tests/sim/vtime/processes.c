/* SPDX-License-Identifier: BSD-3-Clause */
/* processes.c - children and the programs that they execute */
#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "cases.h"

pid_t __fork(void) OLDER;
pid_t __vfork(void) OLDER;
pid_t __wait(int *status) OLDER;
pid_t __waitpid(pid_t pid, int *status, int options) OLDER;

static char *const no_environment[] = {"PATH=/usr/bin:/bin", NULL};

/* The child ends after 20 ms. The simulation polls for that, so the wait may take 2 ms longer. */
#define ENDS(statement)                                                                            \
    do {                                                                                           \
        int64_t began = now(), took;                                                               \
        statement;                                                                                 \
        took = now() - began;                                                                      \
        if (took < 20 * MS || took > 22 * MS) {                                                    \
            fprintf(stderr, "%s:%d: %s took %lld ns\n", __FILE__, __LINE__, #statement,            \
                    (long long)took);                                                              \
            check_failures++;                                                                      \
        }                                                                                          \
    } while (0)

static pid_t child(pid_t (*make)(void))
{
    pid_t pid = make();

    if (pid == 0) {
        usleep(20000);
        _Exit(0);
    }
    return pid;
}

static void fork_case(void)
{
    struct rusage usage;
    siginfo_t info;
    pid_t pid;
    int status;

    pid = child(fork);
    ENDS(CHECK(wait(&status) == pid && status == 0));
    pid = child(__fork);
    ENDS(CHECK(__wait(&status) == pid));
    pid = child(_Fork);
    ENDS(CHECK(waitpid(pid, &status, 0) == pid));
    pid = child(__vfork);
    ENDS(CHECK(__waitpid(pid, &status, 0) == pid));
    pid = child(fork);
    ENDS(CHECK(wait3(&status, 0, &usage) == pid));
    pid = child(fork);
    ENDS(CHECK(wait4(pid, &status, 0, &usage) == pid));
    pid = child(fork);
    ENDS(CHECK(waitid(P_PID, (id_t)pid, &info, WEXITED) == 0 && info.si_pid == pid));
    pid = vfork();
    if (pid == 0) {
        usleep(20000);
        _exit(0);
    }
    ENDS(CHECK(waitpid(pid, &status, 0) == pid));
}

static void reap(pid_t pid)
{
    int status = -1;

    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
}

/* A program executed without an environment sleeps in virtual time, too. */
static void exec_case(void)
{
    static char *const long_sleep[] = {"sleep", "0.5", NULL};
    int64_t begin;
    int way;

    for (way = 0; way < 8; way++) {
        pid_t pid;

        begin = now();
        pid = fork();
        if (pid == 0) {
            if (way == 0)
                execve("/bin/sleep", long_sleep, no_environment);
            if (way == 1)
                execv("/bin/sleep", long_sleep);
            if (way == 2)
                execvp("sleep", long_sleep);
            if (way == 3)
                execvpe("sleep", long_sleep, no_environment);
            if (way == 4)
                execl("/bin/sleep", "sleep", "0.5", NULL);
            if (way == 5)
                execlp("sleep", "sleep", "0.5", NULL);
            if (way == 6)
                execle("/bin/sleep", "sleep", "0.5", NULL, no_environment);
            if (way == 7)
                fexecve(open("/bin/sleep", O_RDONLY), long_sleep, no_environment);
            _exit(1);
        }
        reap(pid);
        CHECK(now() - begin >= 500 * MS && now() - begin < 600 * MS);
    }
}

static void execveat_case(void)
{
    static char *const long_sleep[] = {"sleep", "0.5", NULL};
    int64_t begin = now();
    pid_t pid = fork();

    if (pid == 0) {
        execveat(AT_FDCWD, "/bin/sleep", long_sleep, no_environment, 0);
        _exit(1);
    }
    reap(pid);
    CHECK(now() - begin >= 500 * MS && now() - begin < 600 * MS);
}

/* The virtual time at which a spawned child begins is not exact. */
static void spawn_case(void)
{
    static char *const long_sleep[] = {"sleep", "0.5", NULL};
    int64_t begin = now();
    FILE *f;
    pid_t pid;

    CHECK(posix_spawn(&pid, "/bin/sleep", NULL, NULL, long_sleep, no_environment) == 0);
    reap(pid);
    CHECK(posix_spawnp(&pid, "sleep", NULL, NULL, long_sleep, no_environment) == 0);
    reap(pid);
    CHECK(now() - begin >= 900 * MS);
    begin = now();
    CHECK(system(NULL) != 0);
    CHECK(system("sleep 0.5") == 0);
    CHECK(now() - begin >= 500 * MS && now() - begin < 600 * MS);
    f = popen("sleep 0.5", "r");
    CHECK(f && pclose(f) == 0);
    CHECK(now() - begin >= 900 * MS);
}

int pidfd_spawn(int *fd, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attr, char *const argv[], char *const env[]) OLDER;
int pidfd_spawnp(int *fd, const char *path, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attr, char *const argv[], char *const env[]) OLDER;

static void pidfd_spawn_case(void)
{
    static char *const a_sleep[] = {"sleep", "0.5", NULL};
    siginfo_t info;
    int fd;

    if (!dlvsym(RTLD_NEXT, "pidfd_spawn", "GLIBC_2.39")) {
        puts("skipped: this C library has no pidfd_spawn");
        exit(77);
    }
    CHECK(pidfd_spawn(&fd, "/bin/sleep", NULL, NULL, a_sleep, no_environment) == 0);
    CHECK(waitid(P_PIDFD, (id_t)fd, &info, WEXITED) == 0);
    CHECK(pidfd_spawnp(&fd, "sleep", NULL, NULL, a_sleep, no_environment) == 0);
    CHECK(waitid(P_PIDFD, (id_t)fd, &info, WEXITED) == 0);
    CHECK(now() >= 900 * MS);
}

const struct vtime_case vtime_processes[] = {{"fork", fork_case},
                                             {"exec", exec_case},
                                             {"execveat", execveat_case},
                                             {"spawn", spawn_case},
                                             {"pidfd_spawn", pidfd_spawn_case},
                                             {NULL, NULL}};

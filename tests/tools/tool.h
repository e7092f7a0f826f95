/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tool.h - running programs in a directory of the test's own
 */
#ifndef TOOL_H
#define TOOL_H

#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "check.h"

/* Timeout of all waits, long enough for a busy machine. */
#define TOOL_LIMIT_MS check_time(40000)

static char tool_dir[4096];

static inline int tool_remove(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

/* Kill processes that a failed test left. Each round finds the orphans of the last one. */
static inline void tool_kill_children(void)
{
    for (;;) {
        char path[64], line[4096] = "";
        FILE *f;
        char *p;

        snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
        f = fopen(path, "re");
        if (!f || !fgets(line, sizeof(line), f))
            line[0] = '\0';
        if (f)
            fclose(f);
        if (!*line)
            return;
        for (p = strtok(line, " "); p; p = strtok(NULL, " "))
            kill((pid_t)strtol(p, NULL, 10), SIGKILL);
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
        check_sleep_ms(2);
    }
}

static inline void tool_clean(void)
{
    tool_kill_children();
    nftw(tool_dir, tool_remove, 16, FTW_DEPTH | FTW_PHYS);
}

/* Change to a new directory. At exit it is removed, and all processes of the test are killed. */
static inline void tool_enter(void)
{
    const char *channels = getenv("ACH_DIR");

    prctl(PR_SET_CHILD_SUBREAPER, 1);
    /* In ACH_DIR, which the test runner removes even if this process is killed. */
    snprintf(tool_dir, sizeof(tool_dir), "%s/tool.XXXXXX", channels ? channels : "/tmp");
    REQUIRE(mkdtemp(tool_dir) != NULL);
    REQUIRE(chdir(tool_dir) == 0);
    atexit(tool_clean);
    /* Leak detection can take seconds in each of the many short programs. */
    setenv("ASAN_OPTIONS", "detect_leaks=0", 0);
}

/* A program's absolute path. */
static inline const char *tool_path(const char *path)
{
    const char *full = realpath(path, NULL);

    REQUIRE(full != NULL);
    return full;
}

static inline void tool_kill(pid_t pid, int sig)
{
    REQUIRE(pid > 0);
    kill(pid, sig);
}

/* Start a program with its standard error in the file "err". */
static inline pid_t tool_start(const char *const *argv)
{
    pid_t pid = fork();

    REQUIRE(pid >= 0);
    if (pid == 0) {
        int fd = open("err", O_WRONLY | O_CREAT | O_TRUNC, 0666);

        if (fd < 0 || dup2(fd, STDERR_FILENO) < 0)
            _exit(125);
        execv(argv[0], (char *const *)(uintptr_t)argv);
        _exit(125);
    }
    return pid;
}

#define TOOL_START(...) tool_start((const char *const[]){__VA_ARGS__, NULL})

/* Wait for a program. Returns its exit status as in a shell; -1: timeout, it was killed. */
static inline int tool_wait(pid_t pid)
{
    uint64_t end = check_now_ns() + TOOL_LIMIT_MS * 1000000ull;
    int status;

    while (waitpid(pid, &status, WNOHANG) != pid) {
        if (check_now_ns() > end) {
            kill(pid, SIGKILL);
            waitpid(pid, &status, 0);
            return -1;
        }
        check_sleep_ms(2);
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

#define TOOL_RUN(...) tool_wait(TOOL_START(__VA_ARGS__))

/* Repeat a condition until it holds or the time is up. */
#define TOOL_UNTIL(cond)                                                                           \
    do {                                                                                           \
        uint64_t until_end = check_now_ns() + TOOL_LIMIT_MS * 1000000ull;                          \
        bool until_ok;                                                                             \
                                                                                                   \
        while (!(until_ok = (cond)) && check_now_ns() < until_end)                                 \
            check_sleep_ms(2);                                                                     \
        if (!check_that(until_ok, __FILE__, __LINE__, #cond))                                      \
            exit(1);                                                                               \
    } while (0)

/* A file's text, in a buffer that the next call overwrites; empty if there is none. */
static inline const char *tool_read(const char *path)
{
    static char text[65536];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    return text;
}

/* A file's size; -1 if there is none. */
static inline off_t tool_size(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 ? st.st_size : -1;
}

/* The process id in a file; 0 if there is none. */
static inline pid_t tool_pid(const char *path)
{
    return (pid_t)strtol(tool_read(path), NULL, 10);
}

static inline bool tool_alive(pid_t pid)
{
    return pid > 0 && kill(pid, 0) == 0;
}

/* Lock the whole file as a process with read permission can: by flock and by a shared OFD lock. */
static inline int tool_lock_as_reader(const char *path)
{
    struct flock all = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    REQUIRE(fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0);
    REQUIRE(fcntl(fd, F_OFD_SETLK, &all) == 0);
    return fd;
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* TIME_NS_INIT_INO of <linux/nsfs.h>, which may be older than the kernel. */
#define INITIAL_TIME_NAMESPACE 0xEFFFFFFAu

/* Hash AT_RANDOM: it is unique per exec, but secret, so it must not be published as it is. */
uint32_t achi_image(void)
{
    const void *random = (const void *)(uintptr_t)getauxval(AT_RANDOM);
    uint64_t word[2] = {0};

    if (random)
        memcpy(word, random, sizeof(word));
    word[0] = (word[0] ^ (word[0] >> 31)) * 0x9e3779b97f4a7c15ull + word[1];
    word[0] = (word[0] ^ (word[0] >> 29)) * 0xbf58476d1ce4e5b9ull;
    return (uint32_t)(word[0] >> 32);
}

/* The beginning of a file of /proc; "" if there is none. */
static void read_text(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, size - 1);

    text[n > 0 ? n : 0] = '\0';
    if (fd >= 0)
        close(fd);
}

/* Are times in /proc comparable? The kernel adds the offset of the caller's time namespace. */
static bool times_are_common(void)
{
    struct stat st;

    if (stat("/proc/self/ns/time", &st) != 0)
        return errno == ENOENT; /* no time namespaces, or no /proc */
    return st.st_ino == INITIAL_TIME_NAMESPACE;
}

/* Field 22 of a stat file. The second one is a name in parentheses, which may contain anything. */
static uint64_t start_in(const char *path)
{
    char text[1024];
    const char *at;
    int field;

    if (!times_are_common())
        return 0;
    read_text(path, text, sizeof(text));
    at = strrchr(text, ')');
    for (field = 2; at && field < 22; field++)
        at = strchr(at + 1, ' ');
    return at ? strtoull(at, NULL, 10) : 0;
}

/*
 * /proc may belong to another PID namespace; fdinfo of the pidfd has the id there. The stat file
 * of the main thread has the start of the process. An emulator of other processors (qemu-user)
 * fakes the stat file of its own process, but not those of threads.
 */
static uint64_t start_of(int pidfd)
{
    static const char label[] = "\nPid:";
    char path[64], text[1024];
    const char *at;
    long pid;

    snprintf(path, sizeof(path), "/proc/thread-self/fdinfo/%d", pidfd);
    read_text(path, text, sizeof(text));
    at = strstr(text, label);
    pid = at ? strtol(at + strlen(label), NULL, 10) : 0;
    if (pid <= 0)
        return 0;
    snprintf(path, sizeof(path), "/proc/%ld/task/%ld/stat", pid, pid);
    return start_in(path);
}

uint64_t achi_process_start(void)
{
    int fd = (int)syscall(SYS_pidfd_open, getpid(), 0);
    uint64_t start = fd < 0 ? 0 : start_of(fd);

    if (fd >= 0)
        close(fd);
    return start;
}

bool achi_process_ended(pid_t pid, uint64_t start)
{
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    struct pollfd end = {.fd = fd, .events = POLLIN};
    uint64_t found;
    bool ended;

    if (fd < 0)
        return errno == ESRCH || (errno == ENOSYS && kill(pid, 0) != 0 && errno == ESRCH);
    found = start ? start_of(fd) : 0;
    ended = poll(&end, 1, 0) == 1 || (found && found != start);
    close(fd);
    return ended;
}

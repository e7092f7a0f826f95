/* SPDX-License-Identifier: BSD-3-Clause */
/* system.c - resource limits, real-time scheduling and kernel features */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <ach.h>
#include <ach/kernel.h>

#include "doctor.h"

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif
#ifdef SYS_futex
#define FUTEX_CALL SYS_futex
#else
#define FUTEX_CALL SYS_futex_time64
#endif

#define MIB (1024ull * 1024)
#define FEW_FILES 256
#define LITTLE_LOCKED (64 * MIB)

/* Inode of the initial PID namespace, a constant of the kernel (PROC_PID_INIT_INO). */
#define FIRST_PID_NAMESPACE 0xeffffffcu

static void check_files_limit(struct report *r)
{
    struct rlimit l;

    if (getrlimit(RLIMIT_NOFILE, &l) != 0)
        return;
    if (l.rlim_cur < FEW_FILES)
        advise(found(r, LEVEL_WARNING, "open files",
                     "a process can open only %llu files, and each open channel is one",
                     (unsigned long long)l.rlim_cur),
               "raise nofile in /etc/security/limits.conf, or LimitNOFILE in the unit");
    else
        found(r, LEVEL_OK, "open files", "a process can open %llu files",
              (unsigned long long)l.rlim_cur);
}

static void check_file_size_limit(struct report *r)
{
    struct rlimit l;

    if (getrlimit(RLIMIT_FSIZE, &l) != 0)
        return;
    if (l.rlim_cur != RLIM_INFINITY)
        advise(found(r, LEVEL_WARNING, "file size",
                     "no channel created here can be larger than %llu bytes",
                     (unsigned long long)l.rlim_cur),
               "ulimit -f unlimited, or LimitFSIZE=infinity in the unit");
    else
        found(r, LEVEL_OK, "file size", "channels can be of any size");
}

static void check_locked_limit(struct report *r)
{
    struct rlimit l;

    if (getrlimit(RLIMIT_MEMLOCK, &l) != 0)
        return;
    if (l.rlim_cur != RLIM_INFINITY && l.rlim_cur < LITTLE_LOCKED && geteuid() != 0)
        advise(found(r, LEVEL_NOTE, "locked memory",
                     "a process can keep only %llu KiB from being swapped out",
                     (unsigned long long)l.rlim_cur / 1024),
               "for real-time programs raise memlock in /etc/security/limits.conf, or "
               "LimitMEMLOCK in the unit");
    else
        found(r, LEVEL_OK, "locked memory", "a process can keep its memory from being swapped out");
}

void check_limits(struct report *r)
{
    check_files_limit(r);
    check_file_size_limit(r);
    check_locked_limit(r);
}

/* Read a number from a file in /proc or /sys. */
static bool read_number(const char *path, long *value)
{
    FILE *f = fopen(path, "re");
    bool ok;

    if (!f)
        return false;
    ok = fscanf(f, "%ld", value) == 1;
    fclose(f);
    return ok;
}

static void check_runtime(struct report *r)
{
    long runtime, period;

    if (!read_number("/proc/sys/kernel/sched_rt_runtime_us", &runtime) ||
        !read_number("/proc/sys/kernel/sched_rt_period_us", &period))
        return;
    if (runtime == 0)
        advise(
            found(r, LEVEL_WARNING, "real-time share", "the kernel lets no real-time thread run"),
            "sysctl kernel.sched_rt_runtime_us=950000");
    else if (runtime > 0 && runtime < period)
        found(r, LEVEL_OK, "real-time share",
              "real-time threads may run %ld of every %ld microseconds", runtime, period);
    else
        found(r, LEVEL_OK, "real-time share", "real-time threads may run all the time");
}

void check_realtime(struct report *r)
{
    struct sched_param low = {.sched_priority = 1}, before;
    int policy = sched_getscheduler(0);

    check_runtime(r);
    if (policy < 0 || sched_getparam(0, &before) != 0)
        return;
    if (sched_setscheduler(0, SCHED_FIFO, &low) == 0) {
        sched_setscheduler(0, policy, &before);
        found(r, LEVEL_OK, "real-time priority", "you can run real-time threads");
        return;
    }
    advise(found(r, LEVEL_NOTE, "real-time priority", "you cannot run real-time threads: %s",
                 strerror(errno)),
           "if you need them, raise rtprio in /etc/security/limits.conf, or LimitRTPRIO in the "
           "unit; in a cgroup with a real-time quota, raise that");
}

static void check_release(struct report *r)
{
    struct utsname u;

    if (uname(&u) == 0)
        found(r, LEVEL_OK, "kernel", "%s %s on %s", u.sysname, u.release, u.machine);
}

static void check_waitv(struct report *r)
{
    syscall(SYS_futex_waitv, NULL, 0, 0, NULL, 0);
    if (errno == ENOSYS)
        advise(found(r, LEVEL_NOTE, "futex_waitv",
                     "the kernel cannot wait for several futexes at once; a wait for several "
                     "channels polls them"),
               "Linux 5.16 or later waits without polling");
    else
        found(r, LEVEL_OK, "futex_waitv", "the kernel can wait for several channels at once");
}

/* Run in a thread: before its first thread, a process uses no ring for private channels. */
static void *ask_mechanism(void *cx)
{
    ach_create_attr_t make;
    ach_attr_t attr;
    ach_channel_t chan;
    ach_info_t info;
    int fd;

    ach_create_attr_init(&make);
    ach_create_attr_set_map(&make, ACH_MAP_ANON);
    ach_attr_init(&attr);
    if (ach_create(NULL, 1, 1, &make) != ACH_OK)
        return NULL;
    ach_attr_set_shm(&attr, make.shm);
    if (ach_open(&chan, NULL, &attr) == ACH_OK) {
        if (ach_channel_fd(&chan, &fd) == ACH_OK && ach_channel_info(&chan, &info) == ACH_OK)
            *(enum ach_ready *)cx = info.ready;
        ach_close(&chan);
    }
    free(make.shm);
    return NULL;
}

static void check_descriptors(struct report *r)
{
    enum ach_ready ready = ACH_READY_NONE;
    pthread_t thread;

    if (pthread_create(&thread, NULL, ask_mechanism, &ready) == 0)
        pthread_join(thread, NULL);
    if (ready == ACH_READY_IO_URING)
        found(r, LEVEL_OK, "descriptors", "the kernel wakes poll and epoll, by io_uring");
    else if (ready == ACH_READY_THREAD)
        advise(found(r, LEVEL_NOTE, "descriptors",
                     "poll and epoll of a channel are woken by a helper thread per handle"),
               "Linux 6.7 or later with kernel.io_uring_disabled=0 needs no helper thread");
    else
        advise(
            found(r, LEVEL_WARNING, "descriptors", "channels cannot have descriptors to poll here"),
            "unset ACH_FD, or raise nofile in /etc/security/limits.conf");
}

static void check_pi(struct report *r)
{
    uint32_t word = 0;

    if (syscall(FUTEX_CALL, &word, FUTEX_LOCK_PI, 0, NULL, NULL, 0) == 0) {
        syscall(FUTEX_CALL, &word, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0);
        found(r, LEVEL_OK, "PI futexes", "writers inherit priority from each other");
        return;
    }
    advise(found(r, LEVEL_WARNING, "PI futexes", "writers cannot inherit priority: %s",
                 strerror(errno)),
           "use a kernel with CONFIG_FUTEX_PI");
}

static void check_namespace(struct report *r)
{
    struct stat st;

    if (stat("/proc/self/ns/pid", &st) != 0)
        found(r, LEVEL_NOTE, "PID namespace", "unknown: there is no /proc/self/ns/pid");
    else if (st.st_ino != FIRST_PID_NAMESPACE)
        advise(found(r, LEVEL_NOTE, "PID namespace",
                     "this process is in a PID namespace of its own, as in a container: it can put "
                     "only into channels that were created there, but can get from all channels"),
               "to put across containers, share the PID namespace");
    else
        found(r, LEVEL_OK, "PID namespace",
              "this process is in the initial namespace, that of the whole system");
}

static enum ach_status count(void *cx, const char *name, enum ach_map map)
{
    (void)name;
    *(unsigned *)cx += map == ACH_MAP_KERNEL;
    return ACH_OK;
}

static void check_module(struct report *r)
{
    unsigned n = 0;

    ach_list(count, &n);
    if (access(ACH_KERNEL_CONTROL, R_OK | W_OK) == 0)
        found(r, LEVEL_OK, "module", "kernel channels can be created; there are %u", n);
    else if (errno == EACCES)
        advise(
            found(r, LEVEL_NOTE, "module", "you may not create kernel channels; there are %u", n),
            "become a member of the group of %s: as root, 'adduser USER ach'", ACH_KERNEL_CONTROL);
    else
        advise(found(r, LEVEL_NOTE, "module",
                     "there are no kernel channels: the module is not loaded"),
               "if you need them, 'modprobe ach'; 'man 4 ach' explains how to install the module");
}

void check_kernel(struct report *r)
{
    check_release(r);
    check_waitv(r);
    check_descriptors(r);
    check_pi(r);
    check_namespace(r);
    check_module(r);
}

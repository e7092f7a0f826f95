/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * oldkernel.c - run a program as on a kernel that lacks optional features
 *
 * usage: oldkernel PROFILE PROGRAM [ARGUMENT...]
 *
 *   5.10   no futex_waitv, no FUTEX_LOCK_PI2
 *   bare   also no PI futexes, robust lists, O_TMPFILE and io_uring; FUTEX_WAKE_OP gives EPERM
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SKIPPED 77
#define FUTEX_COMMAND 0x7f

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define LOW_WORD(n) (offsetof(struct seccomp_data, args) + 8 * (n))
#define LOAD_ARG(n) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, LOW_WORD(n))
#define REFUSE(e) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (e))
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
/* If the loaded word is k, run the next instruction; else skip it. */
#define IF(k) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (k), 0, 1)

static struct sock_filter filter_5_10[] = {
    LOAD(nr),
    IF(SYS_futex_waitv),
    REFUSE(ENOSYS),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_futex, 0, 4),
    LOAD_ARG(1),
    BPF_STMT(BPF_ALU | BPF_AND | BPF_K, FUTEX_COMMAND),
    IF(FUTEX_LOCK_PI2),
    REFUSE(ENOSYS),
    ALLOW,
};

static struct sock_filter filter_bare[] = {
    LOAD(nr),
    IF(SYS_futex_waitv),
    REFUSE(ENOSYS),
    IF(SYS_get_robust_list),
    REFUSE(ENOSYS),
    IF(SYS_io_uring_setup),
    REFUSE(ENOSYS),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 5),
    LOAD_ARG(2),
    BPF_STMT(BPF_ALU | BPF_AND | BPF_K, O_TMPFILE),
    IF(O_TMPFILE),
    REFUSE(EOPNOTSUPP),
    LOAD(nr),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_futex, 0, 10),
    LOAD_ARG(1),
    BPF_STMT(BPF_ALU | BPF_AND | BPF_K, FUTEX_COMMAND),
    IF(FUTEX_LOCK_PI2),
    REFUSE(ENOSYS),
    IF(FUTEX_LOCK_PI),
    REFUSE(ENOSYS),
    IF(FUTEX_UNLOCK_PI),
    REFUSE(ENOSYS),
    IF(FUTEX_WAKE_OP),
    REFUSE(EPERM),
    ALLOW,
};

static int install(struct sock_filter *filter, size_t n)
{
    struct sock_fprog program = {.len = (unsigned short)n, .filter = filter};

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -1;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv)
{
    int r = -2;

    if (argc >= 3 && strcmp(argv[1], "5.10") == 0)
        r = install(filter_5_10, sizeof(filter_5_10) / sizeof(filter_5_10[0]));
    else if (argc >= 3 && strcmp(argv[1], "bare") == 0)
        r = install(filter_bare, sizeof(filter_bare) / sizeof(filter_bare[0]));
    if (r == -2) {
        fprintf(stderr, "usage: oldkernel 5.10|bare PROGRAM [ARGUMENT...]\n");
        return 2;
    }
    if (r != 0) {
        printf("skipped: this system has no seccomp filters: %s\n", strerror(errno));
        return SKIPPED;
    }
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    return 127;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * serve.c - a server that runs as a given user
 *
 * serve UID CONFIG_TEXT [no-channels] [no-netlink]
 *
 * Prints "port N" once it serves, and exits at the end of its standard input. The user is changed
 * after all libraries are loaded, so that the tree need not be readable by that user.
 */
#include <ach.h>
#include <ach/channel.h>
#include <ach/drivers.h>
#include <ach/tcp.h>
#include <errno.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pwd.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int fail(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, ach_errstr());
    return 2;
}

static bool become(uid_t uid)
{
    const struct passwd *p = getpwuid(uid);

    return p && initgroups(p->pw_name, p->pw_gid) == 0 &&
           setresgid(p->pw_gid, p->pw_gid, p->pw_gid) == 0 && setresuid(uid, uid, uid) == 0;
}

/* Make AF_NETLINK sockets fail, as in a sandbox without them. */
static bool forbid_netlink(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_NETLINK, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAFNOSUPPORT),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 &&
           socket(AF_NETLINK, SOCK_RAW, 0) < 0;
}

static bool has(int argc, char **argv, const char *word)
{
    int i;

    for (i = 3; i < argc; i++)
        if (strcmp(argv[i], word) == 0)
            return true;
    return false;
}

int main(int argc, char **argv)
{
    ach_robot_attr_t attr = {.size = sizeof(attr), .level = ACH_LOG_INFO};
    void *tcp, *channels = NULL;
    ach_config_t *config;
    ach_robot_t *robot;
    char c;

    if (argc < 3 || !become((uid_t)atoi(argv[1])))
        return fail("user");
    if (has(argc, argv, "no-netlink") && !forbid_netlink())
        return fail("seccomp");
    umask(022);
    if (ach_config_parse(argv[2], strlen(argv[2]), "test", &config) != ACH_OK ||
        ach_robot_create(&attr, &robot) != ACH_OK)
        return fail("config");
    ach_drivers_add(robot);
    if (ach_robot_load_config(robot, config) != ACH_OK || ach_robot_start(robot) != ACH_OK)
        return fail("robot");
    if (!has(argc, argv, "no-channels") &&
        ach_transport_channel.serve(robot, NULL, &channels) != ACH_OK)
        return fail("channels");
    if (ach_transport_tcp.serve(robot, ach_section_next(ach_config_root(config), "tcp", NULL),
                                &tcp) != ACH_OK) {
        if (channels)
            ach_transport_channel.end(channels);
        return fail("server");
    }
    printf("port %u\n", ach_tcp_port(tcp));
    fflush(stdout);
    while (read(0, &c, 1) > 0)
        ;
    ach_transport_tcp.end(tcp);
    if (channels)
        ach_transport_channel.end(channels);
    ach_robot_destroy(robot);
    ach_config_destroy(config);
    return 0;
}

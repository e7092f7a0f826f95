/* SPDX-License-Identifier: BSD-3-Clause */
/* A process in a control group with memory.max cannot create more channels than fit into that. */
#include "device.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

#define NAME "test-cgroup"
#define ROOT "/tmp/test-cgroup"
#define GROUP ROOT "/ach"
#define MAXIMUM (64ul << 20)
#define CHANNELS 64
#define FRAME_SIZE (2u << 20) /* a channel takes more than twice that */

static bool tell(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

    if (fd >= 0)
        close(fd);
    return ok;
}

/* The number that follows a word in a file; the word may be empty. */
static unsigned long ask(const char *path, const char *word)
{
    unsigned long n = 0;
    bool found = false;
    char line[128];
    FILE *f = fopen(path, "r");

    REQUIRE(f != NULL);
    while (!found && fgets(line, sizeof(line), f))
        found =
            strncmp(line, word, strlen(word)) == 0 && sscanf(line + strlen(word), "%lu", &n) == 1;
    fclose(f);
    REQUIRE(found);
    return n;
}

static void make_group(void)
{
    char text[32];

    REQUIRE(unshare(CLONE_NEWNS) == 0);
    REQUIRE(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0);
    REQUIRE(mkdir(ROOT, 0700) == 0 || errno == EEXIST);
    if (mount("none", ROOT, "cgroup2", 0, NULL) != 0 ||
        !tell(ROOT "/cgroup.subtree_control", "+memory"))
        check_skip("this kernel has no control groups for memory");
    REQUIRE(mkdir(GROUP, 0700) == 0);
    snprintf(text, sizeof(text), "%lu", MAXIMUM);
    REQUIRE(tell(GROUP "/memory.max", text));
}

static void name_of(char name[64], int i)
{
    snprintf(name, 64, NAME "-%d", i);
}

/* As root, to whom the module's own limits do not apply. */
static void take_all(void *arg)
{
    struct ach_kernel_info info = {0};
    int control, fd, i, r = 0;
    char name[64];

    (void)arg;
    REQUIRE(tell(GROUP "/cgroup.procs", "0"));
    control = device_control();
    for (i = 0; i < CHANNELS && r == 0; i++) {
        struct ach_kernel_create wish;

        name_of(name, i);
        wish = device_wish(name, 1, FRAME_SIZE);
        r = ioctl(control, ACH_KERNEL_CREATE, &wish);
    }
    CHECK_ERRNO(r, ENOMEM);
    i--; /* the number that were made */
    CHECK(i >= 2);
    name_of(name, 0);
    fd = device_must_open(name, O_RDONLY);
    CHECK(ioctl(fd, ACH_KERNEL_INFO, &info) == 0);
    close(fd);
    CHECK(info.memory * (unsigned)i <= MAXIMUM);
    CHECK(ask(GROUP "/memory.current", "") >= info.memory * (unsigned)i);
    printf("%d channels of %lu KiB fit into %lu KiB\n", i, (unsigned long)(info.memory >> 10),
           MAXIMUM >> 10);
}

/* The memory charged to the group is released, after a short delay. */
static bool comes_back(void)
{
    int i;

    for (i = 0; i < 3000; i++) {
        if (ask(GROUP "/memory.current", "") < FRAME_SIZE)
            return true;
        check_sleep_ms(10);
    }
    return false;
}

int main(void)
{
    int control = device_control(), i;
    char name[64];

    if (geteuid() != 0)
        check_skip("making control groups needs root");
    make_group();
    CHECK(check_child(device_fork(take_all, NULL), 120000));
    CHECK(ask(GROUP "/memory.events", "oom_kill ") == 0);
    for (i = 0; i < CHANNELS; i++) {
        name_of(name, i);
        device_unlink(control, name);
    }
    CHECK(comes_back());
    CHECK(rmdir(GROUP) == 0);
    CHECK(umount(ROOT) == 0 && rmdir(ROOT) == 0);
    return check_result();
}

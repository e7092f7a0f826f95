/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many users create all the channels they can, with the default limits of the module. All
 * channels together stay within max_bytes, and the machine still has memory.
 */
#include "device.h"

#define NAME "test-crowd"
#define FIRST_UID 20000
#define USERS 8
#define CHANNELS_PER_USER 17

static void name_of(char name[64], int uid, int i)
{
    snprintf(name, 64, NAME "-%d-%d", uid, i);
}

static unsigned long number_in(const char *path, const char *format)
{
    unsigned long n = 0;
    bool found = false;
    char line[256];
    FILE *f = fopen(path, "r");

    REQUIRE(f != NULL);
    while (!found && fgets(line, sizeof(line), f))
        found = sscanf(line, format, &n) == 1;
    fclose(f);
    REQUIRE(found);
    return n;
}

static unsigned long parameter(const char *name)
{
    char path[128];

    snprintf(path, sizeof(path), "/sys/module/ach/parameters/%s", name);
    return number_in(path, "%lu");
}

static void take_all(void *arg)
{
    int uid = *(int *)arg, control, i;
    /* A channel takes more than twice the bytes of its messages. */
    uint64_t size = parameter("max_user_bytes") / CHANNELS_PER_USER / 3;

    REQUIRE(setgid((gid_t)uid) == 0 && setuid((uid_t)uid) == 0);
    control = device_control();
    for (i = 0; i < CHANNELS_PER_USER; i++) {
        struct ach_kernel_create wish;
        char name[64];

        name_of(name, uid, i);
        wish = device_wish(name, 1, size);
        if (ioctl(control, ACH_KERNEL_CREATE, &wish) != 0) {
            CHECK(errno == ENOSPC || errno == EDQUOT || errno == ENOMEM);
            break;
        }
    }
}

/* Remove the channels. Returns the sum of their bytes. */
static uint64_t release_all(int control)
{
    uint64_t sum = 0;
    int uid, i;

    for (uid = FIRST_UID; uid < FIRST_UID + USERS; uid++)
        for (i = 0; i < CHANNELS_PER_USER; i++) {
            struct ach_kernel_info info = {0};
            char name[64];
            int fd;

            name_of(name, uid, i);
            fd = device_open(name, O_RDONLY);
            if (fd < 0)
                continue;
            CHECK(ioctl(fd, ACH_KERNEL_INFO, &info) == 0);
            sum += info.memory;
            close(fd);
            CHECK(device_unlink(control, name) == 0);
        }
    return sum;
}

int main(void)
{
    int control = device_control(), uid;
    unsigned long limit, memory, available;
    uint64_t sum;

    if (geteuid() != 0)
        check_skip("becoming other users needs root");
    limit = parameter("max_bytes");
    memory = number_in("/proc/meminfo", "MemTotal: %lu kB") * 1024;
    CHECK(limit > memory / 8 && limit < memory / 2);
    for (uid = FIRST_UID; uid < FIRST_UID + USERS; uid++)
        CHECK(check_child(device_fork(take_all, &uid), 120000));
    available = number_in("/proc/meminfo", "MemAvailable: %lu kB") * 1024;
    sum = release_all(control);
    printf("%lu MiB of memory: %lu MiB granted, %lu MiB are the limit, %lu MiB were left\n",
           memory >> 20, (unsigned long)(sum >> 20), limit >> 20, available >> 20);
    CHECK(sum <= limit);
    CHECK(sum > limit / 2);
    CHECK(available > memory / 4);
    return check_result();
}

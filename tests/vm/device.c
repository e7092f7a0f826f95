/* SPDX-License-Identifier: BSD-3-Clause */
/* device.c - the module and its channels, without libach */
#include "device.h"

#include "check.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#define MODULE "ach"
#define MODULE_FILE "/lib/ach.ko"

int device_control(void)
{
    return open(ACH_KERNEL_CONTROL, O_RDWR | O_CLOEXEC);
}

/* Say one thing to the control device. */
static int control(unsigned long number, void *arg)
{
    int fd = device_control(), r, e;

    if (fd < 0)
        return -1;
    r = ioctl(fd, number, arg);
    e = errno;
    close(fd);
    errno = e;
    return r;
}

int device_create(const char *name, uint64_t frame_cnt, uint64_t frame_size, uint32_t flags)
{
    struct ach_kernel_create c = {.frame_cnt = frame_cnt,
                                  .frame_size = frame_size,
                                  .flags = flags,
                                  .clock = CLOCK_MONOTONIC,
                                  .mode = 0666};

    snprintf(c.name, sizeof(c.name), "%s", name);
    return control(ACH_KERNEL_CREATE, &c);
}

int device_unlink(const char *name)
{
    struct ach_kernel_name n = {0};

    snprintf(n.name, sizeof(n.name), "%s", name);
    return control(ACH_KERNEL_UNLINK, &n);
}

int device_open(const char *name, int flags)
{
    char path[sizeof(ACH_KERNEL_PREFIX) + ACH_KERNEL_NAME_MAX];

    snprintf(path, sizeof(path), "%s%s", ACH_KERNEL_PREFIX, name);
    return open(path, flags | O_CLOEXEC);
}

unsigned device_unlink_all(void)
{
    const char *prefix = &ACH_KERNEL_PREFIX[strlen("/dev/")];
    DIR *d = opendir("/dev");
    unsigned kept = 0;
    struct dirent *e;

    REQUIRE(d != NULL);
    while ((e = readdir(d)))
        if (strncmp(e->d_name, prefix, strlen(prefix)) == 0)
            kept += device_unlink(e->d_name + strlen(prefix)) != 0 && errno != ENOENT;
    closedir(d);
    return kept;
}

bool module_loaded(void)
{
    return access(ACH_KERNEL_CONTROL, F_OK) == 0;
}

int module_load(void)
{
    int fd = open(MODULE_FILE, O_RDONLY | O_CLOEXEC), r;

    if (fd < 0)
        return -1;
    r = (int)syscall(SYS_finit_module, fd, "", 0);
    close(fd);
    return r;
}

int module_unload(void)
{
    return (int)syscall(SYS_delete_module, MODULE, O_NONBLOCK);
}

int module_unload_soon(long limit_ms)
{
    uint64_t end = check_now_ns() + (uint64_t)limit_ms * 1000000u;
    int r;

    while ((r = module_unload()) != 0 && check_now_ns() < end)
        check_sleep_ms(10);
    return r;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "module.h"

#include <dirent.h>
#include <sys/syscall.h>

#define MODULE "ach"
#define MODULE_FILE "/lib/ach.ko"

/* Close the control device after an ioctl. Preserves errno. */
static int done(int control, int r)
{
    int e = errno;

    if (control >= 0)
        close(control);
    errno = e;
    return r;
}

int channel_create(const char *name, uint64_t frame_cnt, uint64_t frame_size, uint32_t flags)
{
    struct ach_kernel_create wish = device_wish(name, frame_cnt, frame_size);
    int control = device_try_control();

    wish.flags = flags;
    wish.mode = 0666;
    return done(control, control < 0 ? -1 : ioctl(control, ACH_KERNEL_CREATE, &wish));
}

int channel_unlink(const char *name)
{
    int control = device_try_control();

    return done(control, control < 0 ? -1 : device_unlink(control, name));
}

unsigned channel_unlink_all(void)
{
    const char *prefix = &ACH_KERNEL_PREFIX[strlen("/dev/")];
    DIR *d = opendir("/dev");
    unsigned kept = 0;
    struct dirent *e;

    REQUIRE(d != NULL);
    while ((e = readdir(d)))
        if (strncmp(e->d_name, prefix, strlen(prefix)) == 0)
            kept += channel_unlink(e->d_name + strlen(prefix)) != 0 && errno != ENOENT;
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
    r = (int)syscall(SYS_finit_module, fd, "control_mode=0666", 0);
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

/* SPDX-License-Identifier: BSD-3-Clause */
/* kernel.c - create, open, close and unlink kernel channels */
#include "kernel.h"

#include <ach/kernel.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "error.h"
#include "file.h"
#include "name.h"
#include "type.h"

#define MODE 0666u
#define OPEN_FLAGS (O_NOFOLLOW | O_NOCTTY | O_CLOEXEC)
#define PATH_SIZE (sizeof(ACH_KERNEL_PREFIX) + ACH_KERNEL_NAME_MAX)

_Static_assert(ACH_KERNEL_NAME_MAX == ACH_CHAN_NAME_MAX, "a name fits everywhere");

static void device_path(char path[PATH_SIZE], const char *name)
{
    snprintf(path, PATH_SIZE, "%s%s", ACH_KERNEL_PREFIX, name);
}

bool achi_kernel_exists(const char *name)
{
    char path[PATH_SIZE];
    struct stat st;

    device_path(path, name);
    return lstat(path, &st) == 0;
}

/* Does the error mean that there is no such device, or no module behind it? */
static bool no_device(int e)
{
    return e == ENOENT || e == ENXIO || e == ENODEV;
}

static enum ach_status no_module(void)
{
    return achi_fail(ACH_ENOTSUP,
                     "this system has no kernel channels: there is no %s; load the "
                     "module with 'modprobe ach', or see 'man 4 ach' to install it",
                     ACH_KERNEL_CONTROL);
}

/* The control device could not be opened. */
static enum ach_status no_control(void)
{
    if (errno == EACCES || errno == EPERM)
        return achi_fail_errno("cannot open %s: members of its group (usually 'ach') may "
                               "create and remove kernel channels",
                               ACH_KERNEL_CONTROL);
    return achi_fail_errno("cannot open %s", ACH_KERNEL_CONTROL);
}

enum ach_status achi_kernel_none(const char *name)
{
    if (access(ACH_KERNEL_CONTROL, F_OK) != 0)
        return no_module();
    return achi_fail(ACH_ENOENT, "there is no kernel channel '%s' (no device %s%s)", name,
                     ACH_KERNEL_PREFIX, name);
}

static int open_control(void)
{
    return achi_high_fd(open(ACH_KERNEL_CONTROL, O_RDWR | OPEN_FLAGS));
}

/* Call the control device. 0, or -1 with errno. */
static int control(int fd, unsigned long request, const void *argument)
{
    int r, saved;

    do
        r = ioctl(fd, request, argument);
    while (r != 0 && errno == EINTR);
    saved = errno;
    close(fd);
    errno = saved;
    return r;
}

/* The umask. umask(2) must change it to return it: 0777 then errs on the side of less access. */
static mode_t creation_mask(void)
{
    FILE *f = fopen("/proc/self/status", "re");
    char line[256];
    unsigned mask;
    bool found = false;

    while (f && !found && fgets(line, sizeof(line), f))
        found = sscanf(line, "Umask: %o", &mask) == 1;
    if (f)
        fclose(f);
    if (!found) {
        mask = umask(0777);
        umask(mask);
    }
    return mask;
}

static uint32_t kernel_flags_of(const ach_create_attr_t *attr)
{
    uint32_t flags = 0;

    if (attr->timestamps)
        flags |= ACH_KERNEL_TIMESTAMPS;
    if (attr->single_writer)
        flags |= ACH_KERNEL_SINGLE_WRITER;
    if (attr->truncate)
        flags |= ACH_KERNEL_REPLACE;
    return flags;
}

static enum ach_status create_failed(const char *name, const struct achi_geometry *g)
{
    switch (errno) {
    case EEXIST:
        return achi_fail(ACH_EEXIST, "channel '%s' exists already", name);
    case EINVAL:
        return achi_fail(ACH_EINVAL, "no kernel channel can have %llu frames of %llu bytes",
                         (unsigned long long)g->frame_cnt, (unsigned long long)g->frame_size);
    case ENOTTY:
        return achi_fail(ACH_ENOTSUP, "the kernel module is of a release without types");
    default:
        return achi_fail_errno("cannot create kernel channel '%s' of %llu bytes", name,
                               (unsigned long long)g->memory);
    }
}

/* Closes the control device. 0, or -1 with errno. */
static int create_device(int fd, const struct ach_kernel_create *c, const ach_channel_type_t *type)
{
    struct ach_kernel_create_typed typed = {.create = *c};
    unsigned char *bytes;
    int r;

    if (!type)
        return control(fd, ACH_KERNEL_CREATE, c);
    bytes = malloc(c->type_size);
    if (!bytes) {
        close(fd);
        return -1;
    }
    achi_type_pack(bytes, type);
    typed.type = (uintptr_t)bytes;
    r = control(fd, ACH_KERNEL_CREATE_TYPED, &typed);
    free(bytes);
    return r;
}

enum ach_status achi_kernel_create(const char *name, const struct achi_geometry *g,
                                   const ach_create_attr_t *attr, clockid_t clock)
{
    struct ach_kernel_create c = {.frame_cnt = g->frame_cnt,
                                  .frame_size = g->frame_size,
                                  .flags = kernel_flags_of(attr),
                                  .clock = clock,
                                  .type_size = g->type_size};
    char path[PATH_MAX];
    struct stat st;
    enum ach_status r = achi_name_path(name, path);
    int fd;

    if (r != ACH_OK)
        return r;
    if (attr->relayed)
        return achi_fail(ACH_ENOTSUP, "a kernel channel has no room for origins");
    if (attr->anticipated)
        return achi_fail(ACH_ENOTSUP, "puts into a kernel channel are system calls in any case");
    fd = open_control();
    if (fd < 0)
        return no_device(errno) ? no_module() : no_control();
    if (!ACH_KERNEL_CLOCK_KNOWN(clock))
        r = achi_fail(ACH_EINVAL, "a kernel channel cannot use clock %d", (int)clock);
    else if (lstat(path, &st) == 0)
        r = achi_fail(ACH_EEXIST, "channel '%s' exists already, in shared memory", name);
    if (r != ACH_OK) {
        close(fd);
        return r;
    }
    strcpy(c.name, name);
    c.mode = attr->set_mode ? attr->mode : MODE & ~creation_mask();
    return create_device(fd, &c, attr->type) == 0 ? ACH_OK : create_failed(name, g);
}

enum ach_status achi_kernel_unlink(const char *name)
{
    struct ach_kernel_name n = {{0}};
    int fd = open_control();

    if (fd < 0) {
        if (no_device(errno) || !achi_kernel_exists(name))
            return ACH_ENOENT;
        return no_control();
    }
    strcpy(n.name, name);
    if (control(fd, ACH_KERNEL_UNLINK, &n) == 0)
        return ACH_OK;
    return errno == ENOENT ? ACH_ENOENT
                           : achi_fail_errno("cannot remove kernel channel '%s'", name);
}

/* Map the channel's memory and check it. The module wrote the header, maybe in another release. */
static enum ach_status map_device(struct achi_handle *h, int fd, const char *path)
{
    struct ach_kernel_info info;
    struct achi_geometry g = {0};
    struct ach_header copy;
    struct ach_header *base;
    enum ach_status r;

    if (ioctl(fd, ACH_KERNEL_INFO, &info) != 0)
        return achi_fail(ACH_BAD_SHM_FILE, "%s is not a channel", path);
    if (info.memory < sizeof(copy) || info.memory > SIZE_MAX / 2) {
        errno = ENOMEM;
        return achi_fail_errno("a channel of %llu bytes cannot be mapped",
                               (unsigned long long)info.memory);
    }
    base = mmap(NULL, (size_t)info.memory, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0);
    if (base == MAP_FAILED)
        return achi_fail_errno("cannot map %s", path);
    memcpy(&copy, base, sizeof(copy));
    r = achi_geometry_check(&g, &copy, info.memory, (uint32_t)sysconf(_SC_PAGESIZE));
    if (r != ACH_OK || (g.flags & ACHI_F_MIRRORED) || !achi_clock_usable(copy.clock)) {
        munmap(base, (size_t)info.memory);
        return achi_fail(r == ACH_OK ? ACH_BAD_SHM_FILE : r,
                         "%s has another layout: the module is from another release of Ach", path);
    }
    achi_view_init(&h->view, base, &g, copy.clock);
    h->span = (size_t)g.span;
    h->memory = g.memory;
    h->frame_size = g.frame_size;
    h->type_off = g.type_off;
    h->type_size = g.type_size;
    return ACH_OK;
}

enum ach_status achi_kernel_open(struct achi_handle *h, const char *name, bool readonly)
{
    char path[PATH_SIZE];
    enum ach_status r;
    int fd;

    device_path(path, name);
    fd = achi_open_either(path, OPEN_FLAGS, &readonly);
    if (fd < 0)
        return no_device(errno) ? ACH_ENOENT : achi_fail_errno("cannot open %s", path);
    r = map_device(h, fd, path);
    if (r != ACH_OK) {
        close(fd);
        return r;
    }
    h->map = ACH_MAP_KERNEL;
    h->readonly = readonly;
    h->fd = fd;
    h->fd_owner = achi_thread()->process;
    return ACH_OK;
}

void achi_kernel_close(struct achi_handle *h)
{
    munmap(h->view.hdr, h->span);
    close(h->fd);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* list.c - the channels that have a name */
#include <ach/kernel.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "name.h"

#define DEVICE_DIR "/dev"

/* The prefix of a device in DEVICE_DIR before the channel's name. */
static const char *device_prefix(void)
{
    return &ACH_KERNEL_PREFIX[sizeof(DEVICE_DIR)];
}

/* The channels of one kind. */
struct list_kind {
    enum ach_map map;
    size_t prefix; /* length of the prefix before a name */
    struct dirent **found;
    int n, next;
};

static int named(const struct dirent *e, const char *prefix)
{
    const size_t len = strlen(prefix);

    return strncmp(e->d_name, prefix, len) == 0 && achi_name_check(e->d_name + len) == ACH_OK;
}

static int is_file(const struct dirent *e)
{
    return named(e, ACHI_FILE_PREFIX);
}

static int is_device(const struct dirent *e)
{
    return named(e, device_prefix()) && (e->d_type == DT_CHR || e->d_type == DT_UNKNOWN);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static const char *next_name(const struct list_kind *k)
{
    return k->next < k->n ? k->found[k->next]->d_name + k->prefix : NULL;
}

/* The kind whose next name comes first, or NULL. */
static struct list_kind *first(struct list_kind *a, struct list_kind *b)
{
    const char *x = next_name(a), *y = next_name(b);

    if (!x)
        return y ? b : NULL;
    return y && strcmp(y, x) < 0 ? b : a;
}

static enum ach_status call_for_all(struct list_kind *files, struct list_kind *devices,
                                    ach_list_fun *fun, void *cx)
{
    enum ach_status r = ACH_OK;
    struct list_kind *k;

    while ((k = first(files, devices)) != NULL) {
        if (r == ACH_OK)
            r = fun(cx, next_name(k), k->map);
        free(k->found[k->next++]);
    }
    return r;
}

enum ach_status ach_list(ach_list_fun *fun, void *cx)
{
    struct list_kind files = {.map = ACH_MAP_USER, .prefix = strlen(ACHI_FILE_PREFIX)};
    struct list_kind devices = {.map = ACH_MAP_KERNEL, .prefix = strlen(device_prefix())};
    enum ach_status r;

    if (!fun)
        return achi_fail(ACH_EINVAL, "ach_list needs a function to call");
    files.n = scandir(achi_name_dir(), &files.found, is_file, by_name);
    if (files.n < 0)
        return achi_fail_errno("cannot list %s", achi_name_dir());
    devices.n = scandir(DEVICE_DIR, &devices.found, is_device, by_name);
    r = call_for_all(&files, &devices, fun, cx);
    free(files.found);
    free(devices.found);
    return r;
}

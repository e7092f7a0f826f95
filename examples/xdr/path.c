/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * path.c - XDR without a copy, with the library of Sun RPC
 *
 * path put X,Y...   encodes the points straight into a reservation in the channel "path"
 * path get          decodes them straight from a view of the newest message
 *
 * One function, xdr_path, describes the message for both directions. Each number has a fixed
 * size and byte order, so programs on any machine agree.
 */
#include <ach.h>
#include <rpc/xdr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHANNEL "path"
#define POINTS_MAX 100

struct point {
    double x, y;
};

struct path {
    u_int count;
    struct point points[POINTS_MAX];
};

static bool_t xdr_point(XDR *xdr, struct point *p)
{
    return xdr_double(xdr, &p->x) && xdr_double(xdr, &p->y);
}

/* The count is checked here, so a forged message cannot write beyond the array. */
static bool_t xdr_path(XDR *xdr, struct path *path)
{
    if (!xdr_u_int(xdr, &path->count) || path->count > POINTS_MAX)
        return FALSE;
    for (u_int i = 0; i < path->count; i++)
        if (!xdr_point(xdr, &path->points[i]))
            return FALSE;
    return TRUE;
}

static int fail(const char *what)
{
    fprintf(stderr, "path: %s\n", what);
    return 1;
}

/* The channel has a single writer, so the reservation is in its memory. */
static int put(const struct path *path)
{
    ach_create_attr_t create;
    ach_channel_t chan;
    ach_status_t r;
    ach_attr_t attr;
    void *room;
    XDR xdr;

    ach_create_attr_init(&create);
    ach_create_attr_set_single_writer(&create, 1);
    r = ach_create(CHANNEL, 8, 2048, &create);
    if (r != ACH_OK && r != ACH_EEXIST)
        return fail(ach_errstr());
    ach_attr_init(&attr);
    ach_attr_set_lock_source(&attr, 1);
    if (ach_open(&chan, CHANNEL, &attr) != ACH_OK)
        return fail(ach_errstr());
    r = ach_reserve(&chan, 2048, &room);
    if (r == ACH_OK) {
        xdrmem_create(&xdr, room, 2048, XDR_ENCODE);
        r = xdr_path(&xdr, (struct path *)path) ? ach_commit(&chan, xdr_getpos(&xdr)) : ACH_EINVAL;
    }
    ach_close(&chan);
    return r == ACH_OK ? 0 : fail(ach_result_to_string(r));
}

static int get(void)
{
    const struct timespec limit = {.tv_sec = 2};
    struct path path;
    ach_channel_t chan;
    const void *bytes;
    ach_status_t r;
    size_t size;
    bool_t good;
    XDR xdr;

    if (ach_open(&chan, CHANNEL, NULL) != ACH_OK)
        return fail(ach_errstr());
    do {
        r = ach_view(&chan, &bytes, &size, &limit, ACH_O_WAIT | ACH_O_LAST | ACH_O_RELTIME);
        if (!ach_status_match(r, ACH_MASK_OK | ACH_MASK_MISSED_FRAME))
            return fail(ach_result_to_string(r));
        xdrmem_create(&xdr, (char *)bytes, (u_int)size, XDR_DECODE);
        good = xdr_path(&xdr, &path);
        r = ach_view_check(&chan); /* ACH_EAGAIN: a writer has overwritten the message */
    } while (r == ACH_EAGAIN);
    ach_close(&chan);
    if (!good)
        return fail("the message is not a path");
    for (u_int i = 0; i < path.count; i++)
        printf("%g,%g\n", path.points[i].x, path.points[i].y);
    return 0;
}

int main(int argc, char **argv)
{
    struct path path = {0};

    if (argc == 2 && strcmp(argv[1], "get") == 0)
        return get();
    if (argc < 3 || strcmp(argv[1], "put") != 0 || argc - 2 > POINTS_MAX) {
        fprintf(stderr, "usage: path put X,Y... | path get\n");
        return 2;
    }
    for (; path.count < (u_int)argc - 2; path.count++)
        if (sscanf(argv[path.count + 2], "%lf,%lf", &path.points[path.count].x,
                   &path.points[path.count].y) != 2)
            return fail("a point is X,Y");
    return put(&path);
}

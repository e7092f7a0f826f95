/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * xdr.c - encoding and decoding beside libtirpc's XDR
 *
 * A laser scan of 1000 rays, odometry, and a list of poses, each as the tables
 * of libachxdr do it and as code that calls libtirpc's xdr_* functions, one for
 * each field, as rpcgen makes it. Both must give the same bytes. Prints the best
 * of several rounds, in nanoseconds for one body.
 */
#include <ach/interfaces.h>
#include <rpc/xdr.h>
#include <stdlib.h>
#include <string.h>

#include "monotonic.h"

#define ROUNDS 15
#define RAYS 1000u
#define POSES 100u

struct subject {
    const char *name;
    const ach_type_t *type;
    const void *body;
    bool_t (*xdr)(XDR *, void *);
    unsigned turns;
};

static uint8_t bytes[100000];
static size_t size;

static bool_t xdr_scan(XDR *x, void *body)
{
    ach_laser_data_t *d = body;

    return xdr_float(x, &d->min_angle) && xdr_float(x, &d->max_angle) &&
           xdr_float(x, &d->resolution) && xdr_float(x, &d->max_range) &&
           xdr_u_int(x, &d->ranges_count) &&
           xdr_array(x, (char **)&d->ranges, &d->ranges_count, ACH_LASER_DATA_RANGES_MAX,
                     sizeof(float), (xdrproc_t)xdr_float) &&
           xdr_u_int(x, &d->intensity_count) &&
           xdr_bytes(x, (char **)&d->intensity, &d->intensity_count,
                     ACH_LASER_DATA_INTENSITY_MAX) &&
           xdr_u_int(x, &d->id);
}

static bool_t xdr_pose2d(XDR *x, ach_pose2d_t *p)
{
    return xdr_double(x, &p->px) && xdr_double(x, &p->py) && xdr_double(x, &p->pa);
}

static bool_t xdr_odometry(XDR *x, void *body)
{
    ach_position2d_data_t *d = body;

    return xdr_pose2d(x, &d->pos) && xdr_pose2d(x, &d->vel) && xdr_u_char(x, &d->stall);
}

static bool_t xdr_pose3d(XDR *x, ach_pose3d_t *p)
{
    return xdr_double(x, &p->px) && xdr_double(x, &p->py) && xdr_double(x, &p->pz) &&
           xdr_double(x, &p->proll) && xdr_double(x, &p->ppitch) && xdr_double(x, &p->pyaw);
}

static bool_t xdr_poses(XDR *x, void *body)
{
    ach_sonar_geom_t *d = body;

    return xdr_u_int(x, &d->poses_count) &&
           xdr_array(x, (char **)&d->poses, &d->poses_count, ACH_SONAR_GEOM_POSES_MAX,
                     sizeof(ach_pose3d_t), (xdrproc_t)xdr_pose3d);
}

/* Make a variable known to somebody who might use it. */
static void keep(const void *p)
{
    __asm__ volatile("" : : "r"(p) : "memory");
}

static void encode_ours(const struct subject *s)
{
    if (ach_encode(s->type, s->body, bytes, sizeof(bytes), &size) != ACH_OK)
        abort();
    keep(bytes);
}

static void encode_theirs(const struct subject *s)
{
    XDR x;

    xdrmem_create(&x, (char *)bytes, sizeof(bytes), XDR_ENCODE);
    if (!s->xdr(&x, (void *)(uintptr_t)s->body))
        abort();
    size = xdr_getpos(&x);
    xdr_destroy(&x);
    keep(bytes);
}

static void decode_ours(const struct subject *s)
{
    void *body;

    if (ach_decode_new(s->type, bytes, size, &body) != ACH_OK)
        abort();
    keep(body);
    free(body);
}

static void decode_theirs(const struct subject *s)
{
    void *body = calloc(1, s->type->body_size);
    XDR x;

    xdrmem_create(&x, (char *)bytes, (u_int)size, XDR_DECODE);
    if (!s->xdr(&x, body))
        abort();
    xdr_destroy(&x);
    keep(body);
    x.x_op = XDR_FREE;
    s->xdr(&x, body);
    free(body);
}

static double best(const struct subject *s, void (*f)(const struct subject *))
{
    double least = 1e18, begin, took;
    unsigned i, k;

    for (i = 0; i < ROUNDS; i++) {
        begin = (double)monotonic_ns();
        for (k = 0; k < s->turns; k++)
            f(s);
        took = ((double)monotonic_ns() - begin) / s->turns;
        least = took < least ? took : least;
    }
    return least;
}

static void compare(const struct subject *s)
{
    static uint8_t ours[sizeof(bytes)];
    double encode[2], decode[2];
    size_t n;

    encode_ours(s);
    memcpy(ours, bytes, size);
    n = size;
    encode_theirs(s);
    if (n != size || memcmp(ours, bytes, n) != 0) {
        fprintf(stderr, "%s: the bytes differ\n", s->name);
        exit(1);
    }
    encode[0] = best(s, encode_ours);
    encode[1] = best(s, encode_theirs);
    decode[0] = best(s, decode_ours);
    decode[1] = best(s, decode_theirs);
    printf("%-24s %6zu bytes   encode %8.0f ns, libtirpc %8.0f (x %4.1f)   decode %8.0f ns, "
           "libtirpc %8.0f (x %4.1f)\n",
           s->name, n, encode[0], encode[1], encode[1] / encode[0], decode[0], decode[1],
           decode[1] / decode[0]);
}

int main(void)
{
    static float ranges[RAYS];
    static ach_pose3d_t poses[POSES];
    ach_laser_data_t scan = {.max_range = 8, .ranges_count = RAYS, .ranges = ranges};
    ach_position2d_data_t odometry = {.pos = {1, 2, 3}, .stall = 1};
    ach_sonar_geom_t geom = {.poses_count = POSES, .poses = poses};
    struct subject subjects[] = {
        {"scan of 1000 rays", &ach_laser_data_type, &scan, xdr_scan, 2000},
        {"odometry", &ach_position2d_data_type, &odometry, xdr_odometry, 100000},
        {"100 poses in space", &ach_sonar_geom_type, &geom, xdr_poses, 5000},
    };
    size_t i;

    for (i = 0; i < RAYS; i++)
        ranges[i] = (float)i / 100;
    for (i = 0; i < POSES; i++)
        poses[i].px = (double)i;
    for (i = 0; i < sizeof(subjects) / sizeof(subjects[0]); i++)
        compare(&subjects[i]);
    return 0;
}

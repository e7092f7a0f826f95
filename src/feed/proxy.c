/* SPDX-License-Identifier: BSD-3-Clause */
#include "proxy.h"

#include <ach/device.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#define REQUEST_SECONDS 1.0
#define RETRY_SECONDS 1
#define ONCE_TRIES 10u        /* its channels may be there before its server is */
#define CELLS_MAX (64u << 20) /* of a map */
#define TILE 65536u           /* cells that one request fetches, about */

struct feed_proxy_node {
    struct feed_proxy_result result;
    struct feed_proxy_node *next;
};

struct feed_proxy {
    struct feed_proxies *all;
    struct feed_proxy *next;
    char *address, *channel;
    ach_device_t *device;
    pthread_t thread;
    bool running;
    bool once, done; /* once: it does not stay open; done: it was asked; guarded by the lock */
    struct feed_proxy_node *results; /* the oldest first; guarded by the lock */
};

struct feed_proxies {
    struct feed_proxy *first;
    int event;
    pthread_mutex_t lock;
    pthread_cond_t stopped;
    bool stop;
};

struct feed_proxies *feed_proxies_new(void)
{
    struct feed_proxies *p = calloc(1, sizeof(*p));
    pthread_condattr_t monotonic;

    if (!p)
        return NULL;
    pthread_mutex_init(&p->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&p->stopped, &monotonic);
    pthread_condattr_destroy(&monotonic);
    p->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return p;
}

static struct feed_proxy *proxy_new(struct feed_proxies *p, const char *address,
                                    const char *channel)
{
    struct feed_proxy *x = calloc(1, sizeof(*x));

    if (!x)
        return NULL;
    x->all = p;
    x->address = strdup(address);
    x->channel = strdup(channel);
    if (x->address && x->channel) {
        x->next = p->first;
        p->first = x;
        return x;
    }
    free(x->address);
    free(x->channel);
    free(x);
    return NULL;
}

bool feed_proxies_add(struct feed_proxies *p, const char *address, const char *channel)
{
    return proxy_new(p, address, channel) != NULL;
}

int feed_proxies_fd(const struct feed_proxies *p)
{
    return p->event;
}

/* Wait, unless the feed ends. False: it ends. */
static bool proxy_pause(struct feed_proxies *p, int seconds)
{
    struct timespec until;
    int r = 0;
    bool stop;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += seconds;
    pthread_mutex_lock(&p->lock);
    while (!p->stop && r == 0)
        r = pthread_cond_timedwait(&p->stopped, &p->lock, &until);
    stop = p->stop;
    pthread_mutex_unlock(&p->lock);
    return !stop;
}

static void proxy_result_finish(struct feed_proxy_result *r)
{
    ach_message_unref(r->answer);
    free(r->map.cells);
}

static void proxy_post(struct feed_proxy *x, struct feed_proxy_result *r)
{
    struct feed_proxy_node *node = calloc(1, sizeof(*node)), **last;

    if (!node) {
        proxy_result_finish(r);
        return;
    }
    node->result = *r;
    pthread_mutex_lock(&x->all->lock);
    for (last = &x->results; *last; last = &(*last)->next)
        ;
    *last = node;
    pthread_mutex_unlock(&x->all->lock);
    eventfd_write(x->all->event, 1);
}

static void proxy_ask(struct feed_proxy *x, uint8_t subtype)
{
    struct feed_proxy_result r = {.answer = NULL};

    if (ach_device_request(x->device, subtype, NULL, REQUEST_SECONDS, &r.answer) == ACH_OK)
        proxy_post(x, &r);
    else
        ach_message_unref(r.answer);
}

/* ROS counts 0 to 100, and -1 if it is unknown; devices -range to range. */
static signed char proxy_occupancy(int cell, int range)
{
    if (cell == 0 || range <= 0)
        return -1;
    if (cell < 0)
        return 0;
    return (signed char)(cell >= range ? 100 : 100 * cell / range);
}

static bool proxy_fetch_rows(struct feed_proxy *x, struct feed_device_map *map, uint32_t row,
                             uint32_t rows)
{
    ach_map_data_t wanted = {.row = row, .width = map->width, .height = rows};
    ach_message_t *answer = NULL;
    const ach_map_data_t *got;
    size_t i, n = (size_t)map->width * rows;
    bool ok = ach_device_request(x->device, ACH_MAP_REQ_GET_DATA, &wanted, REQUEST_SECONDS,
                                 &answer) == ACH_OK;

    got = ok ? ach_message_body(answer) : NULL;
    ok = got && got->data_count >= n;
    for (i = 0; ok && i < n; i++)
        map->cells[(size_t)row * map->width + i] = proxy_occupancy(got->data[i], got->data_range);
    ach_message_unref(answer);
    return ok;
}

static bool proxy_fetch_cells(struct feed_proxy *x, struct feed_device_map *map)
{
    uint32_t row, rows = TILE / map->width ? TILE / map->width : 1;

    map->cells = malloc((size_t)map->width * map->height);
    if (!map->cells)
        return false;
    for (row = 0; row < map->height; row += rows)
        if (!proxy_fetch_rows(x, map, row, rows < map->height - row ? rows : map->height - row))
            return false;
    return true;
}

static void proxy_ask_map(struct feed_proxy *x)
{
    struct feed_proxy_result r = {.answer = NULL};
    ach_message_t *answer = NULL;
    const ach_map_info_t *info = NULL;

    if (ach_device_request(x->device, ACH_MAP_REQ_GET_INFO, NULL, REQUEST_SECONDS, &answer) ==
        ACH_OK)
        info = ach_message_body(answer);
    if (info && info->width && info->height && info->width <= CELLS_MAX / info->height) {
        r.map = (struct feed_device_map){.stamp = ach_message_header(answer)->timestamp,
                                         .scale = info->scale,
                                         .width = info->width,
                                         .height = info->height,
                                         .x = info->origin.px,
                                         .y = info->origin.py,
                                         .angle = info->origin.pa};
        if (!proxy_fetch_cells(x, &r.map)) {
            free(r.map.cells);
            r.map.cells = NULL;
        }
    }
    if (!r.map.cells && !x->once)
        snprintf(r.trouble, sizeof(r.trouble), "the device does not send its map");
    ach_message_unref(answer);
    if (r.map.cells || r.trouble[0])
        proxy_post(x, &r);
}

static void proxy_ask_all(struct feed_proxy *x)
{
    switch (ach_device_address(x->device)->interf) {
    case ACH_LASER_CODE:
        proxy_ask(x, ACH_LASER_REQ_GET_GEOM);
        break;
    case ACH_RANGER_CODE:
        proxy_ask(x, ACH_RANGER_REQ_GET_CONFIG);
        proxy_ask(x, ACH_RANGER_REQ_GET_GEOM);
        break;
    case ACH_MAP_CODE:
        proxy_ask_map(x);
        break;
    default:
        break;
    }
}

/* Look each second whether the server is there still. A device whose map has changed sends data. */
static void proxy_hold(struct feed_proxy *x)
{
    const bool map = ach_device_address(x->device)->interf == ACH_MAP_CODE;
    ach_status_t status = ACH_OK;
    ach_message_t *m;

    while (status != ACH_CLOSED && proxy_pause(x->all, RETRY_SECONDS)) {
        m = NULL;
        status = ach_device_get(x->device, ACH_SUBTYPE_ANY, 0, ACH_O_LAST, &m);
        ach_message_unref(m);
        if (map && (status == ACH_OK || status == ACH_MISSED_FRAME))
            proxy_ask_map(x);
    }
}

static void proxy_complain(struct feed_proxy *x)
{
    struct feed_proxy_result r = {.answer = NULL};

    snprintf(r.trouble, sizeof(r.trouble), "the device %.60s cannot be opened: %.150s", x->address,
             ach_errstr());
    proxy_post(x, &r);
}

static void proxy_set_done(struct feed_proxy *x)
{
    pthread_mutex_lock(&x->all->lock);
    x->done = true;
    pthread_mutex_unlock(&x->all->lock);
}

static void *proxy_run(void *proxy)
{
    const ach_device_attr_t attr = {
        .size = sizeof(attr), .transport = "channel", .timeout = REQUEST_SECONDS, .messages = 1};
    struct feed_proxy *x = proxy;
    unsigned tries = x->once ? ONCE_TRIES : UINT_MAX;
    bool told = x->once;

    do {
        if (ach_device_open(x->address, &attr, &x->device) != ACH_OK) {
            if (!told)
                proxy_complain(x);
            told = true;
            tries -= x->once;
            continue;
        }
        proxy_ask_all(x);
        if (x->once)
            tries = 0;
        else
            proxy_hold(x);
        ach_device_close(x->device);
    } while (tries && proxy_pause(x->all, RETRY_SECONDS));
    proxy_set_done(x);
    return NULL;
}

/* Signals are for the other threads of the program. */
static bool proxy_start(struct feed_proxy *x)
{
    sigset_t all, before;

    x->done = false;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    errno = pthread_create(&x->thread, NULL, proxy_run, x);
    x->running = errno == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return x->running;
}

bool feed_proxies_start(struct feed_proxies *p)
{
    struct feed_proxy *x;

    for (x = p->event < 0 ? NULL : p->first; x; x = x->next)
        if (!proxy_start(x))
            return false;
    return p->event >= 0;
}

void feed_proxies_ask(struct feed_proxies *p, const char *address, const char *channel)
{
    struct feed_proxy *x = p->first;
    bool busy;

    while (x && strcmp(x->channel, channel) != 0)
        x = x->next;
    pthread_mutex_lock(&p->lock);
    busy = x && x->running && !x->done;
    pthread_mutex_unlock(&p->lock);
    if (busy)
        return;
    if (x && x->running)
        pthread_join(x->thread, NULL);
    if (!x)
        x = proxy_new(p, address, channel);
    if (!x)
        return;
    x->once = true;
    proxy_start(x);
}

static void proxy_free(struct feed_proxy *x)
{
    struct feed_proxy_node *node;

    if (x->running)
        pthread_join(x->thread, NULL);
    while ((node = x->results) != NULL) {
        x->results = node->next;
        proxy_result_finish(&node->result);
        free(node);
    }
    free(x->address);
    free(x->channel);
    free(x);
}

void feed_proxies_free(struct feed_proxies *p)
{
    struct feed_proxy *x;

    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    p->stop = true;
    pthread_cond_broadcast(&p->stopped);
    pthread_mutex_unlock(&p->lock);
    while ((x = p->first) != NULL) {
        p->first = x->next;
        proxy_free(x);
    }
    if (p->event >= 0)
        close(p->event);
    pthread_cond_destroy(&p->stopped);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

static void proxy_take(struct feed_proxy *x, feed_proxy_fun *fun, void *context)
{
    struct feed_proxy_node *node;

    while ((node = x->results) != NULL && fun(context, x->channel, &node->result)) {
        x->results = node->next;
        proxy_result_finish(&node->result);
        free(node);
    }
}

void feed_proxies_take(struct feed_proxies *p, feed_proxy_fun *fun, void *context)
{
    struct feed_proxy *x;
    eventfd_t count;

    if (!p->first)
        return;
    eventfd_read(p->event, &count);
    pthread_mutex_lock(&p->lock);
    for (x = p->first; x; x = x->next)
        proxy_take(x, fun, context);
    pthread_mutex_unlock(&p->lock);
}

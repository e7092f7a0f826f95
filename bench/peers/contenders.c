/* SPDX-License-Identifier: BSD-3-Clause */
/* contenders.c - which contenders there are, and which of them take part */
#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <net/if.h>
#include <net/route.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "peers.h"

/* What meson could not build, and why: NAME, PACKAGE pairs. */
static const char *const missing_modules[][2] = {PEERS_MISSING{NULL, NULL}};

const char *const kind_names[] = {"ach", "floor", "kernel", "library"};

struct contenders contenders_here;

static void add_all(const struct contender *list)
{
    struct contenders *all = &contenders_here;

    for (; list->name; list++) {
        all->entry = realloc(all->entry, (all->count + 1) * sizeof(*all->entry));
        MUST(all->entry != NULL);
        all->entry[all->count++] = (struct entry){.c = list, .status = "ok"};
    }
}

static void leave_out(struct entry *e, const char *said, const char *why)
{
    snprintf(e->status, sizeof(e->status), "%s%s", said, why);
    e->left_out = true;
}

static void add_missing(const char *name, const char *package, const char *why)
{
    struct contender *c = calloc(2, sizeof(*c)); /* a list of one */

    MUST(c != NULL);
    *c = (struct contender){.name = name, .kind = KIND_LIBRARY, .package = package};
    add_all(c);
    leave_out(&contenders_here.entry[contenders_here.count - 1], "", why);
}

static void load(const char *path)
{
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const struct contender *list = module ? dlsym(module, "contenders") : NULL;

    if (list)
        add_all(list);
    else
        add_missing(strdup(strrchr(path, '/') + 1), NULL, dlerror());
}

static const char *name_of(unsigned i)
{
    return i < contenders_here.count ? contenders_here.entry[i].c->name : NULL;
}

void contenders_gather(const char *modules, const char *only)
{
    struct contenders *all = &contenders_here;
    char text[PATH_MAX];
    glob_t found = {0};
    unsigned i, kept = 0;

    add_all(channel_contenders);
    add_all(ring_contenders);
    add_all(lane_contenders);
    add_all(relay_contenders);
    snprintf(text, sizeof(text), "%s/*.so", modules);
    glob(text, 0, NULL, &found);
    for (i = 0; i < found.gl_pathc; i++)
        load(found.gl_pathv[i]);
    globfree(&found);
    for (i = 0; missing_modules[i][0]; i++) {
        snprintf(text, sizeof(text), "not built: package %s was not there", missing_modules[i][1]);
        add_missing(missing_modules[i][0], missing_modules[i][1], text);
    }
    check_list(only, "contender", name_of, "--list");
    for (i = 0; only && i < all->count; i++)
        if (all->entry[i].c->kind == KIND_FLOOR || in_list(only, all->entry[i].c->name))
            all->entry[kept++] = all->entry[i];
    all->count = only ? kept : all->count;
}

static struct sockaddr address(uint32_t host)
{
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr = {htonl(host)}};
    struct sockaddr any;

    memcpy(&any, &in, sizeof(any));
    return any;
}

/*
 * Nothing of the comparison goes out on a network: from now on this process, and those it starts,
 * have only a loopback interface of their own, also for multicast. Needs root. False: it cannot be
 * done.
 */
static bool leave_network(void)
{
    int fd = unshare(CLONE_NEWNET) == 0 ? socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0) : -1;
    struct ifreq lo = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_MULTICAST};
    struct rtentry route = {.rt_dst = address(0xe0000000u),
                            .rt_genmask = address(0xf0000000u),
                            .rt_gateway = address(0),
                            .rt_flags = RTF_UP,
                            .rt_dev = lo.ifr_name};
    bool ok = fd >= 0 && ioctl(fd, SIOCSIFFLAGS, &lo) == 0 && ioctl(fd, SIOCADDRT, &route) == 0;

    if (fd >= 0)
        close(fd);
    return ok;
}

void contenders_start(void)
{
    bool off_network = leave_network();
    unsigned i;

    puts("\ncontenders");
    for (i = 0; i < contenders_here.count; i++) {
        struct entry *e = &contenders_here.entry[i];
        const char *why = NULL;

        if (!e->left_out && e->c->multicasts && !off_network)
            why = "needs root, to be kept off the network";
        else if (!e->left_out && e->c->start)
            why = e->c->start();
        if (why)
            leave_out(e, "left out: ", why);
        printf("  %-22s %-8s %s\n", e->c->name, kind_names[e->c->kind],
               e->left_out ? e->status : e->c->settings);
    }
    fflush(stdout);
}

void contenders_stop(void)
{
    unsigned i;

    for (i = 0; i < contenders_here.count; i++)
        if (!contenders_here.entry[i].left_out && contenders_here.entry[i].c->stop)
            contenders_here.entry[i].c->stop();
}

void contenders_write(struct json *j)
{
    unsigned i;

    json_array(j, "contenders");
    for (i = 0; i < contenders_here.count; i++) {
        const struct entry *e = &contenders_here.entry[i];

        json_object(j, NULL);
        json_string(j, "name", e->c->name);
        json_string(j, "kind", kind_names[e->c->kind]);
        json_string(j, "package", e->c->package ? e->c->package : "");
        json_string(j, "settings", e->c->settings ? e->c->settings : "");
        json_string(j, "source", e->c->source ? e->c->source : "");
        json_string(j, "status", e->status);
        json_end_object(j);
    }
    json_end_array(j);
}

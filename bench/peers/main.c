/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * main.c - compare channels with what else carries messages
 *
 * The contenders take turns, round by round, so that whatever else the machine
 * does hits all alike.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../supervise.h"
#include "../ticks.h"
#include "channels.h"
#include "kernel.h"
#include "network.h"
#include "options.h"
#include "output.h"

#define LIMIT_SECONDS 1500u
#define LONG_LIMIT_SECONDS 86400u
#define LONG_SECONDS 600.0
#define QUICK_ROUNDS 2u
#define QUICK_SCALE 0.5
/* What meson could not build, and why: NAME, PACKAGE pairs. */
static const char *const missing_modules[][2] = {
#ifdef PEERS_MISSING
    PEERS_MISSING
#endif
    {NULL, NULL}};

static struct results results;

static void add(const struct contender *c, const char *status)
{
    struct entry *e = realloc(results.entries, (results.entry_count + 1) * sizeof(*e));

    if (!e)
        exit(1);
    results.entries = e;
    e = &e[results.entry_count++];
    *e = (struct entry){.c = c};
    snprintf(e->status, sizeof(e->status), "%s", status);
}

static void add_all(const struct contender *const *list)
{
    for (; *list; list++)
        add(*list, "ok");
}

static void add_missing(const char *name, const char *package, const char *why)
{
    struct contender *c = calloc(1, sizeof(*c));
    char status[160];

    if (!c)
        exit(1);
    c->name = name;
    c->kind = KIND_LIBRARY;
    c->package = package;
    snprintf(status, sizeof(status), "%s", why);
    add(c, status);
}

static void load(const char *directory, const char *file)
{
    const struct contender *const *list;
    char path[PATH_MAX];
    void *module;

    snprintf(path, sizeof(path), "%s/%s", directory, file);
    module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    list = module ? dlsym(module, "contenders") : NULL;
    if (list)
        add_all(list);
    else
        add_missing(strdup(file), NULL, dlerror());
}

static int ends_in_so(const struct dirent *d)
{
    size_t n = strlen(d->d_name);

    return n > 3 && strcmp(d->d_name + n - 3, ".so") == 0;
}

static void load_all(const char *directory)
{
    struct dirent **files;
    int i, n = directory ? scandir(directory, &files, ends_in_so, alphasort) : 0;

    for (i = 0; i < n; i++) {
        load(directory, files[i]->d_name);
        free(files[i]);
    }
    if (n > 0)
        free(files);
}

/* Ends the program if one of the names is no contender's. */
static void check_names(const char *list)
{
    const char *p;

    for (p = list; p && *p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL) {
        size_t n = strcspn(p, ",");
        bool known = false;
        unsigned i;

        for (i = 0; i < results.entry_count && !known; i++) {
            const char *name = results.entries[i].c->name;

            known = strlen(name) == n && strncmp(p, name, n) == 0;
        }
        if (!known) {
            fprintf(stderr, "ach-peers: there is no contender '%.*s'; see --list\n", (int)n, p);
            exit(2);
        }
    }
}

static void gather(const struct options *o)
{
    unsigned i, kept = 0;

    add(&contender_ach, "ok");
    add(&contender_ach_newest, "ok");
    add(&contender_ach_in_place, "ok");
    add(&contender_ach_heap, "ok");
    add(&contender_ach_helper, "ok");
    add(&contender_ach_kernel, "ok");
    add(&contender_ach_device, "ok");
    add_all(kernel_contenders);
    load_all(o->modules);
    for (i = 0; missing_modules[i][0]; i++) {
        char why[160];

        snprintf(why, sizeof(why), "not built: package %s was not there", missing_modules[i][1]);
        add_missing(missing_modules[i][0], missing_modules[i][1], why);
    }
    check_names(o->only);
    for (i = 0; o->only && i < results.entry_count; i++)
        if (results.entries[i].c->kind == KIND_FLOOR ||
            in_list(o->only, results.entries[i].c->name))
            results.entries[kept++] = results.entries[i];
    if (o->only)
        results.entry_count = kept;
}

static bool takes_part(const struct entry *e)
{
    return strcmp(e->status, "ok") == 0;
}

/* Nothing of the comparison goes out on a network. */
static void exclude_multicast(void)
{
    unsigned i;

    for (i = 0; i < results.entry_count; i++)
        if (results.entries[i].c->multicasts && takes_part(&results.entries[i]))
            snprintf(results.entries[i].status, sizeof(results.entries[i].status),
                     "left out: needs root, to be kept off the network");
}

static void daemons(bool start, const char *dir)
{
    unsigned i;

    for (i = 0; i < results.entry_count; i++) {
        struct entry *e = &results.entries[i];
        const char *why;

        if (!takes_part(e))
            continue;
        if (!start && e->c->stop)
            e->c->stop();
        if (!start || !e->c->start)
            continue;
        why = e->c->start(dir);
        if (why)
            snprintf(e->status, sizeof(e->status), "%s", why);
    }
}

static bool wanted(const struct options *o, const struct scenario *s)
{
    if (o->scenarios)
        return in_list(o->scenarios, s->name);
    if (s->asked)
        return false;
    if (o->long_)
        return s->setting.rate_hz == 1000 && s->setting.mode == MODE_BLOCK && !s->setting.fifo &&
               s->setting.senders == 1 && s->setting.receivers <= 2;
    return !o->quick || s->quick;
}

static void progress(const struct scenario *s, unsigned round, unsigned rounds, const char *name)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%s, %s: round %u of %u, %s", s->name, s->about, round + 1, rounds,
                name);
}

static void one_turn(struct row *row, const struct setting *setting, unsigned round,
                     const char *dir)
{
    struct outcome once = {0};

    run(row->c, setting, dir, &once);
    if (once.why[0] && !run_interrupted) /* the machine may be busy: once more */
        run(row->c, setting, dir, &once);
    if (once.ns.count) {
        row->p50[round] = samples_quantile(&once.ns, 0.5);
        row->p99[round] = samples_quantile(&once.ns, 0.99);
    }
    samples_append(&row->all.ns, &once.ns);
    row->all.sent += once.sent;
    row->all.lost += once.lost;
    row->all.reordered += once.reordered;
    row->all.damaged += once.damaged;
    if (once.why[0])
        memcpy(row->all.why, once.why, sizeof(once.why));
    samples_finish(&once.ns);
}

/* A row for each contender that can do this. */
static void add_rows(const struct scenario *s)
{
    unsigned i;

    for (i = 0; i < results.entry_count; i++) {
        const struct entry *e = &results.entries[i];
        struct row *rows;

        if (!takes_part(e) || (s->in_place && !e->c->copies_nothing))
            continue;
        rows = realloc(results.rows.row, (results.rows.count + 1) * sizeof(*rows));
        if (!rows)
            exit(1);
        results.rows.row = rows;
        memset(&rows[results.rows.count], 0, sizeof(*rows));
        rows[results.rows.count].scenario = s;
        rows[results.rows.count].c = e->c;
        rows[results.rows.count++].impossible = run_possible(e->c, &s->setting);
    }
}

static void compare(const struct options *o, const struct scenario *s, const char *dir)
{
    unsigned i, round, first = results.rows.count;
    unsigned rounds = o->rounds ? o->rounds : o->quick ? QUICK_ROUNDS : o->long_ ? 1 : s->rounds;
    struct setting setting = s->setting;
    const struct row *floor = NULL;

    if (o->quick)
        setting.seconds *= QUICK_SCALE;
    if (o->long_)
        setting.seconds = LONG_SECONDS;
    add_rows(s);
    for (round = 0; round < rounds; round++) {
        for (i = first; i < results.rows.count && !run_interrupted; i++) {
            struct row *row = &results.rows.row[i];

            if (row->impossible ||
                (row->c->kind == KIND_LIBRARY && !o->rounds && round >= s->peer_rounds))
                continue;
            progress(s, round, rounds, row->c->name);
            one_turn(row, &setting, round, dir);
        }
    }
    for (i = first; i < results.rows.count; i++)
        if (strcmp(results.rows.row[i].c->name, rows_floor(s->setting.mode)) == 0)
            floor = &results.rows.row[i];
    for (i = first; floor && i < results.rows.count; i++) {
        struct row *row = &results.rows.row[i];

        row->ratio = rows_ratio(row->p50, floor->p50);
        row->ratio_p99 = rows_ratio(row->p99, floor->p99);
    }
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    if (!run_interrupted)
        output_scenario(&results, first, s);
}

static void stop_receivers(const char *dir)
{
    unsigned i;

    for (i = 0; i < results.entry_count; i++) {
        struct entry *e = &results.entries[i];

        if (!takes_part(e) || e->c->kind == KIND_FLOOR || run_interrupted)
            continue;
        if (isatty(STDERR_FILENO))
            fprintf(stderr, "\r\033[Kstopped: %s", e->c->name);
        stopped_run(e->c, dir, results.machine.main_cpu, results.machine.peer_cpu, &e->stopped);
        e->was_stopped = true;
    }
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    output_stopped(&results);
}

static void interrupt(int sig)
{
    (void)sig;
    run_interrupted = 1;
}

static int all(void *arg)
{
    const struct options *o = arg;
    const char *dir = getenv("ACH_DIR");
    struct whole_file report;
    unsigned i;

    /* Before anything is measured: it may be in vain. */
    if (o->json && !whole_file_open(&report, o->json)) {
        fprintf(stderr, "ach-peers: cannot write %s: %s\n", o->json, strerror(errno));
        return 1;
    }
    results.extent = o->custom ? "own" : o->quick ? "quick" : o->long_ ? "long" : "full";
    signal(SIGTERM, interrupt);
    machine_init(&results.machine);
    ticks_init();
    run_cpus(results.machine.main_cpu, results.machine.peer_cpu);
    printf("machine   %s, %d CPUs\nkernel    %s\n", results.machine.cpu, results.machine.cpus,
           results.machine.kernel);
    if (!network_leave())
        exclude_multicast();
    daemons(true, dir);
    output_contenders(&results);
    for (i = 0; i < scenario_count && !o->custom; i++)
        if (wanted(o, &scenarios[i]) && !run_interrupted)
            compare(o, &scenarios[i], dir);
    if (o->custom)
        compare(o, &o->own, dir);
    else if (o->scenarios ? in_list(o->scenarios, "stopped") : !o->long_)
        stop_receivers(dir);
    daemons(false, dir);
    if (run_interrupted) {
        if (o->json)
            whole_file_drop(&report);
        return 1;
    }
    output_claims(&results);
    if (o->json && !output_json(&results, &report)) {
        fprintf(stderr, "ach-peers: cannot write %s: %s\n", o->json, strerror(errno));
        return 1;
    }
    if (o->json)
        printf("report: %s\n", o->json);
    return 0;
}

static int list(void)
{
    unsigned i;

    for (i = 0; i < results.entry_count; i++)
        printf("%-20s %s\n", results.entries[i].c->name, results.entries[i].status);
    return 0;
}

int main(int argc, char **argv)
{
    struct options o;

    options_parse(&o, argc, argv);
    gather(&o);
    if (o.list)
        return list();
    return supervise(all, &o, o.long_ ? LONG_LIMIT_SECONDS : LIMIT_SECONDS);
}

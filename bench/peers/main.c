/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * main.c - compare channels with what else carries messages
 *
 * The contenders take turns, round by round, so that whatever else the machine
 * does hits all alike.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../supervise.h"
#include "../ticks.h"
#include "built_in.h"
#include "network.h"
#include "options.h"
#include "output.h"

#define LIMIT_SECONDS 1500u
#define LONG_LIMIT_SECONDS 86400u
#define LONG_SECONDS 600.0
#define QUICK_ROUNDS 2u
#define QUICK_SCALE 0.5
/* What meson could not build, and why: NAME, PACKAGE pairs. */
static const char *const missing_modules[][2] = {PEERS_MISSING{NULL, NULL}};

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

static void add_missing(const char *name, const char *package, const char *why)
{
    struct contender *c = calloc(1, sizeof(*c));

    if (!c)
        exit(1);
    *c = (struct contender){.name = name, .kind = KIND_LIBRARY, .package = package};
    add(c, why);
}

static void load(const char *path)
{
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const struct contender *list = module ? dlsym(module, "contenders") : NULL;

    if (!list)
        add_missing(strdup(strrchr(path, '/') + 1), NULL, dlerror());
    for (; list && list->name; list++)
        add(list, "ok");
}

static void load_all(const char *directory)
{
    char pattern[PATH_MAX];
    glob_t found = {0};
    size_t i;

    snprintf(pattern, sizeof(pattern), "%s/*.so", directory);
    glob(pattern, 0, NULL, &found);
    for (i = 0; i < found.gl_pathc; i++)
        load(found.gl_pathv[i]);
    globfree(&found);
}

static const char *contender_name(unsigned i)
{
    return i < results.entry_count ? results.entries[i].c->name : NULL;
}

static void gather(const struct options *o)
{
    unsigned i, kept = 0;

    for (i = 0; built_in_contenders[i]; i++)
        add(built_in_contenders[i], "ok");
    load_all(o->modules);
    for (i = 0; missing_modules[i][0]; i++) {
        char why[WHY_SIZE];

        snprintf(why, sizeof(why), "not built: package %s was not there", missing_modules[i][1]);
        add_missing(missing_modules[i][0], missing_modules[i][1], why);
    }
    check_list(o->only, "contender", contender_name, "--list");
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

static void daemons(bool start)
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
        why = e->c->start();
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

/* On a line of its own that comes and goes. */
__attribute__((format(printf, 1, 2))) static void progress(const char *format, ...)
{
    va_list args;

    if (!isatty(STDERR_FILENO))
        return;
    fputs("\r\033[K", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
}

static void one_turn(struct row *row, const struct setting *setting, unsigned round)
{
    struct outcome once = {0};

    run(row->c, setting, &once);
    if (once.why[0] && !run_interrupted) /* the machine may be busy: once more */
        run(row->c, setting, &once);
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

    if (!results.rows.row)
        results.rows.row =
            calloc((scenario_count + 1) * results.entry_count, sizeof(*results.rows.row));
    if (!results.rows.row)
        exit(1);
    for (i = 0; i < results.entry_count; i++) {
        const struct entry *e = &results.entries[i];

        if (takes_part(e) && (!s->in_place || e->c->copies_nothing))
            results.rows.row[results.rows.count++] = (struct row){
                .scenario = s, .c = e->c, .impossible = run_possible(e->c, &s->setting)};
    }
}

static void compare(const struct options *o, const struct scenario *s)
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
            progress("%s, %s: round %u of %u, %s", s->name, s->about, round + 1, rounds,
                     row->c->name);
            one_turn(row, &setting, round);
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
    progress("%s", "");
    if (!run_interrupted)
        output_scenario(&results, first, s);
}

static void stop_receivers(void)
{
    unsigned i;

    for (i = 0; i < results.entry_count; i++) {
        struct entry *e = &results.entries[i];

        if (!takes_part(e) || e->c->kind == KIND_FLOOR || run_interrupted)
            continue;
        progress("stopped: %s", e->c->name);
        stopped_run(e->c, results.machine.main_cpu, results.machine.peer_cpu, &e->stopped);
        e->was_stopped = true;
    }
    progress("%s", "");
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
    const char *dir = realpath(getenv("ACH_DIR"), NULL);
    int home = open(".", O_PATH | O_CLOEXEC);
    struct whole_file report;
    unsigned i;

    /* Before anything is measured: it may be in vain. */
    if (o->json && !whole_file_open(&report, o->json)) {
        fprintf(stderr, "ach-peers: cannot write %s: %s\n", o->json, strerror(errno));
        return 1;
    }
    if (!dir || setenv("ACH_DIR", dir, 1) != 0 || chdir(dir) != 0) {
        perror("ach-peers: the directory for channels");
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
    daemons(true);
    output_contenders(&results);
    for (i = 0; i < scenario_count && !o->custom; i++)
        if (wanted(o, &scenarios[i]) && !run_interrupted)
            compare(o, &scenarios[i]);
    if (o->custom)
        compare(o, &o->own);
    else if (o->scenarios ? in_list(o->scenarios, "stopped") : !o->long_)
        stop_receivers();
    daemons(false);
    if (o->json && fchdir(home) != 0) /* its path may be relative */
        perror("ach-peers");
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

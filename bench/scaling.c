/* SPDX-License-Identifier: BSD-3-Clause */
/* scaling.c - how the cost of channels grows: with their number, readers, writers and sizes */
#include "scaling/scaling.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "attempt.h"
#include "peer.h"
#include "supervise.h"
#include "ticks.h"

#define ROUNDS 15u
#define QUICK_ROUNDS 3u
#define PART_LIMIT_SECONDS 1800u /* for processors that are slow, or not ours alone */
#define LIMIT_SECONDS (PART_LIMIT_SECONDS * ARRAY_SIZE(parts))
#define ENTRY_ROOM 256u /* more than a frame takes beside its bytes */

struct options {
    bool quick;
    const char *json;
    const char *repeat;
};

void scaling_note(struct scaling *s, const char *format, ...)
{
    va_list args;

    MUST(s->notes < NOTES_MAX);
    va_start(args, format);
    MUST(vasprintf(&s->note[s->notes++], format, args) >= 0);
    va_end(args);
}

struct curve *scaling_curve(struct scaling *s, const struct curve *about)
{
    struct curve *c = malloc(sizeof(*c));

    MUST(c != NULL && s->curves < CURVES_MAX);
    *c = *about;
    s->curve[s->curves++] = c;
    return c;
}

/* A terminal sees every round, a file every part. */
void scaling_progress(const struct scaling *s, const char *part, unsigned round)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%s: %u of %u", part, round + 1, s->rounds);
    else if (round == 0)
        fprintf(stderr, "ach-scaling: %s\n", part);
}

uint64_t shared_room(void)
{
    struct statvfs st;

    MUST_SYS(statvfs(getenv("ACH_DIR"), &st) == 0);
    return (uint64_t)st.f_bavail * st.f_frsize / 2;
}

bool channel_fits(struct scaling *s, size_t frames, size_t size)
{
    if (frames * 2 * (size + ENTRY_ROOM) < shared_room())
        return true;
    scaling_note(s, "A channel of %zu frames of %zu bytes was left out: shared memory is short.",
                 frames, size);
    return false;
}

void touch_all(const ach_channel_t *chan)
{
    const volatile unsigned char *byte = (const volatile unsigned char *)chan->shm;
    uint64_t i, page = (uint64_t)sysconf(_SC_PAGESIZE);
    ach_info_t info;

    MUST_ACH(ach_channel_info(chan, &info));
    for (i = 0; i < info.memory; i += page)
        (void)byte[i];
}

double batch_ns(void (*batch)(void *state, unsigned n), void *state, unsigned n, unsigned batches)
{
    struct samples samples = {0};
    unsigned i;
    double p50;

    for (i = 0; i <= batches; i++) {
        uint64_t start = ticks();

        batch(state, n);
        if (i > 0)
            samples_add(&samples, ticks_to_ns(start, ticks()) / n);
    }
    p50 = samples_quantile(&samples, 0.5);
    samples_finish(&samples);
    return p50;
}

static void usage(FILE *f)
{
    fputs("usage: ach-scaling [--quick] [--json FILE]\n"
          "\n"
          "Measures how the cost of channels grows: with their number, the readers, the\n"
          "writers, the size of messages and how many are kept.\n"
          "\n"
          "  --quick       fewer rounds: under 10 seconds\n"
          "  --json FILE   write the curves there\n",
          f);
}

static struct options parse(int argc, char **argv)
{
    static const struct option longs[] = {
        {"quick", no_argument, NULL, 'q'},
        {"json", required_argument, NULL, 'j'},
        {"repeat", required_argument, NULL, 'R'},
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    struct options o = {0};
    int c;

    while ((c = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
        switch (c) {
        case 'q':
            o.quick = true;
            break;
        case 'j':
            o.json = optarg;
            break;
        case 'R':
            o.repeat = optarg;
            break;
        case 'h':
            usage(stdout);
            exit(0);
        default:
            usage(stderr);
            exit(2);
        }
    }
    if (optind < argc) {
        usage(stderr);
        exit(2);
    }
    return o;
}

static const struct {
    const char *name;
    void (*measure)(struct scaling *s);
} parts[] = {
    {"memory", memory_part},   {"channels", channels_part}, {"readers", readers_part},
    {"writers", writers_part}, {"sizes", sizes_part},       {"history", history_part},
    {"polled", polled_part},
};

struct part {
    struct scaling *s;
    unsigned i;
};

static void measure_part(void *arg)
{
    struct part *p = arg;

    parts[p->i].measure(p->s);
}

static void measure(struct scaling *s)
{
    unsigned i;

    for (i = 0; i < ARRAY_SIZE(parts); i++) {
        struct part part = {s, i};
        const char *why = attempt(measure_part, &part, PART_LIMIT_SECONDS);

        if (why)
            scaling_note(s, "%s: could not be measured: %s.", parts[i].name, why);
    }
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

static void finish(struct scaling *s)
{
    unsigned i;

    for (i = 0; i < s->curves; i++) {
        curve_finish(s->curve[i]);
        free(s->curve[i]);
    }
    for (i = 0; i < s->notes; i++)
        free(s->note[i]);
}

static int run(void *arg)
{
    const struct options *o = arg;
    struct scaling s = {.quick = o->quick, .rounds = o->quick ? QUICK_ROUNDS : ROUNDS};
    bool ok = true;

    machine_init(&s.machine);
    MUST_SYS(sched_getaffinity(0, sizeof(s.cpus), &s.cpus) == 0);
    machine_pin(s.machine.main_cpu);
    peer_cpu_set(s.machine.peer_cpu);
    ticks_init();
    scaling_note(&s, "%d CPUs, load %s, %u rounds; each point is the median of them.",
                 s.machine.cpus, s.machine.load, s.rounds);
    printf("machine   %s, %d CPUs\nkernel    %s\n", s.machine.cpu, s.machine.cpus,
           s.machine.kernel);
    measure(&s);
    output_curves(&s);
    output_polled(&s);
    output_notes(&s);
    if (o->json) {
        ok = output_json(&s, o->json);
        if (ok)
            printf("curves: %s\n", o->json);
        else
            fprintf(stderr, "ach-scaling: cannot write %s: %m\n", o->json);
    }
    finish(&s);
    return ok ? 0 : 1;
}

int main(int argc, char **argv)
{
    struct options o = parse(argc, argv);

    if (o.repeat)
        return polled_repeat(o.repeat);
    return supervise(run, &o, LIMIT_SECONDS);
}

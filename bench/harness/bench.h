/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench.h - the harness that all benchmarks share
 *
 * A program has groups. A group measures several contenders in turn, round by
 * round, so that other load on the machine affects all of them alike. Each
 * contender has a row; in a curve, it has one for each x. A claim compares two
 * rows: in each round, and the median over the rounds counts.
 *
 * A group that fails costs no other group: see attempt.
 */
#ifndef BENCH_H
#define BENCH_H

#include <ach.h>
#include <getopt.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "json.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define ROUNDS_MAX 64u
#define NOTES_MAX 60u
#define WHY_SIZE 160u
#define MESSAGE_SIZE 64u

/* On two cache lines of its own, because some processors fetch lines in pairs. */
#define APART __attribute__((aligned(128)))

/* Samples: numbers that were measured. */

struct samples {
    double *value;
    size_t count, room;
    bool sorted;
};

void samples_add(struct samples *s, double value);
void samples_append(struct samples *s, const struct samples *more);
void samples_finish(struct samples *s);

/* The value below which the fraction q of all lies; sorts s. 0 if there are none. */
double samples_quantile(struct samples *s, double q);

/* The median, after which the samples are gone. */
double samples_median(struct samples *s);

/* Groups, rows and claims. */

/* What one contender did in a round, or in all rounds. */
struct outcome {
    struct samples ns;     /* or in the group's unit */
    struct samples single; /* of one operation each: gives p99 and maximum; empty: ns does */
    uint64_t sent, lost;   /* messages, for each receiver */
    uint64_t reordered;    /* or came twice */
    uint64_t damaged;
    char why[WHY_SIZE]; /* it failed; empty: it did not */
};

struct group {
    const char *name, *about;
    const char *floor; /* the contender that ratios refer to; NULL: none */
    const char *unit;  /* of the samples; NULL: ns */
    void (*measure)(const struct group *g, unsigned round);
    const void *what;              /* for measure */
    const char *(*missing)(void);  /* why it cannot be measured here, NULL if it can; may be NULL */
    const char *x_label, *y_label; /* of a curve */
    bool x_log, y_log;
    double x_first, x_last, x_factor; /* of a curve of ops */
    bool (*x_fits)(double x);         /* the curve ends where it does not; may be NULL */
    double x;        /* of all its rows, if groups of one name differ in a number */
    unsigned rounds; /* 0: as the program says */
    bool part;       /* the group before measures it, too: measure is NULL */
    bool once;       /* there is nothing to repeat in more rounds */
    bool quick;      /* belongs to the quick run of a program with only_quick */
    bool asked;      /* is measured only if it is named */
    bool lasting;    /* is measured with --long */
    bool two_cpus;   /* one is not enough */
    bool in_process; /* do not attempt it in another process: it cannot fail as a whole */
};

struct row {
    const struct group *group;
    const char *name;
    const char *kind; /* "ach", "floor", "kernel", "library"; NULL: none */
    double x;
    struct outcome all;                      /* of all rounds */
    double p50[ROUNDS_MAX], p99[ROUNDS_MAX]; /* of each; NAN: it was not measured */
    bool aside;                              /* claims about the fastest of a kind leave it out */
};

enum compare {
    SHOWN,       /* only the ratio of the p50s */
    AT_MOST,     /* p50, in that of the other one */
    P99_AT_MOST, /* p99, in that of the other one */
    AT_LEAST,    /* p50, in that of the other one */
    WITHIN,      /* neither p50 is more than limit times the other */
    EXTRA,       /* p50 less that of the other one, in the group's unit, at most */
    P50_BELOW,   /* the value itself */
    P99_BELOW
};

struct claim {
    const char *group; /* or a pattern of the names of several */
    const char *name;
    const char *against; /* another contender, or "library", "kernel": the fastest of these */
    enum compare how;
    double limit;
    double x, against_x; /* of the rows; 0: any, and the same */
};

/* What became of a claim about one row. */
struct verdict {
    const struct claim *claim;
    struct row *row, *against; /* against: the fastest of a kind; NULL: nobody */
    double value;
    bool reached;
};

/* All that was measured. */
extern struct results {
    struct row **row; /* in the order in which they were made */
    unsigned count;
    char *note[NOTES_MAX];
    unsigned notes;
    struct {
        const char *name;
        char *why;
    } unmeasured[NOTES_MAX];
    unsigned unmeasured_count;
} results;

/* The row of a contender; made when first asked for. */
struct row *row_of(const struct group *g, const char *name, const char *kind, double x);
struct row *row_find(const char *group, const char *name, double x); /* NULL: there is none */

/* Add what was measured in a round. once is empty then. */
void row_add(struct row *row, unsigned round, struct outcome *once);

/* Likewise, a single number; of a curve, usually. */
void row_value(const struct group *g, const char *name, double x, unsigned round, double value);

/* The median over the rounds of a row's value to that of its group's floor; 0: there is none. */
double row_ratio(const struct row *row, bool of_p99);

/* Judge a claim of a row. False: it is about another one, or what it needs was not measured. */
bool claim_judge(const struct claim *claim, struct row *row, struct verdict *v);

/* Say something beneath the tables, and in the file, however often it is noted. */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Short operations that one process does alone. */

struct op {
    const char *name;
    double x; /* of its row; set by ops_measure */
    void *(*setup)(const struct op *op);
    void (*prepare)(void *state, unsigned n);       /* for n operations; not timed; may be NULL */
    void (*batch)(void *state, unsigned n);         /* do it n times */
    unsigned batch_max;                             /* operations in a row */
    size_t batch_bytes;                             /* and no more, if x is a size */
    unsigned batches;                               /* 0: many, and single ones for the p99 */
    void (*run)(void *state, struct outcome *once); /* measures by itself, instead of batch */
    size_t frames, size;                            /* for setup */
    int variant;
    const char *counted; /* for instructions_in; NULL: its instructions are not counted */
};

/* For a group whose what is an array of ops, the last without a name. Measures them, at each x of
   the group if it is a curve; each round begins with another one. */
void ops_measure(const struct group *g, unsigned round);

/* The median time of one of n operations in a row, over some batches after one that warms up. */
double batch_ns(void (*batch)(void *state, unsigned n), void *state, unsigned n, unsigned batches);

/*
 * How many instructions an operation takes in a function and what it calls, as valgrind counts
 * them. A colon and a word may follow the symbol. Valgrind runs this program once more, as
 * "PROGRAM --repeat NAME", which does the operation INSTRUCTIONS_REPEAT times: see repeat of a
 * program. Fails the attempt if there is no valgrind.
 */
#define INSTRUCTIONS_REPEAT 6400u
double instructions_in(const char *symbol, const char *name);
void instructions_repeat(const struct op *op); /* do it that often */

/* n, or less in a quick run, but no less than least. */
unsigned scaled(unsigned n, unsigned least);

/* The program. */

/* An option: a flag, or with an argument. */
struct choice {
    const char *name, *argument, *help;
    int *flag;
    const char **text;
    double *number, least, most;
    bool given;
};

struct program {
    const char *name, *about;
    const struct group *groups;
    unsigned count;
    const struct claim *claims; /* ended by one without a group */
    bool in_pairs;              /* claims are about two processes with a processor each */
    unsigned rounds, quick_rounds;
    bool only_quick;                    /* a quick run leaves out groups that are not marked */
    struct choice *choices;             /* besides those of all programs; ended by zeros */
    bool (*parsed)(void);               /* all options are known; false: exit with 0 */
    void (*begin)(void);                /* before the first group */
    void (*end)(void);                  /* after the last, also after SIGTERM */
    int (*repeat)(const char *subject); /* what valgrind runs: see instructions_in */
    void (*write)(struct json *j);      /* more members of the file, and of its rows */
    void (*write_row)(struct json *j, const struct group *g);
};

struct machine {
    char cpu[160], kernel[256], governor[64], load[64];
    int cpus;               /* that this process may use */
    int main_cpu, peer_cpu; /* where the two processes run; -1: anywhere */
    cpu_set_t all;
};

extern struct bench {
    const struct program *program;
    int quick, lasting; /* flags */
    double rounds;      /* as asked for; 0: the default */
    const char *scenarios, *json;
    const char *extent; /* of the run, for the file */
    struct machine machine;
    volatile sig_atomic_t interrupted;
} bench;

int bench_main(int argc, char **argv, const struct program *program);

/* An option is wrong: say why, and end the program. */
void refuse_option(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* Lists with commas: is the name in it? End the program unless all are among name(0), ... NULL. */
bool in_list(const char *list, const char *name);
void check_list(const char *list, const char *what, const char *(*name)(unsigned), const char *see);

/* On a line of the terminal that comes and goes. "": remove it. */
void progress(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Find out about the machine and choose two of its cores, with one thread each if it can be. */
void machine_init(struct machine *m);
void machine_pin(int cpu); /* does nothing for -1 */
void machine_unpin(void);

/* Processes. */

/*
 * Call fun in a new process. If it returns, that process goes on with the rest of the program, with
 * all it measured in its memory, and the old one only waits for it: NULL is returned. Otherwise
 * the old process goes on, as if fun had not begun, with the reason: what fun passed to
 * attempt_fail, the signal that ended it, or that it took more than limit_seconds. The reason is
 * valid until the next attempt.
 */
const char *attempt(void (*fun)(const void *arg), const void *arg, unsigned limit_seconds);

/*
 * End the attempt under way, with a reason. Any process of the attempt may call it. Outside of an
 * attempt it prints the reason and ends the program.
 */
void attempt_fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* attempt_fail if something failed: a call of libach, a call that sets errno, anything else. */
#define MUST_ACH(call) must_ach((call), #call)
#define MUST_SYS(cond) ((cond) ? (void)0 : attempt_fail("%s: %m", #cond))
#define MUST(cond) ((cond) ? (void)0 : attempt_fail("not true: %s", #cond))
static inline void must_ach(enum ach_status status, const char *what)
{
    if (status != ACH_OK && status != ACH_MISSED_FRAME)
        attempt_fail("%s: %s %s", what, ach_result_to_string(status), ach_errstr());
}

/*
 * Run fun in a child that has a channel directory of its own. When it ends, is interrupted or takes
 * too long, all its processes and the directory go. Returns what the program shall exit with.
 */
int supervise(int (*fun)(void), unsigned limit_seconds);

/* Run fun in a child on the other core. Returns when the child has called peer_ready. */
pid_t peer_start(void (*fun)(void *), void *arg);
void peer_ready(void);
void peer_join(pid_t pid); /* waits until it ends by itself */
void peer_kill(pid_t pid);

/*
 * What a measurement takes is held until its round ends, or in ops until the turn ends, and then
 * released, the last first. release_to releases what came after a former held_count. Only one
 * thread of a process may call these functions.
 */
extern unsigned held_count;
void hold(void (*release)(void *what, size_t size), void *what, size_t size);
void release_to(unsigned count);

/* Memory, zeroed and present in full, that children share. Private memory, present in full. */
void *shared_alloc(size_t size);
void *private_alloc(size_t size);

/* Why there are no kernel channels; NULL: there are. */
const char *kernel_missing(void);

/* Make a channel of the benchmark; open it. The name and the handle must last as they are held. */
void channel_make(const char *name, size_t frames, size_t size, bool single_writer);
void channel_open(ach_channel_t *chan, const char *name, bool source, uint64_t spin_ns);

/* A handle with a message of 64 B. What does something n times ends the program if a call fails. */
struct user {
    ach_channel_t chan;
    unsigned missed; /* gets that missed messages */
    unsigned char message[MESSAGE_SIZE] APART;
};

void user_put(void *user, unsigned n);
void user_get_last(void *user, unsigned n); /* also if it is not new */
void user_get_next(void *user, unsigned n);

/* For an op: a channel of op->frames, with a message in it. No get of the op may miss any. */
void *user_setup(const struct op *op);

/* A mutex that processes share. robust: it survives its owner's death and lends it priority. */
void mutex_init(pthread_mutex_t *mutex, bool robust);

/* The compiler must believe that another process sees and changes memory. */
static inline void memory_changes(void)
{
    __asm__ volatile("" : : : "memory");
}

/* Output. */

void output_machine(void);
void output_group(const struct group *g);
void output_unmeasured(const struct group *g, const char *why);
void output_end(void); /* claims, notes, and what was not measured */
bool output_json(FILE *f);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * doctor.h - checks of the system that channels depend on
 *
 * Each check reports its result, also if it is good. A warning or a problem comes
 * with advice. A note is information, and may be intended.
 */
#ifndef DOCTOR_H
#define DOCTOR_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum level {
    LEVEL_OK,
    LEVEL_NOTE,
    LEVEL_REPAIRED,
    LEVEL_WARNING,
    LEVEL_PROBLEM,
};

struct finding {
    enum level level;
    const char *check;
    char text[512];
    char advice[1024]; /* "": none */
};

struct report {
    bool repair;
    const char *root;   /* prefix of the paths of configuration files; "" for / */
    char dir[PATH_MAX]; /* of the channels */
    struct finding *findings;
    size_t n;
};

/* Add a finding. Out of memory ends the program. */
struct finding *found(struct report *r, enum level level, const char *check, const char *format,
                      ...) __attribute__((format(printf, 4, 5)));

void advise(struct finding *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Is there no warning and no problem? */
bool report_well(const struct report *r);

void report_print(const struct report *r);
void report_print_json(const struct report *r);

/* Is this file older than SETTLED_S? A live creator in another PID namespace looks dead here. */
bool settled(const char *path);

/* False: there is no such directory. */
bool check_directory(struct report *r);
void check_files(struct report *r);
void check_servers(struct report *r);
void check_limits(struct report *r);
void check_realtime(struct report *r);
void check_kernel(struct report *r);
void check_logind(struct report *r);

#endif

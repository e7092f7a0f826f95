/* SPDX-License-Identifier: BSD-3-Clause */
/* emulator_scip.c - the emulator's side of SCIP 2.0, written from its specification */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "emulator.h"

/* The parameters of a URG-04LX. */
enum { DMIN = 20, DMAX = 5600, ARES = 1024, AMIN = 44, AMAX = 725, AFRT = 384, RPM = 600 };

double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

bool speed_fits(const struct emulator *e)
{
    static const struct {
        unsigned speed;
        speed_t code;
    } all[] = {{19200, B19200}, {38400, B38400}, {57600, B57600}, {115200, B115200}};
    struct termios t;
    size_t i;

    if (e->speed <= 0 || tcgetattr(e->master, &t) != 0)
        return true;
    for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (all[i].speed == (unsigned)e->speed)
            return cfgetospeed(&t) == all[i].code;
    return false;
}

static double chance(struct emulator *e)
{
    e->random = e->random * 6364136223846793005u + 1442695040888963407u;
    return (double)(e->random >> 11) * 0x1p-53;
}

/* If no driver reads the terminal, its buffer fills up, and bytes that do not fit are lost. */
static void send(struct emulator *e, const char *bytes, size_t size)
{
    char out[16384];
    size_t i, n = 0;

    for (i = 0; i < size && n < sizeof(out); i++) {
        if (e->drop > 0 && chance(e) < e->drop)
            continue;
        out[n++] = e->noise > 0 && chance(e) < e->noise ? (char)(unsigned char)(chance(e) * 256)
                                                        : bytes[i];
    }
    if (e->mute > 0 || !speed_fits(e))
        return;
    if (e->delay > 0)
        usleep((useconds_t)(e->delay * 1000));
    if (write(e->master, out, n) < 0)
        return;
}

struct text {
    char bytes[16384];
    size_t size;
};

static char sum(const char *text, size_t size)
{
    unsigned s = 0;

    while (size--)
        s += (unsigned char)*text++;
    return (char)((s & 63) + '0');
}

static void add(struct text *t, const char *line)
{
    t->size += (size_t)snprintf(t->bytes + t->size, sizeof(t->bytes) - t->size, "%s\n", line);
}

static void add_summed(struct text *t, const char *line)
{
    t->size += (size_t)snprintf(t->bytes + t->size, sizeof(t->bytes) - t->size, "%s%c\n", line,
                                sum(line, strlen(line)));
}

static void add_field(struct text *t, const char *line)
{
    t->size += (size_t)snprintf(t->bytes + t->size, sizeof(t->bytes) - t->size, "%s;%c\n", line,
                                sum(line, strlen(line)));
}

static void add_number(struct text *t, const char *name, int value)
{
    char line[64];

    snprintf(line, sizeof(line), "%s:%d", name, value);
    add_field(t, line);
}

static void finish(struct emulator *e, struct text *t)
{
    add(t, "");
    send(e, t->bytes, t->size);
}

static void answer(struct emulator *e, const char *command, const char *status)
{
    struct text t = {.size = 0};

    add(&t, command);
    add_summed(&t, status);
    finish(e, &t);
}

static void encode(unsigned value, unsigned chars, char *to)
{
    while (chars--) {
        to[chars] = (char)('0' + value % 64);
        value /= 64;
    }
}

static double box(double angle)
{
    double x = fabs(cos(angle)), y = fabs(sin(angle));

    return fmin(x > 1e-6 ? 2.0 / x : 1e9, y > 1e-6 ? 1.5 / y : 1e9) * 1000;
}

static unsigned range(const struct emulator *e, unsigned step)
{
    double r = 2000;

    if (strcmp(e->scene, "ramp") == 0)
        r = step % 100 == 0 ? 7 : 500 + step * 3; /* 7: an error code */
    else if (strcmp(e->scene, "box") == 0)
        r = box(((double)step - AFRT) * 2 * M_PI / ARES);
    if (e->chars == 2 && r > 4095)
        r = 4095;
    return (unsigned)r;
}

/* The smallest range of a cluster. */
static unsigned cluster_range(const struct emulator *e, unsigned step)
{
    unsigned best = range(e, step), i;

    for (i = step + 1; i < step + e->cluster && i <= e->last; i++)
        if (range(e, i) < best)
            best = range(e, i);
    return best;
}

static void add_scan(struct emulator *e, struct text *t)
{
    char data[4096], line[65] = "";
    size_t size = 0, at;
    unsigned step;

    encode(e->clock & 0xffffff, 4, line);
    line[4] = '\0';
    add_summed(t, line);
    for (step = e->first; step <= e->last; step += e->cluster) {
        encode(cluster_range(e, step), e->chars, data + size);
        size += e->chars;
    }
    for (at = 0; at < size; at += 64) {
        snprintf(line, sizeof(line), "%.*s", (int)(size - at < 64 ? size - at : 64), data + at);
        add_summed(t, line);
    }
    e->clock += (uint32_t)e->period;
}

/* Send the command again, with the number of scans left, and a scan. */
void scip_send_scan(struct emulator *e)
{
    struct text t = {.size = 0};

    if (e->left > 0)
        e->left--;
    e->command[13] = (char)('0' + e->left / 10 % 10);
    e->command[14] = (char)('0' + e->left % 10);
    add(&t, e->command);
    add_summed(&t, "99");
    add_scan(e, &t);
    finish(e, &t);
    if (e->left == 0 && e->counted)
        e->measuring = false;
}

static bool parameters(struct emulator *e, const char *p, bool many, const char **status)
{
    unsigned first, last, cluster, skip = 0, count = 0;
    int n = 0;

    if ((many ? sscanf(p, "%4u%4u%2u%1u%2u%n", &first, &last, &cluster, &skip, &count, &n) < 5
              : sscanf(p, "%4u%4u%2u%n", &first, &last, &cluster, &n) < 3) ||
        p[n] != '\0') {
        *status = "0C";
        return false;
    }
    if (last < first || last > 768) {
        *status = "04";
        return false;
    }
    e->first = first;
    e->last = last;
    e->cluster = cluster ? cluster : 1;
    e->skip = skip;
    e->left = count;
    return true;
}

static void measure(struct emulator *e, const char *command)
{
    const char *status = "00";

    e->chars = command[1] == 'D' ? 3 : 2;
    if (!parameters(e, command + 2, true, &status)) {
        answer(e, command, status);
        return;
    }
    e->laser = e->laser || e->laser_ok;
    if (!e->laser) {
        answer(e, command, "0A");
        return;
    }
    answer(e, command, "00");
    snprintf(e->command, sizeof(e->command), "%s", command);
    e->counted = e->left > 0;
    e->measuring = true;
    e->next_scan = now() + e->period / 1000;
}

static void get_one(struct emulator *e, const char *command)
{
    struct text t = {.size = 0};
    const char *status = "00";

    e->chars = command[1] == 'D' ? 3 : 2;
    if (!parameters(e, command + 2, false, &status) || !e->laser) {
        answer(e, command, e->laser ? status : "10");
        return;
    }
    add(&t, command);
    add_summed(&t, "00");
    add_scan(e, &t);
    usleep((useconds_t)(e->period * 1000));
    finish(e, &t);
}

static void parameters_answer(struct emulator *e, const char *command)
{
    struct text t = {.size = 0};
    bool bad = strcmp(e->model, "bad") == 0;

    if (strcmp(e->model, "none") == 0) {
        answer(e, command, "0E");
        return;
    }
    add(&t, command);
    add_summed(&t, "00");
    add_field(&t, "MODL:URG-04LX(Emulated)");
    add_number(&t, "DMIN", bad ? DMAX : DMIN);
    add_number(&t, "DMAX", bad ? DMIN : DMAX);
    add_number(&t, "ARES", bad ? 0 : ARES);
    add_number(&t, "AMIN", AMIN);
    add_number(&t, "AMAX", AMAX);
    add_number(&t, "AFRT", AFRT);
    add_number(&t, "SCAN", RPM);
    finish(e, &t);
}

static void version_answer(struct emulator *e, const char *command)
{
    struct text t = {.size = 0};

    add(&t, command);
    add_summed(&t, "00");
    add_field(&t, "VEND:Nobody");
    add_field(&t, "PROD:Emulated scanner");
    add_field(&t, "FIRM:1.0");
    add_field(&t, "PROT:SCIP 2.0");
    add_field(&t, "SERI:H0508486");
    finish(e, &t);
}

static void state_answer(struct emulator *e, const char *command)
{
    struct text t = {.size = 0};

    add(&t, command);
    add_summed(&t, "00");
    add_field(&t, "MODL:URG-04LX(Emulated)");
    add_field(&t, e->laser ? "LASR:ON" : "LASR:OFF");
    add_field(&t, "SCSP:Initial(600[rpm])");
    add_field(&t, e->measuring ? "MESM:Measuring" : "MESM:Idle");
    add_field(&t, "STAT:Sensor works well");
    finish(e, &t);
}

static void laser_on(struct emulator *e, const char *command)
{
    const char *status = e->laser ? "02" : e->laser_ok ? "00" : "01";

    e->laser = e->laser || e->laser_ok;
    answer(e, command, status);
}

/* The answer is still sent at the old speed. */
static void set_speed(struct emulator *e, const char *command)
{
    int speed = atoi(command + 2);

    if (strlen(command) != 8 || (speed != 19200 && speed != 57600 && speed != 115200)) {
        answer(e, command, "01");
        return;
    }
    answer(e, command, (int)e->speed == speed ? "02" : "00");
    if (e->speed > 0) {
        tcdrain(e->master);
        usleep(20000);
        e->speed = speed;
    }
}

static void stop(struct emulator *e, const char *command)
{
    e->measuring = e->laser = false;
    answer(e, command, "00");
}

void scip_command(struct emulator *e, const char *command)
{
    static const struct {
        const char *name;
        void (*run)(struct emulator *e, const char *command);
    } all[] = {{"MD", measure},        {"MS", measure},     {"GD", get_one},
               {"GS", get_one},        {"BM", laser_on},    {"QT", stop},
               {"RS", stop},           {"SS", set_speed},   {"PP", parameters_answer},
               {"VV", version_answer}, {"II", state_answer}};
    size_t i;

    if (strcmp(command, "SCIP2.0") == 0 && e->scip < 2) {
        e->scip = 2;
        send(e, "SCIP2.0\n0\n\n", 11);
        return;
    }
    if (e->scip < 2)
        return;
    for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (strncmp(command, all[i].name, 2) == 0) {
            all[i].run(e, command);
            return;
        }
    answer(e, command, "0E");
}

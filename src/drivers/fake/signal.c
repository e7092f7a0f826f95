/* SPDX-License-Identifier: BSD-3-Clause */
#include "signal.h"

#include <ach.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The next number of a reproducible sequence: splitmix64. */
static double uniform(uint64_t *random)
{
    uint64_t z = (*random += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

static double value_at(const struct drv_signal *s, double time, uint64_t *random)
{
    double turns = time / s->period, part = turns - floor(turns), range = s->high - s->low;

    switch (s->shape) {
    case DRV_RAMP:
        return s->low + range * part;
    case DRV_SINE:
        return s->low + range * (0.5 + 0.5 * sin(2 * M_PI * part));
    case DRV_SQUARE:
        return part < 0.5 ? s->high : s->low;
    case DRV_NOISE:
        return s->low + range * uniform(random);
    default:
        return s->low;
    }
}

static double signal_clamp(double v, double low, double high)
{
    return v < low ? low : v > high ? high : v;
}

#define STORE(type, v)                                                                             \
    do {                                                                                           \
        type stored_ = (type)(v);                                                                  \
                                                                                                   \
        memcpy(at, &stored_, sizeof(stored_));                                                     \
        return sizeof(stored_);                                                                    \
    } while (0)

/* Store v; integers are rounded and clamped. Returns the scalar's size. @at NULL: store nothing. */
static size_t store(uint8_t kind, char *at, double v)
{
    char none[8];

    if (!at)
        at = none;
    switch (kind) {
    case ACH_KIND_INT8:
        STORE(int8_t, lround(signal_clamp(v, INT8_MIN, INT8_MAX)));
    case ACH_KIND_UINT8:
    case ACH_KIND_CHAR:
        STORE(uint8_t, lround(signal_clamp(v, 0, UINT8_MAX)));
    case ACH_KIND_INT16:
        STORE(int16_t, lround(signal_clamp(v, INT16_MIN, INT16_MAX)));
    case ACH_KIND_UINT16:
        STORE(uint16_t, lround(signal_clamp(v, 0, UINT16_MAX)));
    case ACH_KIND_INT32:
        STORE(int32_t, llround(signal_clamp(v, INT32_MIN, INT32_MAX)));
    case ACH_KIND_UINT32:
        STORE(uint32_t, llround(signal_clamp(v, 0, UINT32_MAX)));
    case ACH_KIND_INT64:
        STORE(int64_t, llround(signal_clamp(v, -9e18, 9e18)));
    case ACH_KIND_UINT64:
        STORE(uint64_t, llround(signal_clamp(v, 0, 9e18)));
    case ACH_KIND_FLOAT:
        STORE(float, v);
    default:
        STORE(double, v);
    }
}

/* A walk along the path. Without a body it only checks whether the path is valid. */
struct walk {
    const struct drv_signal *signal;
    double time;
    uint64_t *random;
    unsigned element; /* number of scalars set so far */
};

static bool follow(struct walk *w, const ach_type_t *type, char *body, const char *path);

/* Set the elements from first to last of a field. */
static bool set_elements(struct walk *w, const ach_field_t *f, char *at, uint32_t first,
                         uint32_t last, const char *rest)
{
    size_t size = f->kind == ACH_KIND_STRUCT ? f->type->body_size : store(f->kind, NULL, 0);
    const struct drv_signal *s = w->signal;
    uint32_t i;

    if (f->kind == ACH_KIND_STRUCT && *rest != '.')
        return false;
    if (f->kind != ACH_KIND_STRUCT && *rest)
        return false;
    for (i = first; at && i < last; i++) {
        if (f->kind == ACH_KIND_STRUCT)
            follow(w, f->type, at + i * size, rest + 1);
        else
            store(f->kind, at + i * size,
                  value_at(s, w->time + s->spread * w->element++, w->random));
    }
    return at || f->kind != ACH_KIND_STRUCT || follow(w, f->type, NULL, rest + 1);
}

static bool follow_field(struct walk *w, const ach_field_t *f, char *body, const char *rest)
{
    uint32_t first = 0, count = f->limit;
    char *at = body ? body + f->offset : NULL, *end;

    if (f->array == ACH_ARRAY_COUNT)
        return false;
    if (f->array == ACH_ARRAY_VARIABLE && body) {
        memcpy(&count, body + f->count_offset, sizeof(count));
        memcpy(&at, body + f->offset, sizeof(at));
        if (!at)
            return true;
    }
    if (*rest == '[') {
        first = (uint32_t)strtoul(rest + 1, &end, 10);
        if (f->array == ACH_ARRAY_NONE || end == rest + 1 || *end != ']' || first >= f->limit)
            return false;
        count = first < count ? first + 1 : first;
        rest = end + 1;
    }
    return set_elements(w, f, at, first, count, rest);
}

static bool follow(struct walk *w, const ach_type_t *type, char *body, const char *path)
{
    size_t length = strcspn(path, ".[");
    uint32_t i;

    for (i = 0; i < type->field_count; i++) {
        const ach_field_t *f = &type->fields[i];

        if (strncmp(f->name, path, length) == 0 && !f->name[length])
            return follow_field(w, f, body, path + length);
    }
    return false;
}

void drv_signal_apply(const struct drv_signal *signal, const ach_type_t *type, void *body,
                      double time, uint64_t *random)
{
    struct walk w = {.signal = signal, .time = time, .random = random};

    follow(&w, type, body, signal->path);
}

static bool read_shape(ach_section_t *section, struct drv_signal *s)
{
    static const char *const names[] = {"constant", "ramp", "sine", "square", "noise"};
    const char *name = ach_section_string(section, "shape", "constant");
    unsigned i;

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(name, names[i]) == 0) {
            s->shape = i;
            return true;
        }
    ach_section_refuse(section, "shape", 0, "constant, ramp, sine, square or noise");
    return false;
}

static bool read_all(ach_section_t *section, const ach_type_t *type, struct drv_signal *s)
{
    struct walk w = {.signal = s};

    s->path = ach_section_string(section, "field", "");
    s->low = ach_section_double(section, "low", 0);
    s->high = ach_section_double(section, "high", 1);
    s->period = ach_section_double(section, "period", 1);
    s->spread = ach_section_double(section, "spread", 0);
    if (!(s->period > 0)) {
        ach_section_refuse(section, "period", 0, "a time above 0, in seconds");
        return false;
    }
    if (!type || !follow(&w, type, NULL, s->path)) {
        ach_section_refuse(section, "field", 0, "a number of that message, as pos.px or ranges");
        return false;
    }
    return read_shape(section, s) && !ach_section_failed(section);
}

ach_status_t drv_signal_read(ach_section_t *section, const ach_type_t *type,
                             struct drv_signal **signal)
{
    struct drv_signal *s = calloc(1, sizeof(*s));

    if (!s)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a signal");
    if (!read_all(section, type, s)) {
        free(s);
        return ACH_EINVAL;
    }
    *signal = s;
    return ACH_OK;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* values.c - errors, arguments, options and results */
#include "api.h"
#include "gateway.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX 1024

#define NAME_ROW(number, text) {number, text},
const struct oct_name oct_maps[] = {OCT_MAPS(NAME_ROW){0, NULL}};
const struct oct_name oct_readies[] = {OCT_READIES(NAME_ROW){0, NULL}};
const struct oct_name oct_rights[] = {OCT_RIGHTS(NAME_ROW){0, NULL}};
const struct oct_name oct_clocks[] = {{CLOCK_MONOTONIC, "monotonic"},
                                      {CLOCK_REALTIME, "realtime"},
                                      {CLOCK_BOOTTIME, "boottime"},
                                      {CLOCK_TAI, "tai"},
                                      {0, NULL}};
static const struct oct_name statuses[] = {OCT_STATUSES(NAME_ROW){0, NULL}};

static void *held_body;
static ach_message_t *held_message;

void *oct_hold_body(void *body)
{
    free(held_body);
    held_body = body;
    return body;
}

ach_message_t *oct_hold_message(ach_message_t *message)
{
    ach_message_unref(held_message);
    held_message = message;
    return message;
}

void oct_release(void)
{
    oct_hold_body(NULL);
    oct_hold_message(NULL);
}

/* "timeout" for ACH_TIMEOUT. */
const char *oct_status_name(enum ach_status status)
{
    static char name[32];

    snprintf(name, sizeof(name), "%s", ach_result_to_string(status) + strlen("ACH_"));
    for (char *c = name; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    return name;
}

void oct_throw(enum ach_status status, const char *format, ...)
{
    char id[40], text[TEXT_MAX];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    snprintf(id, sizeof(id), "ach:%s", oct_status_name(status));
    mexErrMsgIdAndTxt(id, "%s", text);
    abort(); /* not reached */
}

/* The text of the library, or of the status if the library has none. */
void oct_throw_status(enum ach_status status)
{
    const char *text = ach_errstr();

    oct_throw(status, "%s", *text ? text : oct_name_of(statuses, (int)status));
}

void oct_check(enum ach_status status)
{
    if (status != ACH_OK)
        oct_throw_status(status);
}

char *oct_text(const mxArray *a, const char *what)
{
    char *text = mxIsChar(a) && mxGetM(a) <= 1 ? mxArrayToString(a) : NULL;

    if (!text)
        oct_throw(ACH_EINVAL, "expected %s as text, found %s", what, mxGetClassName(a));
    if (strlen(text) != mxGetNumberOfElements(a))
        oct_throw(ACH_EINVAL, "expected %s as text, found a NUL in it", what);
    return text;
}

double oct_number(const mxArray *a, const char *what)
{
    if ((!mxIsNumeric(a) && !mxIsLogical(a)) || mxIsComplex(a) || mxGetNumberOfElements(a) != 1)
        oct_throw(ACH_EINVAL, "expected %s as one number, found %s of class %s", what,
                  mxGetNumberOfElements(a) == 1 ? "a value" : "an array", mxGetClassName(a));
    return mxGetScalar(a);
}

uint64_t oct_count(const mxArray *a, const char *what)
{
    double n = oct_number(a, what);

    if (mxIsUint64(a))
        return *(const uint64_t *)mxGetData(a);
    if (!(n >= 0) || n >= 0x1p64 || n != floor(n))
        oct_throw(ACH_EINVAL, "expected %s as a whole number from 0, found %g", what, n);
    return (uint64_t)n;
}

/* The characters of a text, a byte each. */
static const void *char_bytes(const mxArray *a, const char *what, size_t *size)
{
    const mxChar *from = mxGetChars(a);
    uint8_t *bytes;

    *size = mxGetNumberOfElements(a);
    bytes = mxMalloc(*size + 1);
    for (size_t i = 0; i < *size; i++) {
        bytes[i] = (uint8_t)from[i];
        if ((mxChar)bytes[i] != from[i]) /* in MATLAB a character has 16 bits */
            oct_throw(ACH_EINVAL, "expected %s as bytes, found a character beyond 255", what);
    }
    return bytes;
}

const void *oct_bytes(const mxArray *a, const char *what, size_t *size)
{
    if (mxIsChar(a))
        return char_bytes(a, what, size);
    if ((!mxIsNumeric(a) && !mxIsLogical(a)) || mxIsComplex(a) || mxIsSparse(a))
        oct_throw(ACH_EINVAL, "expected %s as an array of real numbers, found %s%s", what,
                  mxIsComplex(a)  ? "complex "
                  : mxIsSparse(a) ? "sparse "
                                  : "",
                  mxGetClassName(a));
    *size = mxGetNumberOfElements(a) * mxGetElementSize(a);
    return mxGetData(a);
}

/* Permissions as text, because 644 would be taken for a decimal number. */
mode_t oct_mode(const mxArray *a)
{
    const char *text = oct_text(a, "permissions");
    char *end;
    unsigned long mode = strtoul(text, &end, 8);

    if (!isdigit((unsigned char)*text) || *end || mode > 07777)
        oct_throw(ACH_EINVAL, "expected permissions as octal digits such as '644', found '%s'",
                  text);
    return (mode_t)mode;
}

static void option_set(const struct oct_option *o, const mxArray *a)
{
    double n;

    switch (o->kind) {
    case OPTION_FLAG:
        *(bool *)o->value = oct_number(a, o->name) != 0;
        break;
    case OPTION_SECONDS:
        n = oct_number(a, o->name);
        if (!(n >= 0))
            oct_throw(ACH_EINVAL, "expected %s as seconds from 0, found %g", o->name, n);
        *(double *)o->value = n;
        break;
    case OPTION_COUNT:
        *(uint64_t *)o->value = oct_count(a, o->name);
        break;
    case OPTION_TEXT:
        *(char **)o->value = oct_text(a, o->name);
        break;
    case OPTION_ARRAY:
        *(const mxArray **)o->value = a;
        break;
    }
}

__attribute__((noreturn)) static void option_unknown(const struct oct_option *options,
                                                     const char *name)
{
    char all[TEXT_MAX / 2] = "";
    size_t used = 0;

    for (const struct oct_option *o = options; o->name && used < sizeof(all); o++)
        used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%s", used ? ", " : "", o->name);
    oct_throw(ACH_EINVAL, "there is no option '%.100s'; there are: %s", name, all);
}

void oct_options(const struct oct_call *c, int from, const struct oct_option *options)
{
    for (int i = from; i < c->count; i += 2) {
        const char *name = oct_text(c->argument[i], "the name of an option");
        const struct oct_option *o = options;

        while (o->name && strcmp(o->name, name) != 0)
            o++;
        if (!o->name)
            option_unknown(options, name);
        if (i + 1 == c->count)
            oct_throw(ACH_EINVAL, "the option '%s' has no value", name);
        option_set(o, c->argument[i + 1]);
    }
}

int oct_name_value(const struct oct_name *names, const char *name, const char *what)
{
    for (const struct oct_name *n = names; n->name; n++)
        if (strcmp(n->name, name) == 0)
            return n->value;
    oct_throw(ACH_EINVAL, "there is no %s '%.100s'", what, name);
}

const char *oct_name_of(const struct oct_name *names, int value)
{
    while (names->name && names->value != value)
        names++;
    return names->name ? names->name : "unknown";
}

mxArray *oct_uint64(uint64_t n)
{
    mxArray *a = mxCreateNumericMatrix(1, 1, mxUINT64_CLASS, mxREAL);

    *(uint64_t *)mxGetData(a) = n;
    return a;
}

mxArray *oct_char(const void *bytes, size_t size)
{
    mwSize dims[2] = {size > 0, (mwSize)size};
    mxArray *a = mxCreateCharArray(2, dims);
    mxChar *to = mxGetChars(a);

    for (size_t i = 0; i < size; i++)
        to[i] = (mxChar)((const uint8_t *)bytes)[i];
    return a;
}

void oct_field(mxArray *s, const char *name, mxArray *value)
{
    mxSetFieldByNumber(s, 0, mxAddField(s, name), value);
}

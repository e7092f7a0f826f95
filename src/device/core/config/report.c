/* SPDX-License-Identifier: BSD-3-Clause */
#include "report.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void dev_text_finish(struct dev_text *text)
{
    free(text->data);
    *text = (struct dev_text){0};
}

static bool make_room(struct dev_text *text, size_t more)
{
    size_t room = 2 * (text->used + more + 1);
    char *data;

    if (text->used + more < text->room)
        return true;
    data = realloc(text->data, room);
    if (!data)
        return false;
    text->data = data;
    text->room = room;
    return true;
}

void dev_text_add(struct dev_text *text, const char *format, ...)
{
    va_list ap, again;
    int n;

    va_start(ap, format);
    va_copy(again, ap);
    n = vsnprintf(NULL, 0, format, ap);
    if (n >= 0 && make_room(text, (size_t)n)) {
        vsnprintf(text->data + text->used, text->room - text->used, format, again);
        text->used += (size_t)n;
    }
    va_end(again);
    va_end(ap);
}

void dev_text_place(struct dev_text *text, struct dev_place at)
{
    if (at.line)
        dev_text_add(text, "%s:%d:%d: ", at.file, at.line, at.column);
    else
        dev_text_add(text, "%s: ", at.file);
}

/* The end of what fits, not in the middle of a UTF-8 character. */
static size_t cut(const char *bytes, size_t length)
{
    while (length > 0 && ((unsigned char)bytes[length] & 0xc0) == 0x80)
        length--;
    return length;
}

const char *dev_show_bytes(char buffer[DEV_SHOWN], const char *bytes, size_t length)
{
    size_t most = DEV_SHOWN - sizeof("..."), n = length <= most ? length : cut(bytes, most), i;

    for (i = 0; i < n; i++) {
        unsigned char c = (unsigned char)bytes[i];

        buffer[i] = c < ' ' || c == 0x7f ? '?' : bytes[i];
    }
    strcpy(buffer + n, n < length ? "..." : "");
    return buffer;
}

void dev_text_value(struct dev_text *text, const struct dev_value *value)
{
    char shown[DEV_SHOWN];

    dev_show_bytes(shown, value->text, strlen(value->text));
    if (value->kind == DEV_STRING)
        dev_text_add(text, "the string \"%s\"", shown);
    else
        dev_text_add(text, value->kind == DEV_NUMBER ? "the number %s" : "'%s'", shown);
}

/*
 * A failed load leaves no configuration to keep its errors in. They belong to
 * the thread, and are freed when it ends.
 */
static pthread_key_t kept;
static pthread_once_t kept_once = PTHREAD_ONCE_INIT;
static bool have_kept;

static void make_kept(void)
{
    have_kept = pthread_key_create(&kept, free) == 0;
}

void dev_config_keep_errors(struct dev_text *errors)
{
    char *text = errors->data, *old;

    *errors = (struct dev_text){0};
    pthread_once(&kept_once, make_kept);
    old = have_kept ? pthread_getspecific(kept) : NULL;
    free(have_kept && pthread_setspecific(kept, text) == 0 ? old : text);
}

static const char *kept_errors(void)
{
    pthread_once(&kept_once, make_kept);
    return have_kept ? pthread_getspecific(kept) : NULL;
}

const char *ach_config_errors(const ach_config_t *config)
{
    const char *text = config ? config->errors.data : kept_errors();

    return text ? text : "";
}

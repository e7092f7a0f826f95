/* SPDX-License-Identifier: BSD-3-Clause */
/* error.c - errors while a file is read: counted, each place once */
#include <stdarg.h>
#include <stdlib.h>

#include "parse.h"
#include "report.h"

static bool same_place(struct dev_place a, struct dev_place b)
{
    return a.file == b.file && a.line == b.line && a.column == b.column;
}

/* Begin an error; false if it is not to be reported. */
static bool error_begin(struct dev_parser *p, struct dev_place at)
{
    if (p->stop || (p->errors > 0 && same_place(at, p->last)))
        return false;
    p->errors++;
    p->last = at;
    dev_text_place(&p->config->errors, at);
    return true;
}

static void finish(struct dev_parser *p)
{
    dev_text_add(&p->config->errors, "\n");
    if (p->errors < ACH_CONFIG_ERRORS_MAX)
        return;
    dev_text_add(&p->config->errors, "%s: gave up after %d errors\n", p->last.file, p->errors);
    p->stop = true;
}

static void add(struct dev_parser *p, const char *format, va_list ap)
{
    char *text = NULL;

    if (vasprintf(&text, format, ap) < 0) {
        dev_parse_no_memory(p);
        return;
    }
    dev_text_add(&p->config->errors, "%s", text);
    free(text);
}

void dev_parse_unexpected(struct dev_parser *p, const struct dev_token *found, const char *format,
                          ...)
{
    va_list ap;

    if (!error_begin(p, found->at))
        return;
    dev_text_add(&p->config->errors, "found ");
    dev_token_show(found, &p->config->errors);
    dev_text_add(&p->config->errors, ", expected ");
    va_start(ap, format);
    add(p, format, ap);
    va_end(ap);
    finish(p);
}

void dev_parse_error(struct dev_parser *p, struct dev_place at, const char *format, ...)
{
    va_list ap;

    if (!error_begin(p, at))
        return;
    va_start(ap, format);
    add(p, format, ap);
    va_end(ap);
    finish(p);
}

void dev_parse_limit(struct dev_parser *p, struct dev_place at, const char *format, ...)
{
    va_list ap;

    if (error_begin(p, at)) {
        va_start(ap, format);
        add(p, format, ap);
        va_end(ap);
        finish(p);
    }
    p->stop = true;
}

void dev_parse_no_memory(struct dev_parser *p)
{
    p->no_memory = true;
    p->stop = true;
}

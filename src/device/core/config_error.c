/* SPDX-License-Identifier: BSD-3-Clause */
/* config_error.c - errors while a file is read: counted, each place once */
#include <stdarg.h>
#include <stdlib.h>

#include "config_parse.h"
#include "config_report.h"

static bool same_place(struct achi_place a, struct achi_place b)
{
    return a.file == b.file && a.line == b.line && a.column == b.column;
}

/* Begin an error; false if it is not to be told. */
static bool begin(struct achi_parser *p, struct achi_place at)
{
    if (p->stop || (p->errors > 0 && same_place(at, p->last)))
        return false;
    p->errors++;
    p->last = at;
    achi_text_place(&p->config->errors, at);
    return true;
}

static void finish(struct achi_parser *p)
{
    achi_text_add(&p->config->errors, "\n");
    if (p->errors < ACH_CONFIG_ERRORS_MAX)
        return;
    achi_text_add(&p->config->errors, "%s: gave up after %d errors\n", p->last.file, p->errors);
    p->stop = true;
}

static void add(struct achi_parser *p, const char *format, va_list ap)
{
    char *text = NULL;

    if (vasprintf(&text, format, ap) < 0) {
        achi_parse_no_memory(p);
        return;
    }
    achi_text_add(&p->config->errors, "%s", text);
    free(text);
}

void achi_parse_unexpected(struct achi_parser *p, const struct achi_token *found,
                           const char *format, ...)
{
    va_list ap;

    if (!begin(p, found->at))
        return;
    achi_text_add(&p->config->errors, "found ");
    achi_token_show(found, &p->config->errors);
    achi_text_add(&p->config->errors, ", expected ");
    va_start(ap, format);
    add(p, format, ap);
    va_end(ap);
    finish(p);
}

void achi_parse_error(struct achi_parser *p, struct achi_place at, const char *format, ...)
{
    va_list ap;

    if (!begin(p, at))
        return;
    va_start(ap, format);
    add(p, format, ap);
    va_end(ap);
    finish(p);
}

void achi_parse_limit(struct achi_parser *p, struct achi_place at, const char *format, ...)
{
    va_list ap;

    if (begin(p, at)) {
        va_start(ap, format);
        add(p, format, ap);
        va_end(ap);
        finish(p);
    }
    p->stop = true;
}

void achi_parse_no_memory(struct achi_parser *p)
{
    p->no_memory = true;
    p->stop = true;
}

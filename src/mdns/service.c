/* SPDX-License-Identifier: BSD-3-Clause */
/* service.c - the TXT records of a service to advertise */
#include "service.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Each record has a byte for its length before it. */
static size_t txt_bytes(const struct mdns_service *s)
{
    size_t i, n = 0;

    for (i = 0; i < s->n_txt; i++)
        n += strlen(s->txt[i]) + 1;
    return n;
}

bool mdns_service_add(struct mdns_service *s, const char *format, ...)
{
    char text[256], **more;
    va_list ap;
    int n;

    va_start(ap, format);
    n = vsnprintf(text, sizeof(text), format, ap);
    va_end(ap);
    if (n < 0 || (size_t)n >= sizeof(text) || txt_bytes(s) + (size_t)n + 1 > MDNS_TXT_MAX)
        return false;
    more = realloc(s->txt, (s->n_txt + 1) * sizeof(*more));
    if (!more)
        return false;
    s->txt = more;
    s->txt[s->n_txt] = strdup(text);
    if (!s->txt[s->n_txt])
        return false;
    s->n_txt++;
    return true;
}

void mdns_service_finish(struct mdns_service *s)
{
    while (s->n_txt)
        free(s->txt[--s->n_txt]);
    free(s->txt);
    s->txt = NULL;
}

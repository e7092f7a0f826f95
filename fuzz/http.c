/* SPDX-License-Identifier: BSD-3-Clause */
/* http.c - requests to the metrics of achd */
#include "http.h"

#include <stdlib.h>
#include <string.h>

#include "property.h"

#define PAGE "/metrics"

/* In memory of exactly its size, so that a byte read beyond it is noticed. */
static unsigned parse_prefix(const uint8_t *data, size_t n)
{
    char *copy = malloc(n ? n : 1);
    enum relay_http_method method = RELAY_HTTP_GET;
    unsigned status;

    HOLDS(copy != NULL);
    memcpy(copy, data, n);
    status = relay_http_parse(copy, n, PAGE, &method);
    if (status == 200)
        HOLDS(n > strlen(PAGE) && memmem(copy, n, PAGE, strlen(PAGE)) &&
              memcmp(copy, method == RELAY_HTTP_GET ? "GET " : "HEAD ", 4) == 0);
    free(copy);
    HOLDS(*relay_http_reason(status));
    return status;
}

void property_http(const uint8_t *data, size_t size)
{
    unsigned status, whole = parse_prefix(data, size);
    size_t n;

    if (size < RELAY_HTTP_REQUEST_MAX)
        HOLDS(whole == 0 || whole == 200 || whole == 400 || whole == 404 || whole == 405);
    for (n = 0; n < size && n < RELAY_HTTP_REQUEST_MAX; n++) {
        status = parse_prefix(data, n);
        HOLDS(status == 0 || status == whole);
    }
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* http.h - requests to a server that has one page */
#ifndef RELAY_HTTP_H
#define RELAY_HTTP_H

#include <stddef.h>

#define RELAY_HTTP_REQUEST_MAX 4096u

enum relay_http_method { RELAY_HTTP_GET, RELAY_HTTP_HEAD };

/*
 * The status of the answer to a request of which n bytes have come: 200, 400, 404, 405 or 431.
 * 0: its end has not come yet. method is set if the status is 200.
 */
unsigned relay_http_parse(const char *bytes, size_t n, const char *page,
                          enum relay_http_method *method);

/* The words that belong to such a status. */
const char *relay_http_reason(unsigned status);

#endif

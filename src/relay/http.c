/* SPDX-License-Identifier: BSD-3-Clause */
#include "http.h"

#include <stdbool.h>
#include <string.h>

#define VERSION "HTTP/1."

struct http_word {
    const char *at;
    size_t size;
};

static bool word_is(const struct http_word *w, const char *text)
{
    return w->size == strlen(text) && memcmp(w->at, text, w->size) == 0;
}

/* Lines end with CR LF, or with LF only. */
static bool http_whole(const char *bytes, size_t n)
{
    return memmem(bytes, n, "\r\n\r\n", 4) || memmem(bytes, n, "\n\n", 2);
}

/* The word up to the next space, or the rest. The space is skipped. */
static struct http_word next_word(const char **at, const char *end)
{
    const char *begin = *at, *space = memchr(begin, ' ', (size_t)(end - begin));

    *at = space ? space + 1 : end;
    return (struct http_word){begin, (size_t)((space ? space : end) - begin)};
}

static bool is_version(const struct http_word *w)
{
    size_t n = strlen(VERSION);

    return w->size == n + 1 && memcmp(w->at, VERSION, n) == 0 && w->at[n] >= '0' && w->at[n] <= '9';
}

static bool is_page(struct http_word target, const char *page)
{
    const char *query = memchr(target.at, '?', target.size);

    if (query)
        target.size = (size_t)(query - target.at);
    return word_is(&target, page);
}

static unsigned http_line(const char *line, const char *end, const char *page,
                          enum relay_http_method *method)
{
    struct http_word verb = next_word(&line, end), target = next_word(&line, end),
                     version = next_word(&line, end);

    if (line != end || !is_version(&version) || !verb.size || !target.size)
        return 400;
    *method = word_is(&verb, "HEAD") ? RELAY_HTTP_HEAD : RELAY_HTTP_GET;
    if (*method == RELAY_HTTP_GET && !word_is(&verb, "GET"))
        return 405;
    return is_page(target, page) ? 200 : 404;
}

unsigned relay_http_parse(const char *bytes, size_t n, const char *page,
                          enum relay_http_method *method)
{
    const char *end;

    if (!http_whole(bytes, n))
        return n < RELAY_HTTP_REQUEST_MAX ? 0 : 431;
    end = memchr(bytes, '\n', n);
    if (end > bytes && end[-1] == '\r')
        end--;
    return http_line(bytes, end, page, method);
}

const char *relay_http_reason(unsigned status)
{
    switch (status) {
    case 200:
        return "OK";
    case 404:
        return "Not Found";
    case 405:
        return "Method Not Allowed";
    case 431:
        return "Request Header Fields Too Large";
    default:
        return "Bad Request";
    }
}

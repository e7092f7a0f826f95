/* SPDX-License-Identifier: BSD-3-Clause */
/* value.c - values and tuples as they are read */
#include <stdlib.h>
#include <string.h>

#include "parse.h"

static bool truth(const struct dev_token *token, bool *is)
{
    *is = dev_token_is(token, "true") || dev_token_is(token, "yes");
    return *is || dev_token_is(token, "false") || dev_token_is(token, "no");
}

bool dev_parse_is_value(const struct dev_token *token)
{
    bool is;

    return token->kind == DEV_TEXT || token->kind == DEV_NUMERAL || token->kind == DEV_BRACKET ||
           truth(token, &is);
}

static struct dev_value *new_value(struct dev_parser *p, struct dev_place at)
{
    size_t room = 2 * p->value_room + 16;
    struct dev_value *more;

    if (!dev_parse_spend(p, at))
        return NULL;
    if (p->value_count == p->value_room) {
        more = realloc(p->values, room * sizeof(*more));
        if (!more) {
            dev_parse_no_memory(p);
            return NULL;
        }
        p->values = more;
        p->value_room = room;
    }
    return &p->values[p->value_count++];
}

static void check_string(struct dev_parser *p, const struct dev_token *token)
{
    if (token->fault && memchr(token->text, '\0', token->length))
        dev_parse_error(p, token->at, "found a string with a NUL byte, expected text");
    else if (token->fault)
        dev_parse_unexpected(p, token, "a quote that ends it in the same line");
}

/* Take one token as a value. */
static void take_value(struct dev_parser *p)
{
    const struct dev_token *token = dev_parse_token(p);
    struct dev_value value = {.at = token->at}, *room = new_value(p, token->at);
    bool is;

    if (!room)
        return;
    value.text = dev_config_copy(p->config, token->text, token->length);
    if (!value.text)
        dev_parse_no_memory(p);
    value.kind = token->kind == DEV_TEXT ? DEV_STRING : DEV_NUMBER;
    if (value.kind == DEV_STRING) {
        check_string(p, token);
    } else if (truth(token, &is)) {
        value.kind = DEV_BOOL;
        value.number = is;
    } else if (value.text && !dev_numeral(value.text, &value.number)) {
        dev_parse_unexpected(p, token, "a number, or a string in quotes");
    }
    *room = value;
    dev_parse_advance(p);
}

/* A word in a new line is the next field, and the bracket before it was forgotten. */
static bool ends_tuple(struct dev_parser *p, const struct dev_token *token)
{
    switch (token->kind) {
    case DEV_END:
    case DEV_OPEN:
    case DEV_CLOSE:
        return true;
    case DEV_WORD:
        return token->at.line != p->source->lexer.last_line;
    default:
        return false;
    }
}

/* Brackets within brackets only group. One error is reported for each tuple, not every comma. */
static void take_tuple(struct dev_parser *p)
{
    size_t depth = 0;
    bool told = false;

    do {
        const struct dev_token *token = dev_parse_token(p);

        if (token->kind == DEV_BRACKET) {
            depth++;
        } else if (token->kind == DEV_FINISH) {
            depth--;
        } else if (dev_parse_is_value(token)) {
            take_value(p);
            continue;
        } else {
            if (!told)
                dev_parse_unexpected(p, token, "a value or ']'; spaces separate values");
            told = true;
            if (ends_tuple(p, token))
                return;
        }
        dev_parse_advance(p);
    } while (depth > 0);
}

bool dev_parse_value(struct dev_parser *p, bool *tuple)
{
    const struct dev_token *token = dev_parse_token(p);

    p->value_count = 0;
    *tuple = token->kind == DEV_BRACKET;
    if (!dev_parse_is_value(token))
        return false;
    if (*tuple)
        take_tuple(p);
    else
        take_value(p);
    return !p->stop;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* config_value.c - values and tuples as they are read */
#include <stdlib.h>
#include <string.h>

#include "config_parse.h"

static bool truth(const struct achi_token *token, bool *is)
{
    *is = achi_token_is(token, "true") || achi_token_is(token, "yes");
    return *is || achi_token_is(token, "false") || achi_token_is(token, "no");
}

bool achi_parse_is_value(const struct achi_token *token)
{
    bool is;

    return token->kind == ACHI_TEXT || token->kind == ACHI_NUMERAL || token->kind == ACHI_BRACKET ||
           truth(token, &is);
}

static struct achi_value *new_value(struct achi_parser *p, struct achi_place at)
{
    size_t room = 2 * p->value_room + 16;
    struct achi_value *more;

    if (!achi_parse_spend(p, at))
        return NULL;
    if (p->value_count == p->value_room) {
        more = realloc(p->values, room * sizeof(*more));
        if (!more) {
            achi_parse_no_memory(p);
            return NULL;
        }
        p->values = more;
        p->value_room = room;
    }
    return &p->values[p->value_count++];
}

static void check_string(struct achi_parser *p, const struct achi_token *token)
{
    if (token->fault && memchr(token->text, '\0', token->length))
        achi_parse_error(p, token->at, "found a string with a NUL byte, expected text");
    else if (token->fault)
        achi_parse_unexpected(p, token, "a quote that ends it in the same line");
}

/* Take one token as a value. */
static void take_value(struct achi_parser *p)
{
    const struct achi_token *token = achi_parse_token(p);
    struct achi_value value = {.at = token->at}, *room = new_value(p, token->at);
    bool is;

    if (!room)
        return;
    value.text = achi_config_copy(p->config, token->text, token->length);
    if (!value.text)
        achi_parse_no_memory(p);
    value.kind = token->kind == ACHI_TEXT ? ACHI_STRING : ACHI_NUMBER;
    if (value.kind == ACHI_STRING) {
        check_string(p, token);
    } else if (truth(token, &is)) {
        value.kind = ACHI_BOOL;
        value.number = is;
    } else if (value.text && !achi_numeral(value.text, &value.number)) {
        achi_parse_unexpected(p, token, "a number, or a string in quotes");
    }
    *room = value;
    achi_parse_advance(p);
}

/* A word in a new line is the next field, and the bracket before it was forgotten. */
static bool ends_tuple(struct achi_parser *p, const struct achi_token *token)
{
    switch (token->kind) {
    case ACHI_END:
    case ACHI_OPEN:
    case ACHI_CLOSE:
        return true;
    case ACHI_WORD:
        return token->at.line != p->source->lexer.last_line;
    default:
        return false;
    }
}

/* Brackets within brackets only group. One mistake is told of each tuple, not every comma. */
static void take_tuple(struct achi_parser *p)
{
    size_t depth = 0;
    bool told = false;

    do {
        const struct achi_token *token = achi_parse_token(p);

        if (token->kind == ACHI_BRACKET) {
            depth++;
        } else if (token->kind == ACHI_FINISH) {
            depth--;
        } else if (achi_parse_is_value(token)) {
            take_value(p);
            continue;
        } else {
            if (!told)
                achi_parse_unexpected(p, token, "a value or ']'; spaces separate values");
            told = true;
            if (ends_tuple(p, token))
                return;
        }
        achi_parse_advance(p);
    } while (depth > 0);
}

bool achi_parse_value(struct achi_parser *p, bool *tuple)
{
    const struct achi_token *token = achi_parse_token(p);

    p->value_count = 0;
    *tuple = token->kind == ACHI_BRACKET;
    if (!achi_parse_is_value(token))
        return false;
    if (*tuple)
        take_tuple(p);
    else
        take_value(p);
    return !p->stop;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "lex.h"

#include <string.h>

#include "report.h"

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool starts_number(char c)
{
    return is_digit(c) || c == '+' || c == '-' || c == '.';
}

static bool is_bracket(char c)
{
    return c == '(' || c == ')' || c == '[' || c == ']';
}

static bool is_odd(char c)
{
    return !is_space(c) && !is_letter(c) && !starts_number(c) && !is_bracket(c) && c != '#' &&
           c != '"';
}

static bool in_word(char c)
{
    return is_letter(c) || is_digit(c) || c == '.' || c == '-' || c == ':';
}

static bool in_number(char c)
{
    return is_letter(c) || is_digit(c) || c == '.' || c == '-' || c == '+';
}

static bool ends_line(const struct dev_lexer *lexer)
{
    return *lexer->at == '\n' ||
           (*lexer->at == '\r' && (lexer->at + 1 == lexer->end || lexer->at[1] != '\n'));
}

static void step(struct dev_lexer *lexer)
{
    if (ends_line(lexer)) {
        lexer->place.line++;
        lexer->place.column = 1;
    } else if (((unsigned char)*lexer->at & 0xc0) != 0x80) {
        lexer->place.column++;
    }
    lexer->at++;
}

static void skip_comment(struct dev_lexer *lexer)
{
    while (lexer->at < lexer->end && *lexer->at != '\n' && *lexer->at != '\r')
        step(lexer);
}

static void skip_space(struct dev_lexer *lexer)
{
    while (lexer->at < lexer->end && (is_space(*lexer->at) || *lexer->at == '#')) {
        if (*lexer->at == '#')
            skip_comment(lexer);
        else
            step(lexer);
    }
}

static void take(struct dev_lexer *lexer, enum dev_token_kind kind, bool (*belongs)(char))
{
    const char *start = lexer->at;

    do
        step(lexer);
    while (belongs && lexer->at < lexer->end && belongs(*lexer->at));
    lexer->token.kind = kind;
    lexer->token.text = start;
    lexer->token.length = (size_t)(lexer->at - start);
}

/* The length of an index that belongs to a word, as in color[0]; 0: what follows is no index. */
static size_t index_length(const struct dev_lexer *lexer)
{
    const char *p = lexer->at;

    if (p == lexer->end || *p != '[')
        return 0;
    do
        p++;
    while (p < lexer->end && is_digit(*p));
    return p < lexer->end && *p == ']' && p > lexer->at + 1 ? (size_t)(p + 1 - lexer->at) : 0;
}

static void take_word(struct dev_lexer *lexer)
{
    const char *start = lexer->at;
    size_t n;

    take(lexer, DEV_WORD, in_word);
    while ((n = index_length(lexer)) > 0) {
        while (n--)
            step(lexer);
        while (lexer->at < lexer->end && in_word(*lexer->at))
            step(lexer);
    }
    lexer->token.text = start;
    lexer->token.length = (size_t)(lexer->at - start);
}

static bool in_string(char c)
{
    return c != '"' && c != '\r' && c != '\n';
}

static void take_string(struct dev_lexer *lexer)
{
    struct dev_token *token = &lexer->token;

    take(lexer, DEV_TEXT, NULL);
    token->text = lexer->at;
    while (lexer->at < lexer->end && in_string(*lexer->at))
        step(lexer);
    token->length = (size_t)(lexer->at - token->text);
    token->fault =
        lexer->at == lexer->end || *lexer->at != '"' || memchr(token->text, '\0', token->length);
    if (lexer->at < lexer->end && *lexer->at == '"')
        step(lexer);
}

static void take_bracket(struct dev_lexer *lexer)
{
    switch (*lexer->at) {
    case '(':
        take(lexer, DEV_OPEN, NULL);
        break;
    case ')':
        take(lexer, DEV_CLOSE, NULL);
        break;
    case '[':
        take(lexer, DEV_BRACKET, NULL);
        break;
    default:
        take(lexer, DEV_FINISH, NULL);
    }
}

void dev_lexer_advance(struct dev_lexer *lexer)
{
    char c;

    lexer->last_line = lexer->token.at.line;
    skip_space(lexer);
    lexer->token = (struct dev_token){.kind = DEV_END, .at = lexer->place, .text = ""};
    if (lexer->at == lexer->end)
        return;
    c = *lexer->at;
    if (c == '"')
        take_string(lexer);
    else if (is_bracket(c))
        take_bracket(lexer);
    else if (is_letter(c))
        take_word(lexer);
    else if (starts_number(c))
        take(lexer, DEV_NUMERAL, in_number);
    else
        take(lexer, DEV_ODD, is_odd);
}

void dev_lexer_init(struct dev_lexer *lexer, const char *file, const char *bytes, size_t size)
{
    *lexer = (struct dev_lexer){
        .at = bytes, .end = bytes + size, .place = {.file = file, .line = 1, .column = 1}};
    if (size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0)
        lexer->at += 3;
    dev_lexer_advance(lexer);
}

bool dev_token_is(const struct dev_token *token, const char *word)
{
    return token->kind == DEV_WORD && token->length == strlen(word) &&
           memcmp(token->text, word, token->length) == 0;
}

void dev_token_show(const struct dev_token *token, struct dev_text *text)
{
    unsigned char first = token->length ? (unsigned char)*token->text : 'x';
    char shown[DEV_SHOWN];

    dev_show_bytes(shown, token->text, token->length);
    if (token->kind == DEV_END)
        dev_text_add(text, "the end of the file");
    else if (token->kind == DEV_TEXT)
        dev_text_add(text, "the string \"%s\"", shown);
    else if (first < ' ' || first >= 0x7f)
        dev_text_add(text, "the byte 0x%02x", first);
    else
        dev_text_add(text, "'%s'", shown);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "config_parse.h"

#define WORD_MAX 255

static void read_items(struct achi_parser *p, struct ach_section *section, bool nested);

const struct achi_token *achi_parse_token(struct achi_parser *p)
{
    if (p->stop)
        p->source->lexer.token.kind = ACHI_END;
    return &p->source->lexer.token;
}

void achi_parse_advance(struct achi_parser *p)
{
    if (!p->stop)
        achi_lexer_advance(&p->source->lexer);
}

bool achi_parse_spend(struct achi_parser *p, struct achi_place at)
{
    if (achi_config_spend(p->config, 1))
        return true;
    achi_parse_limit(p, at, "more than %d fields, values and sections", ACH_CONFIG_ITEMS_MAX);
    return false;
}

static void inherit(struct achi_parser *p, struct ach_section *section,
                    const struct achi_template *from)
{
    switch (achi_section_inherit(section, from->section, ACH_CONFIG_DEPTH_MAX - p->depth)) {
    case ACH_OK:
        break;
    case ACH_OVERFLOW:
        achi_parse_limit(p, section->at,
                         "'%s' makes too much: more than %d sections in sections, or %d items",
                         from->name, ACH_CONFIG_DEPTH_MAX, ACH_CONFIG_ITEMS_MAX);
        break;
    default:
        achi_parse_no_memory(p);
    }
}

/* A section of that name, or what a template of that name makes. */
static struct ach_section *make_section(struct achi_parser *p, const char *name,
                                        struct achi_place at)
{
    const struct achi_template *from = achi_template_find(p->config, name);
    struct ach_section *section;

    if (!achi_parse_spend(p, at))
        return NULL;
    section = achi_section_new(p->config, from ? from->section->name : name, at);
    if (!section)
        achi_parse_no_memory(p);
    else if (from)
        inherit(p, section, from);
    return section;
}

static void read_inside(struct achi_parser *p, struct ach_section *section, const char *name,
                        struct achi_place at)
{
    const struct achi_token *token;

    achi_parse_advance(p);
    read_items(p, section, true);
    token = achi_parse_token(p);
    if (token->kind == ACHI_CLOSE)
        achi_parse_advance(p);
    else
        achi_parse_unexpected(p, token, "')' for the '%s' of line %d", name, at.line);
}

/* Read what is in parentheses. NULL if it cannot be kept. */
static struct ach_section *read_section(struct achi_parser *p, const char *name,
                                        struct achi_place at)
{
    struct ach_section *section = NULL;

    p->depth++;
    if (p->depth > ACH_CONFIG_DEPTH_MAX)
        achi_parse_limit(p, at, "more than %d sections in sections", ACH_CONFIG_DEPTH_MAX);
    else
        section = make_section(p, name, at);
    if (section && !p->stop)
        read_inside(p, section, name, at);
    p->depth--;
    return p->stop ? NULL : section;
}

/* The bound keeps messages that repeat a word short. */
static const char *copy_word(struct achi_parser *p)
{
    const struct achi_token *token = achi_parse_token(p);
    size_t length = token->length <= WORD_MAX ? token->length : WORD_MAX;
    const char *word = achi_config_copy(p->config, token->text, length);

    if (!word)
        achi_parse_no_memory(p);
    if (length < token->length)
        achi_parse_unexpected(p, token, "a word of at most %d letters", WORD_MAX);
    achi_parse_advance(p);
    return word;
}

static void add_template(struct achi_parser *p, const char *name, struct ach_section *section)
{
    struct achi_template *t;

    if (p->config->template_count++ >= ACH_CONFIG_TEMPLATES_MAX) {
        achi_parse_limit(p, section->at, "more than %d templates", ACH_CONFIG_TEMPLATES_MAX);
        return;
    }
    t = achi_config_alloc(p->config, sizeof(*t));
    if (!t) {
        achi_parse_no_memory(p);
        return;
    }
    *t = (struct achi_template){.next = p->config->templates, .name = name, .section = section};
    p->config->templates = t;
}

/* define NAME SECTION ( ... ); a template of the same name is hidden from here on. */
static void read_define(struct achi_parser *p)
{
    const struct achi_token *token = achi_parse_token(p);
    const char *name, *base;
    struct ach_section *section;
    struct achi_place at;

    if (token->kind != ACHI_WORD) {
        achi_parse_unexpected(p, token, "the name of a template after 'define'");
        return;
    }
    name = copy_word(p);
    at = achi_parse_token(p)->at;
    if (achi_parse_token(p)->kind != ACHI_WORD) {
        achi_parse_unexpected(p, achi_parse_token(p), "the section that '%s' stands for", name);
        return;
    }
    base = copy_word(p);
    if (achi_parse_token(p)->kind != ACHI_OPEN) {
        achi_parse_unexpected(p, achi_parse_token(p), "'(' after 'define %s %s'", name, base);
        return;
    }
    section = p->stop ? NULL : read_section(p, base, at);
    if (section)
        add_template(p, name, section);
}

/* After a mistake the rest of the line makes little sense; parentheses and brackets still do. */
static void skip_line(struct achi_parser *p)
{
    int line = achi_parse_token(p)->at.line;
    const struct achi_token *token;

    do {
        achi_parse_advance(p);
        token = achi_parse_token(p);
    } while (token->at.line == line && (token->kind == ACHI_WORD || token->kind == ACHI_TEXT ||
                                        token->kind == ACHI_NUMERAL || token->kind == ACHI_ODD));
}

/* Parentheses or brackets that belong to nothing; what is in them is still looked at. */
static void read_stray(struct achi_parser *p)
{
    const struct achi_token *token = achi_parse_token(p);
    bool tuple;

    if (token->kind == ACHI_OPEN)
        read_section(p, "(", token->at);
    else if (token->kind == ACHI_BRACKET)
        achi_parse_value(p, &tuple);
    else
        skip_line(p);
}

/* A word that is followed neither by a value nor by a parenthesis. */
static void read_lone_word(struct achi_parser *p, const char *name)
{
    const struct achi_token *token = achi_parse_token(p);

    achi_parse_unexpected(
        p, token, "after '%s' a number, a \"string\", true, false, yes, no, '[' or '('", name);
    if (token->kind == ACHI_ODD ||
        (token->kind == ACHI_WORD && token->at.line == p->source->lexer.last_line))
        skip_line(p);
}

static void read_named(struct achi_parser *p, struct ach_section *section)
{
    struct achi_place at = achi_parse_token(p)->at;
    const char *name = copy_word(p);
    struct ach_section *inside;

    if (p->stop)
        return;
    if (achi_parse_is_value(achi_parse_token(p))) {
        achi_parse_field(p, section, name, at);
    } else if (achi_parse_token(p)->kind == ACHI_OPEN) {
        inside = read_section(p, name, at);
        if (inside)
            achi_section_add(section, inside);
    } else {
        read_lone_word(p, name);
    }
}

static void read_word(struct achi_parser *p, struct ach_section *section)
{
    const struct achi_token *token = achi_parse_token(p);

    if (achi_token_is(token, "include")) {
        achi_parse_advance(p);
        achi_parse_include(p, section);
    } else if (achi_token_is(token, "define")) {
        if (section != p->config->root)
            achi_parse_error(p, token->at, "found 'define' in a section, expected it outside");
        achi_parse_advance(p);
        read_define(p);
    } else {
        read_named(p, section);
    }
}

/* Read to the end of the file or, in parentheses, to the one that closes them. */
static void read_items(struct achi_parser *p, struct ach_section *section, bool nested)
{
    const struct achi_token *token;

    while ((token = achi_parse_token(p))->kind != ACHI_END) {
        if (token->kind == ACHI_CLOSE && nested)
            return;
        if (token->kind == ACHI_WORD) {
            read_word(p, section);
            continue;
        }
        achi_parse_unexpected(p, token, "the name of a field or section, or %s",
                              nested ? "')'" : "the end of the file");
        read_stray(p);
    }
}

void achi_parse_source(struct achi_parser *p, struct achi_source *source,
                       struct ach_section *section)
{
    source->includer = p->source;
    p->source = source;
    read_items(p, section, false);
    p->source = source->includer;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "parse.h"

#define WORD_MAX 255

static void read_items(struct dev_parser *p, struct ach_section *section, bool nested);

static void inherit(struct dev_parser *p, struct ach_section *section,
                    const struct dev_template *from)
{
    switch (dev_section_inherit(section, from->section, ACH_CONFIG_DEPTH_MAX - p->depth)) {
    case ACH_OK:
        break;
    case ACH_OVERFLOW:
        dev_parse_limit(
            p, section->at,
            "'%s' is too large: it nests sections more than %d deep, or has more than %d items",
            from->name, ACH_CONFIG_DEPTH_MAX, ACH_CONFIG_ITEMS_MAX);
        break;
    default:
        dev_parse_no_memory(p);
    }
}

/* A section of that name, or what a template of that name makes. */
static struct ach_section *make_section(struct dev_parser *p, const char *name, struct dev_place at)
{
    const struct dev_template *from = dev_template_find(p->config, name);
    struct ach_section *section;

    if (!dev_parse_spend(p, at))
        return NULL;
    section = dev_section_new(p->config, from ? from->section->name : name, at);
    if (!section)
        dev_parse_no_memory(p);
    else if (from)
        inherit(p, section, from);
    return section;
}

static void read_inside(struct dev_parser *p, struct ach_section *section, const char *name,
                        struct dev_place at)
{
    const struct dev_token *token;

    dev_parse_advance(p);
    read_items(p, section, true);
    token = dev_parse_token(p);
    if (token->kind == DEV_CLOSE)
        dev_parse_advance(p);
    else
        dev_parse_unexpected(p, token, "')' for the '%s' of line %d", name, at.line);
}

/* Read what is in parentheses. NULL if it cannot be kept. */
static struct ach_section *read_section(struct dev_parser *p, const char *name, struct dev_place at)
{
    struct ach_section *section = NULL;

    p->depth++;
    if (p->depth > ACH_CONFIG_DEPTH_MAX)
        dev_parse_limit(p, at, "sections are nested more than %d deep", ACH_CONFIG_DEPTH_MAX);
    else
        section = make_section(p, name, at);
    if (section && !p->stop)
        read_inside(p, section, name, at);
    p->depth--;
    return p->stop ? NULL : section;
}

/* The bound keeps messages that repeat a word short. */
static const char *copy_word(struct dev_parser *p)
{
    const struct dev_token *token = dev_parse_token(p);
    size_t length = token->length <= WORD_MAX ? token->length : WORD_MAX;
    const char *word = dev_config_copy(p->config, token->text, length);

    if (!word)
        dev_parse_no_memory(p);
    if (length < token->length)
        dev_parse_unexpected(p, token, "a word of at most %d letters", WORD_MAX);
    dev_parse_advance(p);
    return word;
}

static void add_template(struct dev_parser *p, const char *name, struct ach_section *section)
{
    struct dev_template *t;

    if (p->config->template_count++ >= ACH_CONFIG_TEMPLATES_MAX) {
        dev_parse_limit(p, section->at, "more than %d templates", ACH_CONFIG_TEMPLATES_MAX);
        return;
    }
    t = dev_config_alloc(p->config, sizeof(*t));
    if (!t) {
        dev_parse_no_memory(p);
        return;
    }
    *t = (struct dev_template){.next = p->config->templates, .name = name, .section = section};
    p->config->templates = t;
}

/* define NAME SECTION ( ... ); a template of the same name is hidden from here on. */
static void read_define(struct dev_parser *p)
{
    const struct dev_token *token = dev_parse_token(p);
    const char *name, *base;
    struct ach_section *section;
    struct dev_place at;

    if (token->kind != DEV_WORD) {
        dev_parse_unexpected(p, token, "the name of a template after 'define'");
        return;
    }
    name = copy_word(p);
    at = dev_parse_token(p)->at;
    if (dev_parse_token(p)->kind != DEV_WORD) {
        dev_parse_unexpected(p, dev_parse_token(p), "the section that '%s' stands for", name);
        return;
    }
    base = copy_word(p);
    if (dev_parse_token(p)->kind != DEV_OPEN) {
        dev_parse_unexpected(p, dev_parse_token(p), "'(' after 'define %s %s'", name, base);
        return;
    }
    section = p->stop ? NULL : read_section(p, base, at);
    if (section)
        add_template(p, name, section);
}

/* After a mistake the rest of the line makes little sense; parentheses and brackets still do. */
static void skip_line(struct dev_parser *p)
{
    int line = dev_parse_token(p)->at.line;
    const struct dev_token *token;

    do {
        dev_parse_advance(p);
        token = dev_parse_token(p);
    } while (token->at.line == line && (token->kind == DEV_WORD || token->kind == DEV_TEXT ||
                                        token->kind == DEV_NUMERAL || token->kind == DEV_ODD));
}

/* Parentheses or brackets that belong to nothing; what is in them is still checked. */
static void read_stray(struct dev_parser *p)
{
    const struct dev_token *token = dev_parse_token(p);
    bool tuple;

    if (token->kind == DEV_OPEN)
        read_section(p, "(", token->at);
    else if (token->kind == DEV_BRACKET)
        dev_parse_value(p, &tuple);
    else
        skip_line(p);
}

/* A word that is followed neither by a value nor by a parenthesis. */
static void read_lone_word(struct dev_parser *p, const char *name)
{
    const struct dev_token *token = dev_parse_token(p);

    dev_parse_unexpected(
        p, token, "after '%s' a number, a \"string\", true, false, yes, no, '[' or '('", name);
    if (token->kind == DEV_ODD ||
        (token->kind == DEV_WORD && token->at.line == p->source->lexer.last_line))
        skip_line(p);
}

static void read_named(struct dev_parser *p, struct ach_section *section)
{
    struct dev_place at = dev_parse_token(p)->at;
    const char *name = copy_word(p);
    struct ach_section *inside;

    if (p->stop)
        return;
    if (dev_parse_is_value(dev_parse_token(p))) {
        dev_parse_field(p, section, name, at);
    } else if (dev_parse_token(p)->kind == DEV_OPEN) {
        inside = read_section(p, name, at);
        if (inside)
            dev_section_add(section, inside);
    } else {
        read_lone_word(p, name);
    }
}

static void read_include(struct dev_parser *p, struct ach_section *section)
{
    struct dev_source source;
    struct dev_file file;

    if (!dev_include_open(p, &source, &file))
        return;
    dev_parse_source(p, &source, section);
    dev_include_close(p, &file);
}

static void read_word(struct dev_parser *p, struct ach_section *section)
{
    const struct dev_token *token = dev_parse_token(p);

    if (dev_token_is(token, "include")) {
        dev_parse_advance(p);
        read_include(p, section);
    } else if (dev_token_is(token, "define")) {
        if (section != p->config->root)
            dev_parse_error(p, token->at, "found 'define' in a section, expected it outside");
        dev_parse_advance(p);
        read_define(p);
    } else {
        read_named(p, section);
    }
}

/* Read to the end of the file or, in parentheses, to the one that closes them. */
static void read_items(struct dev_parser *p, struct ach_section *section, bool nested)
{
    const struct dev_token *token;

    while ((token = dev_parse_token(p))->kind != DEV_END) {
        if (token->kind == DEV_CLOSE && nested)
            return;
        if (token->kind == DEV_WORD) {
            read_word(p, section);
            continue;
        }
        dev_parse_unexpected(p, token, "the name of a field or section, or %s",
                             nested ? "')'" : "the end of the file");
        read_stray(p);
    }
}

void dev_parse_source(struct dev_parser *p, struct dev_source *source, struct ach_section *section)
{
    source->includer = p->source;
    p->source = source;
    read_items(p, section, false);
    p->source = source->includer;
}

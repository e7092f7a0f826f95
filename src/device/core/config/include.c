/* SPDX-License-Identifier: BSD-3-Clause */
/* include.c - included files */
#include <limits.h>
#include <stdlib.h>

#include "parse.h"
#include "report.h"

static const struct dev_source *find_open(const struct dev_parser *p, const struct dev_file *file)
{
    const struct dev_source *s;

    for (s = p->source; s; s = s->includer) {
        if (s->file && s->file->device == file->device && s->file->inode == file->inode)
            return s;
    }
    return NULL;
}

static void name_chain(struct dev_text *text, const struct dev_source *from,
                       const struct dev_source *to)
{
    if (from != to)
        name_chain(text, from->includer, to);
    dev_text_add(text, "%s includes ", from->lexer.place.file);
}

static void tell_cycle(struct dev_parser *p, struct dev_place at, const char *path,
                       const struct dev_source *open)
{
    struct dev_text chain = {0};

    name_chain(&chain, p->source, open);
    dev_parse_error(p, at, "a file includes itself: %s%s", chain.data ? chain.data : "", path);
    dev_text_finish(&chain);
}

/* Whether a file may be read here: not within itself, and not beyond the limit of all files. */
static bool may_include(struct dev_parser *p, struct dev_place at, const char *path,
                        const struct dev_file *file)
{
    const struct dev_source *open = find_open(p, file);

    if (open) {
        tell_cycle(p, at, path, open);
        return false;
    }
    p->total += file->size;
    if (p->total > ACH_CONFIG_TOTAL_MAX) {
        dev_parse_limit(p, at, "all files together are larger than %u bytes", ACH_CONFIG_TOTAL_MAX);
        return false;
    }
    return true;
}

static bool read_file(struct dev_parser *p, struct dev_place at, const char *path,
                      struct dev_file *file)
{
    struct dev_text why = {0};
    bool done = false;

    if (p->includes >= ACH_CONFIG_INCLUDE_MAX)
        dev_parse_error(p, at, "more than %d files that include files", ACH_CONFIG_INCLUDE_MAX);
    else if (dev_file_read(file, path, true, &why) == ACH_OK)
        done = true;
    else
        dev_parse_error(p, at, "cannot include %s: %s", path, why.data ? why.data : "no memory");
    dev_text_finish(&why);
    return done;
}

static bool open_path(struct dev_parser *p, struct dev_place at, const char *path,
                      struct dev_source *source, struct dev_file *file)
{
    if (!read_file(p, at, path, file))
        return false;
    if (!may_include(p, at, path, file)) {
        free(file->bytes);
        return false;
    }
    p->includes++;
    *source = (struct dev_source){.file = file};
    dev_lexer_init(&source->lexer, path, file->bytes, file->size);
    return true;
}

void dev_include_close(struct dev_parser *p, struct dev_file *file)
{
    p->includes--;
    free(file->bytes);
}

/* Control characters would end up in messages. */
static bool names_file(const struct dev_token *token)
{
    size_t i;

    for (i = 0; i < token->length; i++) {
        if ((unsigned char)token->text[i] < ' ' || token->text[i] == 0x7f)
            return false;
    }
    return token->kind == DEV_TEXT && !token->fault && i > 0 && i < PATH_MAX;
}

bool dev_include_open(struct dev_parser *p, struct dev_source *source, struct dev_file *file)
{
    const struct dev_token *token = dev_parse_token(p);
    struct dev_place at = token->at;
    const char *path;

    if (!names_file(token)) {
        dev_parse_unexpected(p, token, "the name of a file, in quotes, after 'include'");
        if (token->kind == DEV_TEXT)
            dev_parse_advance(p);
        return false;
    }
    path = dev_config_copy(p->config, token->text, token->length);
    if (path)
        path = dev_config_path(p->config, at.file, path);
    if (!path) {
        dev_parse_no_memory(p);
        return false;
    }
    dev_parse_advance(p);
    return open_path(p, at, path, source, file);
}

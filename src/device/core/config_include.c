/* SPDX-License-Identifier: BSD-3-Clause */
/* config_include.c - files in files */
#include <limits.h>
#include <stdlib.h>

#include "config_parse.h"
#include "config_report.h"

static const struct achi_source *find_open(const struct achi_parser *p,
                                           const struct achi_file *file)
{
    const struct achi_source *s;

    for (s = p->source; s; s = s->includer) {
        if (s->file && s->file->device == file->device && s->file->inode == file->inode)
            return s;
    }
    return NULL;
}

static void name_chain(struct achi_text *text, const struct achi_source *from,
                       const struct achi_source *to)
{
    if (from != to)
        name_chain(text, from->includer, to);
    achi_text_add(text, "%s includes ", from->lexer.place.file);
}

static void tell_cycle(struct achi_parser *p, struct achi_place at, const char *path,
                       const struct achi_source *open)
{
    struct achi_text chain = {0};

    name_chain(&chain, p->source, open);
    achi_parse_error(p, at, "a file includes itself: %s%s", chain.data ? chain.data : "", path);
    achi_text_finish(&chain);
}

static void read_included(struct achi_parser *p, struct ach_section *section, struct achi_place at,
                          const char *path, const struct achi_file *file)
{
    const struct achi_source *open = find_open(p, file);
    struct achi_source source = {.file = file};

    if (open) {
        tell_cycle(p, at, path, open);
        return;
    }
    p->total += file->size;
    if (p->total > ACH_CONFIG_TOTAL_MAX) {
        achi_parse_limit(p, at, "all files together are larger than %u bytes",
                         ACH_CONFIG_TOTAL_MAX);
        return;
    }
    p->includes++;
    achi_lexer_init(&source.lexer, path, file->bytes, file->size);
    achi_parse_source(p, &source, section);
    p->includes--;
}

static void include_path(struct achi_parser *p, struct ach_section *section, struct achi_place at,
                         const char *path)
{
    struct achi_text why = {0};
    struct achi_file file;

    if (p->includes >= ACH_CONFIG_INCLUDE_MAX) {
        achi_parse_error(p, at, "more than %d files that include files", ACH_CONFIG_INCLUDE_MAX);
    } else if (achi_file_read(&file, path, true, &why) == ACH_OK) {
        read_included(p, section, at, path, &file);
        free(file.bytes);
    } else {
        achi_parse_error(p, at, "cannot include %s: %s", path, why.data ? why.data : "no memory");
    }
    achi_text_finish(&why);
}

/* Control characters would end up in messages. */
static bool names_file(const struct achi_token *token)
{
    size_t i;

    for (i = 0; i < token->length; i++) {
        if ((unsigned char)token->text[i] < ' ' || token->text[i] == 0x7f)
            return false;
    }
    return token->kind == ACHI_TEXT && !token->fault && i > 0 && i < PATH_MAX;
}

void achi_parse_include(struct achi_parser *p, struct ach_section *section)
{
    const struct achi_token *token = achi_parse_token(p);
    struct achi_place at = token->at;
    const char *path;

    if (!names_file(token)) {
        achi_parse_unexpected(p, token, "the name of a file, in quotes, after 'include'");
        if (token->kind == ACHI_TEXT)
            achi_parse_advance(p);
        return;
    }
    path = achi_config_copy(p->config, token->text, token->length);
    if (path)
        path = achi_config_path(p->config, at.file, path);
    if (!path) {
        achi_parse_no_memory(p);
        return;
    }
    achi_parse_advance(p);
    include_path(p, section, at, path);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "attachment.h"

#include <stdlib.h>
#include <string.h>

#include "../../mcap/reader.h"

struct attachment_search {
    const char *name;
    bool found;
    char *names; /* of all, for the complaint */
    size_t size;
    FILE *list;
};

static bool attachment_look(void *context, const struct mcap_attachment *a)
{
    struct attachment_search *s = context;

    if (s->list)
        fprintf(s->list, "%s'%.*s'", s->size++ ? ", " : "", (int)a->name.size, a->name.at);
    s->found = a->name.size == strlen(s->name) && memcmp(a->name.at, s->name, a->name.size) == 0;
    if (s->found)
        fwrite(a->data, 1, a->size, stdout);
    return !s->found;
}

static bool attachment_search_all(const struct logs_source *s, struct attachment_search *a)
{
    size_t i;

    for (i = 0; i < logs_files(s) && !a->found; i++) {
        struct mcap_reader *r = logs_mcap(s, i);

        if (r && mcap_reader_attachments(r, attachment_look, a) == MCAP_BAD)
            complain("'%s' is damaged: %s", logs_path(s, i), mcap_reader_error(r));
    }
    return a->found;
}

bool rec_attachment_write(const struct logs_source *s, const char *name)
{
    struct attachment_search a = {.name = name};
    size_t unused;

    a.list = open_memstream(&a.names, &unused);
    if (!attachment_search_all(s, &a)) {
        if (a.list)
            fflush(a.list);
        if (a.size)
            complain("there is no attachment '%s'; there are: %s", name, a.names);
        else
            complain("there is no attachment '%s', and no other", name);
    }
    if (a.list)
        fclose(a.list);
    free(a.names);
    return a.found;
}

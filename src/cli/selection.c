/* SPDX-License-Identifier: BSD-3-Clause */
#include "selection.h"

#include "cli.h"

bool selection_add(struct selection *s, const char *path)
{
    if (value_paths_add(&s->paths, path) == ACH_OK)
        return true;
    fail_errstr();
    return false;
}

bool selection_check(const struct selection *s, const struct decoder *d)
{
    const struct value *example = decoder_example(d);
    struct value unused;
    size_t i;

    for (i = 0; example && i < s->paths.count; i++) {
        if (value_find_example(example, s->paths.paths[i], &unused) != ACH_OK) {
            complain("channel '%s': %s", d->channel, ach_errstr());
            return false;
        }
    }
    return true;
}

/* With an example, the field exists, but this message leaves it out. */
struct value selection_get(struct selection *s, const struct decoder *d,
                           const struct value *message, size_t index)
{
    struct value v;
    enum ach_status status = value_find(message, s->paths.paths[index], &v);

    if (status == ACH_OK)
        return v;
    if (status == ACH_EINVAL && !decoder_example(d) && !d->quiet && !s->reported) {
        complain("channel '%s': %s", d->channel, ach_errstr());
        s->reported = true;
    }
    return (struct value){.kind = VALUE_NULL};
}

void selection_finish(struct selection *s)
{
    value_paths_finish(&s->paths);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "words.h"

#include <string.h>

#include "path.h"

#define INDEX_MAX 100000u

static struct value *own_member(struct value_arena *a, struct value *object, const char *name,
                                size_t size)
{
    struct value *v;

    object->kind = VALUE_OBJECT;
    v = (struct value *)(uintptr_t)value_member(object, name, size);
    return v ? v : value_add(a, object, name, size);
}

static struct value *own_item(struct value_arena *a, struct value *list, size_t index)
{
    list->kind = VALUE_LIST;
    while (list->count <= index)
        if (!value_add(a, list, NULL, 0))
            return NULL;
    return &list->items[index];
}

/* A value that gets another kind is emptied. */
static void become(struct value *v, enum value_kind kind)
{
    if (v->kind != kind)
        *v = (struct value){.name = v->name, .kind = (uint8_t)kind};
}

/* The value at a valid path, with everything on the way. NULL after setting ach_errstr. */
static struct value *make_place(struct value_arena *a, struct value *v, const char *at)
{
    unsigned depth = 0;

    while (v && *at) {
        if (++depth > VALUE_DEPTH_MAX) {
            ach_errstr_set(ACH_EINVAL, "the field is nested more than %u deep", VALUE_DEPTH_MAX);
            return NULL;
        }
        if (*at == '[') {
            size_t index = 0;

            for (at++; *at != ']'; at++)
                index = index * 10 + (size_t)(*at - '0');
            at++;
            if (index > INDEX_MAX) {
                ach_errstr_set(ACH_EINVAL, "the index %zu is over %u", index, INDEX_MAX);
                return NULL;
            }
            become(v, VALUE_LIST);
            v = own_item(a, v, index);
        } else {
            size_t n;

            at += *at == '.';
            n = strcspn(at, ".[");
            become(v, VALUE_OBJECT);
            v = own_member(a, v, at, n);
            at += n;
        }
    }
    return v;
}

static enum ach_status add_word(struct value_tree *t, const char *word, const struct value *example)
{
    const char *equals = strchr(word, '=');
    struct value unused, *v;
    enum ach_status status;
    char *path;

    if (!equals)
        return ach_errstr_set(ACH_EINVAL, "expected NAME=VALUE, found '%.40s'", word);
    path = value_copy(&t->arena, word, (size_t)(equals - word));
    if (!path)
        return ACH_FAILED_SYSCALL;
    status = value_find_example(example, path, &unused);
    if (status != ACH_OK)
        return status;
    v = make_place(&t->arena, &t->root, path);
    if (!v)
        return ACH_EINVAL;
    become(v, VALUE_WORD);
    v->text = equals + 1;
    v->count = strlen(equals + 1);
    return ACH_OK;
}

enum ach_status value_from_words(struct value_tree *t, const char *const *words, size_t count,
                                 const struct value *example)
{
    enum ach_status status = ACH_OK;
    size_t i;

    t->root.kind = VALUE_OBJECT;
    for (i = 0; status == ACH_OK && i < count; i++)
        status = add_word(t, words[i], example);
    return status;
}

enum ach_status value_split_word(struct value_arena *a, const struct value *word,
                                 struct value *list)
{
    const char *at = word->text, *end = at + word->count, *comma = word->count ? at : NULL;

    list->kind = VALUE_LIST;
    while (comma) {
        struct value *part = value_add(a, list, NULL, 0);

        if (!part)
            return ACH_FAILED_SYSCALL;
        comma = memchr(at, ',', (size_t)(end - at));
        part->kind = VALUE_WORD;
        part->text = at;
        part->count = (size_t)((comma ? comma : end) - at);
        at = comma ? comma + 1 : end;
    }
    return ACH_OK;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* body.cc - bodies of messages: copies of Player's structs, and their way to and from ours */
#include "inside.h"

using Layout = player_layout;
using Field = player_layout_field;

static char *at(const void *body, uint32_t offset)
{
    return (char *)(uintptr_t)body + offset;
}

static char *&pointer_at(const void *body, uint32_t offset)
{
    return *reinterpret_cast<char **>(at(body, offset));
}

static uint32_t &count_at(const void *body, uint32_t offset)
{
    return *reinterpret_cast<uint32_t *>(at(body, offset));
}

/* How many values a field of Player's struct has. */
static uint32_t count_of(const Field &f, const void *theirs)
{
    if (f.array == PLAYER_ONE || f.array == PLAYER_FIXED)
        return f.array == PLAYER_ONE ? 1 : f.limit;
    uint32_t count = count_at(theirs, f.count_theirs);

    if (f.array == PLAYER_POINTER)
        return pointer_at(theirs, f.theirs) ? count : 0;
    return count < f.limit ? count : f.limit;
}

static char *values_of(const Field &f, const void *theirs)
{
    return f.array == PLAYER_POINTER ? pointer_at(theirs, f.theirs) : at(theirs, f.theirs);
}

/* One byte more than asked for, and zero: strings of clients end, whatever the client sent. */
static char *allocate(size_t size)
{
    void *p = calloc(1, size + 1);

    if (!p)
        throw std::bad_alloc();
    return static_cast<char *>(p);
}

/* The body was copied with its pointers: copy what they point to. Returns the bytes. */
static size_t own(const Layout *l, void *body)
{
    size_t bytes = 0;

    for (uint32_t i = 0; i < l->count; i++) {
        const Field &f = l->fields[i];
        uint32_t n = count_of(f, body);

        if (f.array == PLAYER_POINTER) {
            const char *from = pointer_at(body, f.theirs);
            char *copy = from ? allocate(n * size_t{f.size}) : nullptr;

            if (n)
                memcpy(copy, from, n * size_t{f.size});
            pointer_at(body, f.theirs) = copy;
            bytes += n * size_t{f.size};
        }
        for (uint32_t k = 0; f.inner && k < n; k++)
            bytes += own(f.inner, values_of(f, body) + k * size_t{f.size});
    }
    return bytes;
}

static size_t outside_size(const Layout *l, const void *body)
{
    size_t bytes = 0;

    for (uint32_t i = 0; i < l->count; i++) {
        const Field &f = l->fields[i];
        uint32_t n = count_of(f, body);

        if (f.array == PLAYER_POINTER)
            bytes += n * size_t{f.size};
        for (uint32_t k = 0; f.inner && k < n; k++)
            bytes += outside_size(f.inner, values_of(f, body) + k * size_t{f.size});
    }
    return bytes;
}

unsigned int player_body_copy(const Layout *l, void *dst, const void *src)
{
    if (!src)
        return 0;
    memcpy(dst, src, l->size);
    return (unsigned int)(l->size + own(l, dst));
}

void *player_body_clone(const Layout *l, const void *src)
{
    if (!src)
        return nullptr;
    char *copy = allocate(l->size);

    player_body_copy(l, copy, src);
    return copy;
}

void player_body_cleanup(const Layout *l, void *body)
{
    if (!body)
        return;
    for (uint32_t i = 0; i < l->count; i++) {
        const Field &f = l->fields[i];
        uint32_t n = count_of(f, body);

        for (uint32_t k = 0; f.inner && k < n; k++)
            player_body_cleanup(f.inner, values_of(f, body) + k * size_t{f.size});
        if (f.array != PLAYER_POINTER)
            continue;
        free(pointer_at(body, f.theirs));
        pointer_at(body, f.theirs) = nullptr;
        count_at(body, f.count_theirs) = 0;
    }
}

void player_body_free(const Layout *l, void *body)
{
    player_body_cleanup(l, body);
    free(body);
}

unsigned int player_body_sizeof(const Layout *l, const void *body)
{
    return body ? (unsigned int)(l->size + outside_size(l, body)) : 0;
}

using Parts = std::vector<std::unique_ptr<char[]>>;

static void to_ours(const Layout *l, const void *theirs, char *ours, Parts &parts);

/* The values of an array of structs, one after the other. */
static void structs_to_ours(const Field &f, const void *theirs, char *ours, Parts &parts)
{
    uint32_t n = count_of(f, theirs);

    for (uint32_t k = 0; k < n; k++)
        to_ours(f.inner, values_of(f, theirs) + k * size_t{f.size},
                ours + k * size_t{f.inner->ach_size}, parts);
}

/* The array that our struct points to: of scalars, that of Player's struct. */
static char *array_to_ours(const Field &f, const void *theirs, Parts &parts)
{
    if (!f.inner)
        return values_of(f, theirs);
    parts.emplace_back(new char[count_of(f, theirs) * size_t{f.inner->ach_size} + 1]());
    char *array = parts.back().get();

    structs_to_ours(f, theirs, array, parts);
    return array;
}

static void to_ours(const Layout *l, const void *theirs, char *ours, Parts &parts)
{
    for (uint32_t i = 0; i < l->count; i++) {
        const Field &f = l->fields[i];

        if (f.array == PLAYER_POINTER || f.array == PLAYER_INLINE) {
            count_at(ours, f.count_ours) = count_of(f, theirs);
            pointer_at(ours, f.ours) = array_to_ours(f, theirs, parts);
        } else if (f.inner) {
            structs_to_ours(f, theirs, ours + f.ours, parts);
        } else {
            memcpy(ours + f.ours, at(theirs, f.theirs), count_of(f, theirs) * size_t{f.size});
        }
    }
}

static void to_theirs(const Layout *l, const void *ours, char *theirs);

static void values_to_theirs(const Field &f, const char *ours, char *theirs, uint32_t n)
{
    if (!f.inner && n)
        memcpy(theirs, ours, n * size_t{f.size});
    for (uint32_t k = 0; f.inner && k < n; k++)
        to_theirs(f.inner, ours + k * size_t{f.inner->ach_size}, theirs + k * size_t{f.size});
}

static void to_theirs(const Layout *l, const void *ours, char *theirs)
{
    for (uint32_t i = 0; i < l->count; i++) {
        const Field &f = l->fields[i];
        bool variable = f.array == PLAYER_POINTER || f.array == PLAYER_INLINE;
        uint32_t n = variable ? count_at(ours, f.count_ours) : count_of(f, theirs);

        if (f.array == PLAYER_INLINE && n > f.limit)
            n = f.limit;
        if (f.array == PLAYER_POINTER)
            pointer_at(theirs, f.theirs) = allocate(n * size_t{f.size});
        if (variable)
            count_at(theirs, f.count_theirs) = n;
        values_to_theirs(f, variable ? pointer_at(ours, f.ours) : at(ours, f.ours),
                         values_of(f, theirs), n);
    }
}

/* All lists, and the layouts by our types. */
static std::map<const ach_type_t *, const Layout *> &layouts()
{
    static std::map<const ach_type_t *, const Layout *> all;

    return all;
}

static std::mutex &layouts_lock()
{
    static std::mutex lock;

    return lock;
}

void player_layouts_add(const Layout *const *list)
{
    std::lock_guard<std::mutex> guard(layouts_lock());

    for (; *list; list++)
        layouts()[(*list)->type] = *list;
}

extern "C" const Layout *const player_layouts[];

const Layout *player_layout_find(uint16_t interf, uint8_t type, uint8_t subtype)
{
    static const bool added = (player_layouts_add(player_layouts), true);
    const ach_message_def_t *m =
        ach_interface_message(ach_interface_by_code(interf), type, subtype);
    std::lock_guard<std::mutex> guard(layouts_lock());
    auto found = layouts().find(added && m ? m->body : nullptr);

    return found == layouts().end() ? nullptr : found->second;
}

int player_body_pack(const Layout *l, void *buf, size_t size, void *body, int op)
{
    if (op == PLAYERXDR_ENCODE) {
        Parts parts;
        std::unique_ptr<char[]> ours(new char[l->ach_size]());
        size_t used;

        to_ours(l, body, ours.get(), parts);
        return ach_encode(l->type, ours.get(), buf, size, &used) == ACH_OK ? (int)used : -1;
    }
    void *ours;

    if (ach_decode_new(l->type, buf, size, &ours) != ACH_OK)
        return -1;
    memset(body, 0, l->size);
    to_theirs(l, ours, static_cast<char *>(body));
    free(ours);
    return (int)size;
}

namespace player
{
Ours::Ours(uint16_t interf, uint8_t type, uint8_t subtype, const void *theirs) : body(nullptr)
{
    const Layout *l = theirs ? player_layout_find(interf, type, subtype) : nullptr;

    if (!l)
        return;
    parts.emplace_back(new char[l->ach_size]());
    body = parts.back().get();
    to_ours(l, theirs, parts.front().get(), parts);
}

void *theirs_of(const ach_message_t *message)
{
    const ach_header_t *h = ach_message_header(message);
    const Layout *l = player_layout_find(h->address.interf, h->type, h->subtype);
    const void *ours = l ? ach_message_body(message) : nullptr;

    if (!ours)
        return nullptr;
    char *theirs = allocate(l->size);

    to_theirs(l, ours, theirs);
    return theirs;
}
} // namespace player

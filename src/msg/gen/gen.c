/* SPDX-License-Identifier: BSD-3-Clause */
#include "gen.h"

#include <stdlib.h>
#include <string.h>

#include <ach/definition.h>

#include "codec.h"
#include "literal.h"
#include "template.h"

/* The longest literal that C99 promises, and a pedantic compiler accepts. */
#define LITERAL_MAX 4095u

void gen_begin(FILE *out)
{
    fputs("/* Made by ach gen; see ach-gen(1). */\n"
          "#include <ach/cdr.h>\n",
          out);
}

static void put_members(FILE *out, const struct gen_struct *s)
{
    unsigned i, pads = 0;

    for (i = 0; i < s->count; i++) {
        const struct gen_field *f = &s->fields[i];

        if (s->fixed && f->padding) {
            fprintf(out, "    uint8_t ach_pad%u", pads++);
            gen_template(out, "[$p];\n", s, f);
        }
        if (f->from->array == ACH_ARRAY_VARIABLE)
            gen_template(out,
                         "    struct {\n        const $c *data;\n        uint32_t count;\n"
                         "    } $f;\n",
                         s, f);
        else
            gen_template(
                out, f->from->array == ACH_ARRAY_FIXED ? "    $c $f[$C];\n" : "    $c $f;\n", s, f);
    }
}

/* The offsets are what CDR gives, so they do not depend on the rules of the machine. */
static void put_layout_checks(FILE *out, const struct gen_struct *s)
{
    unsigned i;

    fputc('\n', out);
    for (i = 0; i < s->count; i++)
        gen_template(out, "ACHI_CDR_ASSERT(offsetof(struct $t, $f) == $o);\n", s, &s->fields[i]);
    gen_template(out, "ACHI_CDR_ASSERT(sizeof(struct $t) == $s);\n", s, NULL);
}

static uint64_t end_of_members(const struct gen_struct *s)
{
    const struct gen_field *last = &s->fields[s->count - 1];
    uint64_t size = last->inner ? last->inner->memory : gen_number_size(last);

    return last->offset + size * last->from->limit;
}

static void put_struct(FILE *out, const struct gen_struct *s)
{
    gen_template(out, "\n/* $m */\nstruct $t {\n", s, NULL);
    put_members(out, s);
    if (s->fixed && s->memory > end_of_members(s))
        fprintf(out, "    uint8_t ach_pad_end[%u];\n", (unsigned)(s->memory - end_of_members(s)));
    fputs("};\n", out);
    if (s->fixed)
        put_layout_checks(out, s);
}

static enum ach_status put_constants(FILE *out, const struct gen_model *m,
                                     const struct gen_struct *s)
{
    enum ach_status status = ACH_OK;
    bool begun = false;
    unsigned i;

    for (i = 0; status == ACH_OK && i < s->from->count; i++) {
        const struct msg_field *f = &m->text.fields[s->from->first + i];

        if (!f->constant)
            continue;
        gen_template(out, begun ? "#define $N_" : "\n#define $N_", s, NULL);
        begun = true;
        fprintf(out, "%s ", f->name);
        status = gen_literal_value(out, f);
        fputc('\n', out);
    }
    return status;
}

/* A struct, its constants and its codec. Another struct of the same name is an error. */
static enum ach_status put_block(FILE *out, const struct gen_model *m, const struct gen_struct *s)
{
    enum ach_status status;

    gen_template(out, "\n#ifndef ACH_GEN_$n\n#define ACH_GEN_$n $x\n", s, NULL);
    put_struct(out, s);
    status = put_constants(out, m, s);
    if (s->fixed)
        gen_template(out, "\n#define $N_" GEN_SIZE " $z\n", s, NULL);
    gen_writer(out, s);
    gen_reader(out, s);
    gen_template(out,
                 "\n#elif ACH_GEN_$n != $x\n"
                 "#error \"struct $t: $m differs from another message of that name; "
                 "use ach gen --full-names or --prefix\"\n#endif\n",
                 s, NULL);
    return status;
}

static void put_type(FILE *out, const struct gen_struct *s, const ach_channel_type_t *type)
{
    bool overlong = type->schema_size > LITERAL_MAX;

    if (overlong)
        fputs("\n#ifndef __cplusplus\n#pragma GCC diagnostic push\n"
              "#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n#endif",
              out);
    gen_template(out,
                 "\n/* What the channels of these messages have. */\n"
                 "static inline const ach_channel_type_t *$n_type(void)\n{\n"
                 "    static const char schema[] =\n        ",
                 s, NULL);
    gen_literal_text(out, type->schema, type->schema_size, "        ");
    fprintf(out,
            ";\n    static const ach_channel_type_t type = {\n"
            "        {{\"%s\", \"%s\", \"%s\", schema, sizeof(schema) - 1}}};\n\n"
            "    return &type;\n}\n",
            type->name, type->encoding, type->schema_size ? type->schema_encoding : "");
    if (overlong)
        fputs("#ifndef __cplusplus\n#pragma GCC diagnostic pop\n#endif\n", out);
}

static const char common_calls[] =
    "\n/* Open a channel. ACH_BAD_TYPE: it has another type. attr may be NULL. */\n"
    "static inline enum ach_status $n_open(ach_channel_t *chan, const char *name, "
    "ach_attr_t *attr)\n{\n"
    "    return achi_cdr_open(chan, name, attr, $n_type());\n}\n"
    "\n/* Compute the bytes of the encoded message. */\n"
    "static inline enum ach_status $n_size(const struct $t *m, size_t *size)\n{\n"
    "    return achi_cdr_encode(m, $n_cdr_write, NULL, 0, size);\n}\n"
    "\n/* Encode into a buffer. */\n"
    "static inline enum ach_status $n_encode(const struct $t *m, void *buffer, size_t room, "
    "size_t *size)\n{\n"
    "    return achi_cdr_encode(m, $n_cdr_write, buffer, room, size);\n}\n";

static const char fixed_calls[] =
    "\n/* Create a channel of this type. attr may be NULL. */\n"
    "static inline enum ach_status $n_create(const char *name, size_t frames, "
    "ach_create_attr_t *attr)\n{\n"
    "    return achi_cdr_create(name, frames, $N_CDR_SIZE, attr, $n_type());\n}\n"
    "\n/* Decode bytes, which are aligned to 8. ACH_CORRUPT: they are not such a message. */\n"
    "static inline enum ach_status $n_decode(struct $t *m, const void *bytes, size_t n)\n{\n"
    "    return achi_cdr_decode(m, sizeof(*m), $n_cdr_read, bytes, n, NULL);\n}\n"
    "\n/* Get a message: as ach_get. ACH_CORRUPT: one that is not of this type was skipped. */\n"
    "static inline enum ach_status $n_get(ach_channel_t *chan, struct $t *m, "
    "const struct timespec *timeout, int options)\n{\n"
    "    return achi_cdr_get_fixed(chan, m, sizeof(*m), $n_cdr_read, timeout, options);\n}\n"
    "\n/* Read a message in place: as ach_view. Call ach_view_check afterwards. */\n"
    "static inline enum ach_status $n_view(ach_channel_t *chan, const struct $t **m, "
    "const struct timespec *timeout, int options)\n{\n"
    "    const void *bytes = NULL;\n";

static const char fixed_view[] =
    "    enum ach_status status = achi_cdr_view_fixed(chan, &bytes, $N_CDR_SIZE, NULL, timeout, "
    "options);\n\n";
static const char fixed_view_booleans[] =
    "    enum ach_status status = achi_cdr_view_fixed(chan, &bytes, $N_CDR_SIZE, $n_cdr_write, "
    "timeout, options);\n\n";
static const char fixed_view_end[] = "    *m = (const struct $t *)bytes;\n    return status;\n}\n";

static const char fixed_put[] =
    "\n/* Put a message: as ach_put. */\n"
    "static inline enum ach_status $n_put(ach_channel_t *chan, const struct $t *m)\n{\n"
    "    return ach_put(chan, m, $N_CDR_SIZE);\n}\n";

static const char encoded_put[] =
    "\n/*\n * Encode a message into a reservation, and put it: as ach_reserve and ach_commit. "
    "Padding is put as\n * zeros. ACH_EINVAL: a value or a count is wrong; ach_errstr tells "
    "which.\n"
    " */\n"
    "static inline enum ach_status $n_put(ach_channel_t *chan, const struct $t *m)\n{\n"
    "    return achi_cdr_put(chan, m, $n_cdr_write);\n}\n";

static const char fixed_reserve[] =
    "\n/* Reserve room for a message, to be filled in place: as ach_reserve. */\n"
    "static inline enum ach_status $n_reserve(ach_channel_t *chan, struct $t **m)\n{\n"
    "    void *room = NULL;\n"
    "    enum ach_status status = ach_reserve(chan, $N_CDR_SIZE, &room);\n\n"
    "    *m = (struct $t *)room;\n    return status;\n}\n"
    "\n/* Put the message that was filled in place: as ach_commit. */\n"
    "static inline enum ach_status $n_commit(ach_channel_t *chan)\n{\n"
    "    return ach_commit(chan, $N_CDR_SIZE);\n}\n";

static const char converted_calls[] =
    "\n/* Create a channel of this type, for messages of size bytes. attr may be NULL. */\n"
    "static inline enum ach_status $n_create(const char *name, size_t frames, size_t size, "
    "ach_create_attr_t *attr)\n{\n"
    "    return achi_cdr_create(name, frames, size, attr, $n_type());\n}\n"
    "\n/*\n * Decode bytes, which are aligned to 8; m points into them. The memory may be NULL if "
    "no "
    "sequence needs it.\n"
    " * ACH_CORRUPT: they are not such a message. ACH_OVERFLOW: memory->needed is larger.\n */\n"
    "static inline enum ach_status $n_decode(struct $t *m, const void *bytes, size_t n, "
    "ach_cdr_memory_t *memory)\n{\n"
    "    return achi_cdr_decode(m, sizeof(*m), $n_cdr_read, bytes, n, memory);\n}\n"
    "\n/*\n * Get a message into the memory: as ach_get. m points into the memory. ACH_CORRUPT: "
    "one "
    "that is not of\n * this type was skipped.\n */\n"
    "static inline enum ach_status $n_get(ach_channel_t *chan, struct $t *m, "
    "ach_cdr_memory_t *memory, const struct timespec *timeout, int options)\n{\n"
    "    return achi_cdr_get(chan, m, sizeof(*m), $n_cdr_read, memory, timeout, options);\n}\n"
    "\n/*\n * Read a message in place: as ach_view. m points into the channel. Call ach_view_check "
    "afterwards.\n * The memory may be NULL if no sequence needs it.\n */\n"
    "static inline enum ach_status $n_view(ach_channel_t *chan, struct $t *m, "
    "ach_cdr_memory_t *memory, const struct timespec *timeout, int options)\n{\n"
    "    const void *bytes;\n\n"
    "    return achi_cdr_view(chan, &bytes, m, sizeof(*m), $n_cdr_read, memory, false, timeout, "
    "options);\n}\n";

static const char fixed_cpp[] =
    "\n#if defined(__cplusplus) && __cplusplus >= 201103L\n"
    "/* For ach::channel of ach/ach.hpp. */\n"
    "extern \"C++\" {\nnamespace ach\n{\n"
    "template <class T> struct message_type;\n"
    "template <> struct message_type<struct ::$t> {\n"
    "    static constexpr size_t size = $N_CDR_SIZE;\n"
    "    static const ach_channel_type_t *get() noexcept\n    {\n        return $n_type();\n    }\n"
    "    static enum ach_status put(ach_channel_t *chan, const struct ::$t &m) noexcept\n    {\n"
    "        return $n_put(chan, &m);\n    }\n"
    "    static bool valid(const struct ::$t &m) noexcept\n    {\n"
    "        size_t n;\n\n"
    "        return achi_cdr_encode(&m, $n_cdr_write, nullptr, 0, &n) == ACH_OK;\n    }\n"
    "};\n} // namespace ach\n}\n#endif\n";

static void put_fixed_calls(FILE *out, const struct gen_struct *s)
{
    gen_template(out, fixed_calls, s, NULL);
    gen_template(out, s->booleans ? fixed_view_booleans : fixed_view, s, NULL);
    gen_template(out, fixed_view_end, s, NULL);
    gen_template(out, s->holes || s->booleans ? encoded_put : fixed_put, s, NULL);
    if (!s->holes && s->size == s->memory)
        gen_template(out, fixed_reserve, s, NULL);
    gen_template(out, fixed_cpp, s, NULL);
}

static void put_calls(FILE *out, const struct gen_struct *s, const ach_channel_type_t *type)
{
    gen_template(out, "\n#ifndef ACH_GEN_CALLS_$n\n#define ACH_GEN_CALLS_$n\n", s, NULL);
    put_type(out, s, type);
    gen_template(out, common_calls, s, NULL);
    if (s->fixed) {
        put_fixed_calls(out, s);
    } else {
        gen_template(out, encoded_put, s, NULL);
        gen_template(out, converted_calls, s, NULL);
    }
    fputs("\n#endif\n", out);
}

static enum ach_status put_message(FILE *out, const struct gen_model *m,
                                   const ach_channel_type_t *type)
{
    enum ach_status status = ACH_OK;
    const struct gen_struct *s;

    for (s = m->first; status == ACH_OK && s; s = s->next)
        status = put_block(out, m, s);
    if (status == ACH_OK)
        put_calls(out, &m->structs[0], type);
    return status;
}

/* The tables find all errors of a definition, and limit its depth. */
static enum ach_status check_definition(const ach_channel_type_t *type)
{
    ach_definition_t *d = NULL;
    enum ach_status status = ach_definition_new(type->name, type->schema, type->schema_size, &d);

    ach_definition_free(d);
    return status;
}

enum ach_status gen_message(FILE *out, const struct gen_names *names,
                            const ach_channel_type_t *type)
{
    struct gen_model m;
    enum ach_status status = check_definition(type);

    if (status != ACH_OK)
        return status;
    status = gen_model_make(&m, names, type->name, type->schema, type->schema_size);
    if (status == ACH_OK)
        status = put_message(out, &m, type);
    gen_model_free(&m);
    return status;
}

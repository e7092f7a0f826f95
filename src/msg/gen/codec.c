/* SPDX-License-Identifier: BSD-3-Clause */
#include "codec.h"

#include <ach/interface.h>

#include "template.h"

static bool is_boolean(const struct gen_field *f)
{
    return f->ref.meaning == MSG_SCALAR && f->ref.kind == ACH_KIND_BOOL;
}

static bool is_sequence(const struct gen_field *f)
{
    return f->from->array == ACH_ARRAY_VARIABLE;
}

/* A field whose elements are encoded or decoded one by one. */
static bool is_looped(const struct gen_field *f)
{
    return !gen_is_bulk(f) && f->from->array != ACH_ARRAY_NONE;
}

static bool has_loop(const struct gen_struct *s)
{
    unsigned i;

    for (i = 0; i < s->count; i++)
        if (is_looped(&s->fields[i]))
            return true;
    return false;
}

/* Begin a function; with a loop it has an index. */
static void begin_function(FILE *out, const struct gen_struct *s, const char *head)
{
    gen_template(out, head, s, NULL);
    if (has_loop(s) && !gen_is_solid(s))
        fputs("    uint32_t i;\n", out);
    fputc('\n', out);
}

/* The statement that encodes the elements of a field, or one of them in a loop. */
static const char *write_statement(const struct gen_field *f)
{
    if (is_boolean(f))
        return "achi_cdr_write_bools(w, $B, $C, $L);\n";
    if (gen_is_bulk(f))
        return is_sequence(f) ? "achi_cdr_write(w, $B, $a, (uint64_t)$b * $C);\n"
                              : "achi_cdr_write(w, $B, $a, sizeof(m->$f));\n";
    return f->inner ? "$I_cdr_write(w, $E);\n" : "achi_cdr_write_string(w, $E, $S, $L);\n";
}

static void write_field(FILE *out, const struct gen_struct *s, const struct gen_field *f)
{
    const char *indent = "    ";

    if (is_sequence(f)) {
        gen_template(out, "    if (achi_cdr_write_count(w, m->$f.data, m->$f.count, $A, $L)) {\n",
                     s, f);
        indent = "        ";
    }
    fputs(indent, out);
    if (is_looped(f)) {
        gen_template(out, "for (i = 0; i < $C; i++)\n    ", s, f);
        fputs(indent, out);
    }
    gen_template(out, write_statement(f), s, f);
    if (is_sequence(f))
        fputs("    }\n", out);
}

void gen_writer(FILE *out, const struct gen_struct *s)
{
    unsigned i;

    begin_function(out, s,
                   "\nstatic inline void $n_cdr_write(struct achi_cdr_writer *w, "
                   "const void *message)\n{\n"
                   "    const struct $t *m = (const struct $t *)message;\n");
    if (gen_is_solid(s))
        gen_template(out, "    achi_cdr_write(w, m, $a, $b);\n", s,
                     &(struct gen_field){.inner = s});
    for (i = 0; !gen_is_solid(s) && i < s->count; i++)
        write_field(out, s, &s->fields[i]);
    fputs("}\n", out);
}

static const char *read_statement(const struct gen_field *f)
{
    if (is_boolean(f))
        return "achi_cdr_read_bools(r, $B, $C, $L);\n";
    if (gen_is_bulk(f))
        return "achi_cdr_read(r, $B, $a, sizeof(m->$f), $L);\n";
    return f->inner ? "$I_cdr_read(r, $E);\n" : "achi_cdr_read_string(r, $E, $S, $L);\n";
}

/* The elements stay in the message, or are decoded into the memory. */
static void read_sequence(FILE *out, const struct gen_struct *s, const struct gen_field *f)
{
    if (gen_is_bulk(f)) {
        gen_template(out,
                     "    m->$f.data = (const $c *)achi_cdr_read_sequence("
                     "r, $A, $a, $b, &m->$f.count, $L);\n",
                     s, f);
        if (is_boolean(f))
            gen_template(out, "    achi_cdr_check_bools(r, m->$f.data, m->$f.count, $L);\n", s, f);
        return;
    }
    gen_template(out,
                 "    {\n"
                 "        uint32_t n = achi_cdr_read_count(r, $A, $L);\n"
                 "        $c *to = ($c *)achi_cdr_take(r, n, sizeof($c)), rest;\n\n"
                 "        m->$f.data = to;\n"
                 "        m->$f.count = n;\n"
                 "        for (i = 0; i < n && r->status == ACH_OK; i++)\n",
                 s, f);
    gen_template(out,
                 f->inner ? "            $I_cdr_read(r, to ? &to[i] : &rest);\n"
                          : "            achi_cdr_read_string(r, to ? &to[i] : &rest, $S, $L);\n",
                 s, f);
    fputs("    }\n", out);
}

static void read_field(FILE *out, const struct gen_struct *s, const struct gen_field *f)
{
    if (is_sequence(f)) {
        read_sequence(out, s, f);
        return;
    }
    if (is_looped(f))
        gen_template(out, "    for (i = 0; i < $C; i++)\n    ", s, f);
    fputs("    ", out);
    gen_template(out, read_statement(f), s, f);
}

void gen_reader(FILE *out, const struct gen_struct *s)
{
    unsigned i;

    begin_function(out, s,
                   "\nstatic inline void $n_cdr_read(struct achi_cdr_reader *r, void *message)\n{\n"
                   "    struct $t *m = (struct $t *)message;\n");
    if (gen_is_solid(s))
        gen_template(out, "    achi_cdr_read(r, m, $a, $b, \"$m\");\n", s,
                     &(struct gen_field){.inner = s});
    for (i = 0; !gen_is_solid(s) && i < s->count; i++)
        read_field(out, s, &s->fields[i]);
    fputs("}\n", out);
}

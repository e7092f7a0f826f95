/* SPDX-License-Identifier: BSD-3-Clause */
#include "printer.h"

#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "format.h"
#include "json.h"
#include "show.h"

#define NS_PER_S 1000000000ll

/* The column of a message that has no fields. */
#define WHOLE_COLUMN "message"

static int64_t read_clock(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

/* Wall-clock time of the put, or of the reception if there is no timestamp. */
static struct timespec wall_time(const struct reader *r)
{
    int64_t ns = read_clock(CLOCK_REALTIME);
    struct timespec put;

    if (ach_channel_timestamp(&r->chan, &put) == ACH_OK)
        ns += (int64_t)put.tv_sec * NS_PER_S + put.tv_nsec - read_clock(r->info.clock);
    return (struct timespec){.tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S)};
}

static uint64_t sequence(const struct reader *r)
{
    uint64_t seq = 0;

    ach_channel_seq(&r->chan, &seq);
    return seq;
}

/* Put before we opened the channel, and without a timestamp: its time is unknown. */
static bool untimed(const struct reader *r)
{
    return !r->awaited && !r->info.timestamps && sequence(r) <= r->info.newest;
}

static bool ends_line(const struct reader *r)
{
    unsigned char last = r->data[r->size - 1];

    return last == '\n' || last == '\0';
}

/* What the channel's messages are is known, or the message is text. */
static bool looks_like_text(const struct printer *p, const struct decoder *d, bool text)
{
    return p->look == LOOK_TEXT || (p->look == LOOK_AUTO && !d->codec.encoding && text);
}

static void print_head(const struct reader *r)
{
    struct timespec t = wall_time(r);
    struct tm tm;
    char clock[16];

    localtime_r(&t.tv_sec, &tm);
    strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
    if (untimed(r))
        fputs("time unknown", stdout);
    else
        printf("%s.%06ld", clock, t.tv_nsec / 1000);
    printf(" #%llu %zu bytes:", (unsigned long long)sequence(r), r->size);
}

static void print_decoded(const struct decoded *m)
{
    const struct device_note *n = &m->device;

    if (n->message)
        printf(" %s %s %s, device time %.6f", n->address, n->type, n->message, n->time);
    if (n->process)
        printf(", process %u", n->process);
    putchar('\n');
    if (m->tree.root.kind != VALUE_NULL)
        value_print(&m->tree.root, 2, stdout);
}

static void print_lines(const struct printer *p, const struct decoder *d, const struct reader *r)
{
    const char *text = (const char *)r->data;
    struct decoded m = {.device = {.message = NULL}};

    print_head(r);
    if (looks_like_text(p, d, is_text(text, r->size))) {
        putchar(' ');
        print_text(text, p->look == LOOK_AUTO && ends_line(r) ? r->size - 1 : r->size);
    } else if (p->look == LOOK_AUTO && decode_message(d, r->data, r->size, &m)) {
        print_decoded(&m);
    } else {
        putchar('\n');
        print_dump(r->data, r->size);
    }
    decoded_finish(&m);
}

/* The whole message, or an object of the selected fields. */
static void select_fields(struct printer *p, const struct decoder *d, struct decoded *m)
{
    struct selection *s = &p->fields;
    struct value picked = {.kind = VALUE_OBJECT};
    size_t i;

    if (!s->paths.count)
        return;
    for (i = 0; i < s->paths.count; i++) {
        struct value *v =
            value_add(&m->tree.arena, &picked, s->paths.paths[i], strlen(s->paths.paths[i]));

        if (!v)
            break;
        picked.items[i] = selection_get(s, d, &m->tree.root, i);
        v->name = (struct value_text){s->paths.paths[i], strlen(s->paths.paths[i])};
    }
    m->tree.root = picked;
}

static void json_decoded(const struct decoded *m, struct json *j)
{
    const struct value *root = &m->tree.root;

    if (m->device.message) {
        json_string(j, "device", m->device.address);
        json_string(j, "type", m->device.type);
        json_string(j, "message", m->device.message);
        json_number(j, "device_time", m->device.time);
        if (m->device.process)
            json_uint(j, "process", m->device.process);
    }
    if (m->device.message && root->kind == VALUE_NULL)
        return;
    json_key(j, m->device.message ? "body" : "message");
    value_json(root, j->out);
}

static void print_json(struct printer *p, const struct decoder *d, const struct reader *r,
                       uint64_t missed)
{
    struct json j = JSON_INIT(stdout);
    const char *text = (const char *)r->data;
    struct decoded m = {.device = {.message = NULL}};
    struct timespec t = wall_time(r);

    json_object(&j, NULL);
    if (untimed(r))
        json_null(&j, "time");
    else
        json_time(&j, "time", t.tv_sec, t.tv_nsec);
    json_uint(&j, "sequence", sequence(r));
    json_uint(&j, "missed", missed);
    json_uint(&j, "size", r->size);
    if (looks_like_text(p, d, is_lines(text, r->size))) {
        json_bytes(&j, "text", text, r->size);
    } else if (p->look == LOOK_AUTO && decode_message(d, r->data, r->size, &m)) {
        select_fields(p, d, &m);
        json_decoded(&m, &j);
    } else {
        json_hex(&j, "hex", r->data, r->size);
    }
    json_end_object(&j);
    json_line(&j);
    decoded_finish(&m);
}

/* A single field is printed without its name. */
static void print_yaml(struct printer *p, const struct decoder *d, struct decoded *m)
{
    select_fields(p, d, m);
    value_yaml(p->fields.paths.count == 1 ? &m->tree.root.items[0] : &m->tree.root, stdout);
    puts("---");
}

/* The columns are the selected fields, or all of an example. */
static bool find_columns(struct printer *p, const struct decoder *d, const struct value *example)
{
    const struct selection *s = &p->fields;
    enum ach_status status = ACH_OK;
    size_t i;

    for (i = 0; status == ACH_OK && i < s->paths.count; i++)
        status = value_paths_add(&p->columns.paths, s->paths.paths[i]);
    if (!s->paths.count)
        status = value_paths_of(&p->columns.paths, example, VALUE_SPREAD_LISTS);
    if (status != ACH_OK)
        complain("cannot print '%s' as CSV: %s", d->channel, ach_errstr());
    return status == ACH_OK;
}

/* Print the header unless a previous channel of this name had the same. False after complaining. */
static bool print_header(struct printer *p, const struct decoder *d, const struct value *example)
{
    const struct value_paths *paths = &p->columns.paths;
    char *header = NULL;
    size_t size, i;
    FILE *f;

    p->has_columns = find_columns(p, d, example);
    f = p->has_columns ? open_memstream(&header, &size) : NULL;
    if (!f)
        return p->has_columns;
    fputs("time,sequence", f);
    for (i = 0; i < paths->count; i++) {
        putc(',', f);
        value_csv_text(paths->paths[i], strlen(paths->paths[i]), f);
    }
    fputs(paths->count ? "" : "," WHOLE_COLUMN, f);
    fclose(f);
    if (!p->header || strcmp(p->header, header) != 0)
        puts(header);
    free(p->header);
    p->header = header;
    return true;
}

static void print_csv(struct printer *p, const struct decoder *d, const struct reader *r,
                      const struct decoded *m)
{
    struct timespec t = wall_time(r);
    size_t i;

    if (!p->has_columns && !print_header(p, d, &m->tree.root))
        return;
    if (!untimed(r))
        printf("%lld.%09ld", (long long)t.tv_sec, t.tv_nsec);
    printf(",%llu", (unsigned long long)sequence(r));
    for (i = 0; i < p->columns.paths.count; i++) {
        struct value v = selection_get(&p->columns, d, &m->tree.root, i);

        putchar(',');
        value_csv(&v, stdout);
    }
    if (!i) {
        putchar(',');
        value_csv(&m->tree.root, stdout);
    }
    putchar('\n');
}

/* The selected fields as JSON on one line. */
static void print_fields(struct printer *p, const struct decoder *d, const struct decoded *m)
{
    size_t i;

    for (i = 0; i < p->fields.paths.count; i++) {
        struct value v = selection_get(&p->fields, d, &m->tree.root, i);

        fputs(i ? " " : "", stdout);
        value_json(&v, stdout);
    }
    putchar('\n');
}

/* Formats that need fields skip messages that cannot be decoded, after complaining. */
static void print_by_fields(struct printer *p, const struct decoder *d, const struct reader *r,
                            uint64_t missed)
{
    struct decoded m;

    if (!decode_message(d, r->data, r->size, &m)) {
        if (d->device)
            complain("a message of '%s' is none of a device", d->channel);
    } else if (p->format == FORMAT_YAML) {
        if (missed)
            printf("# %llu missed\n", (unsigned long long)missed);
        print_yaml(p, d, &m);
    } else if (p->format == FORMAT_CSV) {
        print_csv(p, d, r, &m);
    } else {
        print_fields(p, d, &m);
    }
    decoded_finish(&m);
}

static bool needs_fields(const struct printer *p)
{
    return p->format == FORMAT_YAML || p->format == FORMAT_CSV || p->fields.paths.count;
}

bool printer_begin(struct printer *p, const struct decoder *d)
{
    const struct value *example = decoder_example(d);

    selection_finish(&p->columns);
    p->has_columns = false;
    if (needs_fields(p) && !decoder_knows(d)) {
        decoder_unknown(d);
        return false;
    }
    if (!selection_check(&p->fields, d))
        return false;
    if (p->format != FORMAT_CSV || (!example && !p->fields.paths.count))
        return true;
    return print_header(p, d, example);
}

void printer_message(struct printer *p, const struct decoder *d, const struct reader *r,
                     uint64_t missed)
{
    if (p->format == FORMAT_JSON) {
        print_json(p, d, r, missed);
    } else if (needs_fields(p)) {
        print_by_fields(p, d, r, missed);
    } else {
        if (missed)
            printf("-- %llu missed\n", (unsigned long long)missed);
        print_lines(p, d, r);
    }
}

void printer_finish(struct printer *p)
{
    selection_finish(&p->fields);
    selection_finish(&p->columns);
    free(p->header);
}

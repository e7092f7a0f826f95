/* SPDX-License-Identifier: BSD-3-Clause */
#include "printer.h"

#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "format.h"
#include "json.h"
#include "printable.h"
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

struct printed printed_of(const struct reader *r, uint64_t missed)
{
    return (struct printed){.untimed = untimed(r),
                            .time = wall_time(r),
                            .sequence = sequence(r),
                            .missed = missed,
                            .data = r->data,
                            .size = r->size};
}

static FILE *printer_out(const struct printer *p)
{
    return p->to ? p->to : stdout;
}

static bool ends_line(const struct printed *r)
{
    return r->size && (r->data[r->size - 1] == '\n' || r->data[r->size - 1] == '\0');
}

/* What the channel's messages are is known, or the message is text. */
static bool looks_like_text(const struct printer *p, const struct decoder *d, bool text)
{
    return p->look == LOOK_TEXT || (p->look == LOOK_AUTO && !d->codec.encoding && text);
}

static void print_head(const struct printed *r)
{
    struct tm tm;
    char clock[16];

    localtime_r(&r->time.tv_sec, &tm);
    strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
    if (r->untimed)
        fputs("time unknown", stdout);
    else
        printf("%s.%06ld", clock, r->time.tv_nsec / 1000);
    if (r->topic) {
        putchar(' ');
        printable_write(stdout, r->topic, strlen(r->topic), SIZE_MAX);
    }
    printf(" #%llu %zu bytes:", (unsigned long long)r->sequence, r->size);
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

static void print_lines(const struct printer *p, const struct decoder *d, const struct printed *r)
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

static void print_json(struct printer *p, const struct decoder *d, const struct printed *r)
{
    struct json j = JSON_INIT(printer_out(p));
    const char *text = (const char *)r->data;
    struct decoded m = {.device = {.message = NULL}};

    json_object(&j, NULL);
    if (r->topic)
        json_string(&j, "topic", r->topic);
    if (r->untimed)
        json_null(&j, "time");
    else
        json_time(&j, "time", r->time.tv_sec, r->time.tv_nsec);
    json_uint(&j, "sequence", r->sequence);
    json_uint(&j, "missed", r->missed);
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

static void yaml_add(struct value_arena *a, struct value *object, const char *name, struct value v)
{
    struct value *member = value_add(a, object, name, strlen(name));

    v.name = (struct value_text){name, strlen(name)};
    if (member)
        *member = v;
}

static struct value yaml_text(enum value_kind kind, const char *text)
{
    return (struct value){.kind = (uint8_t)kind, .text = text, .count = strlen(text)};
}

static struct value yaml_uint(uint64_t number)
{
    return (struct value){.kind = VALUE_UINT, .u = number};
}

static void yaml_device(struct decoded *m, struct value *document)
{
    struct value_arena *a = &m->tree.arena;

    if (!m->device.message)
        return;
    yaml_add(a, document, "device", yaml_text(VALUE_TEXT, m->device.address));
    yaml_add(a, document, "type", yaml_text(VALUE_TEXT, m->device.type));
    yaml_add(a, document, "message", yaml_text(VALUE_TEXT, m->device.message));
    yaml_add(a, document, "device_time",
             (struct value){.kind = VALUE_DOUBLE, .real = m->device.time});
    if (m->device.process)
        yaml_add(a, document, "process", yaml_uint(m->device.process));
}

/* A message of a recording says what it is, with the members that JSON has. */
static void print_yaml_recorded(struct printer *p, const struct printed *r, struct decoded *m)
{
    struct value_arena *a = &m->tree.arena;
    struct value document = {.kind = VALUE_OBJECT}, time = {.kind = VALUE_NULL};
    char text[48];

    snprintf(text, sizeof(text), "%lld.%09ld", (long long)r->time.tv_sec, r->time.tv_nsec);
    if (!r->untimed)
        time = yaml_text(VALUE_NUMBER, text);
    yaml_add(a, &document, "topic", yaml_text(VALUE_TEXT, r->topic));
    yaml_add(a, &document, "time", time);
    yaml_add(a, &document, "sequence", yaml_uint(r->sequence));
    yaml_add(a, &document, "missed", yaml_uint(r->missed));
    yaml_device(m, &document);
    if (!m->device.message || m->tree.root.kind != VALUE_NULL)
        yaml_add(a, &document, m->device.message ? "body" : "message", m->tree.root);
    value_yaml(&document, printer_out(p));
}

/* A single field is printed without its name. */
static void print_yaml(struct printer *p, const struct decoder *d, const struct printed *r,
                       struct decoded *m)
{
    select_fields(p, d, m);
    if (r->topic)
        print_yaml_recorded(p, r, m);
    else
        value_yaml(p->fields.paths.count == 1 ? &m->tree.root.items[0] : &m->tree.root,
                   printer_out(p));
    fputs("---\n", printer_out(p));
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
        fprintf(printer_out(p), "%s\n", header);
    free(p->header);
    p->header = header;
    return true;
}

static bool csv_ends(const char *name, const char *end)
{
    size_t n = strlen(name), k = strlen(end);

    return n > k && strcmp(name + n - k, end) == 0;
}

/* Requests and answers of a device have fields of many kinds. Then columns are those of the header, and the body is JSON. */
static bool csv_mixed(const struct printer *p, const struct decoder *d, const struct decoded *m)
{
    return m->device.message && !p->fields.paths.count && !csv_ends(d->channel, ".data") &&
           !csv_ends(d->channel, ".cmd");
}

static void print_csv_device(struct printer *p, const struct decoded *m)
{
    FILE *to = printer_out(p);

    putc(',', to);
    value_csv_text(m->device.address, strlen(m->device.address), to);
    fprintf(to, ",%s,%s,", m->device.type, m->device.message);
    value_csv(&m->tree.root, to);
    putc('\n', to);
}

static void print_csv(struct printer *p, const struct decoder *d, const struct printed *r,
                      const struct decoded *m)
{
    FILE *to = printer_out(p);
    size_t i;

    if (csv_mixed(p, d, m)) {
        if (!p->has_columns)
            fputs("time,sequence,device,type,message,body\n", to);
        p->has_columns = true;
    }
    if (!p->has_columns && !print_header(p, d, &m->tree.root))
        return;
    if (!r->untimed)
        fprintf(to, "%lld.%09ld", (long long)r->time.tv_sec, r->time.tv_nsec);
    fprintf(to, ",%llu", (unsigned long long)r->sequence);
    if (csv_mixed(p, d, m)) {
        print_csv_device(p, m);
        return;
    }
    for (i = 0; i < p->columns.paths.count; i++) {
        struct value v = selection_get(&p->columns, d, &m->tree.root, i);

        putc(',', to);
        value_csv(&v, to);
    }
    if (!i) {
        putc(',', to);
        value_csv(&m->tree.root, to);
    }
    putc('\n', to);
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
static void print_by_fields(struct printer *p, const struct decoder *d, const struct printed *r)
{
    struct decoded m;

    if (!decode_message(d, r->data, r->size, &m)) {
        p->left_out++;
        if (d->device)
            complain("a message of '%s' is none of a device", d->channel);
    } else if (p->format == FORMAT_YAML) {
        if (r->missed && !r->topic)
            fprintf(printer_out(p), "# %llu missed\n", (unsigned long long)r->missed);
        print_yaml(p, d, r, &m);
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

void printer_message(struct printer *p, const struct decoder *d, const struct printed *r)
{
    if (p->format == FORMAT_JSON) {
        print_json(p, d, r);
    } else if (needs_fields(p)) {
        print_by_fields(p, d, r);
    } else {
        if (r->missed)
            printf("-- %llu missed\n", (unsigned long long)r->missed);
        print_lines(p, d, r);
    }
}

void printer_finish(struct printer *p)
{
    selection_finish(&p->fields);
    selection_finish(&p->columns);
    free(p->header);
}

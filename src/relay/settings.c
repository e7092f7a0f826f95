/* SPDX-License-Identifier: BSD-3-Clause */
#include "settings.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "listing.h"
#include "nearest.h"
#include "parse.h"
#include "suggest.h"
#include "window.h"

#define LINE_MAX_BYTES 1024
#define SILENCE_NS 30000000000u
#define KEY_LIFE_NS 3600000000000u
#define MULTICAST_RATE 1048576u
#define PRIORITY_DEFAULT 4
#define ANTICIPATES 0.02
#define ANTICIPATES_MAX 25
#define BLANKS " \t\r\n"

/* No certificate has this name. */
#define NAME_NONE "@"

static bool wrong(const char *format, const char *a, const char *b)
{
    ach_errstr_set(ACH_EINVAL, format, a, b); /* NOLINT: all formats are ours */
    return false;
}

void relay_settings_init(struct relay_settings *s)
{
    *s = (struct relay_settings){.port = RELAY_PORT,
                                 .window_max = RELAY_WINDOW_MAX,
                                 .silence = SILENCE_NS,
                                 .key_life = KEY_LIFE_NS,
                                 .anticipates = ANTICIPATES};
    snprintf(s->listen, sizeof(s->listen), "127.0.0.1");
    relay_limits_init(&s->limits);
}

void relay_settings_finish(struct relay_settings *s)
{
    relay_access_finish(&s->rules);
    while (s->flows) {
        struct relay_flow_setting *next = s->flows->next;

        free(s->flows);
        s->flows = next;
    }
    while (s->multicasts) {
        struct relay_multicast *next = s->multicasts->next;

        free(s->multicasts);
        s->multicasts = next;
    }
}

static bool settings_port(const char *text, unsigned *port)
{
    uint64_t value;

    if (!parse_count(text, 1, UINT16_MAX, &value))
        return wrong("a port is a number from 1 to 65535, not '%s'%s", text, "");
    *port = (unsigned)value;
    return true;
}

bool relay_settings_address(const char *text, unsigned default_port, char host[RELAY_HOST_MAX],
                            unsigned *port)
{
    const char *end, *begin = *text == '[' ? text + 1 : text;

    end = *text == '[' ? strchr(text, ']') : strrchr(text, ':');
    if (*text == '[' && !end)
        return wrong("an address that begins with '[' must have a ']': '%s'%s", text, "");
    if (*text != '[' && end && strchr(text, ':') != end) /* an IPv6 address without a port */
        end = NULL;
    if (!end)
        end = text + strlen(text);
    if (end == begin || (size_t)(end - begin) >= RELAY_HOST_MAX)
        return wrong("expected HOST or HOST:PORT, not '%s'%s", text, "");
    memcpy(host, begin, (size_t)(end - begin));
    host[end - begin] = '\0';
    *port = default_port;
    end += *end == ']';
    if (*end == ':')
        return settings_port(end + 1, port);
    return !*end || wrong("expected [HOST]:PORT, not '%s'%s", text, "");
}

bool relay_settings_path(char to[RELAY_PATH_MAX], const char *path)
{
    char here[RELAY_PATH_MAX] = "";
    int n;

    if (*path != '/' && !getcwd(here, sizeof(here)))
        return wrong("'%s' is a relative path: %s", path, strerror(errno));
    n = snprintf(to, RELAY_PATH_MAX, "%s%s%s", here, *here ? "/" : "", path);
    return (*path && n < (int)RELAY_PATH_MAX) || wrong("expected a path, not '%s'%s", path, "");
}

static bool is_this_host(const char *host)
{
    return strcmp(host, "localhost") == 0 || strcmp(host, "::1") == 0 ||
           strncmp(host, "127.", 4) == 0;
}

/* [NAME@]HOST[:PORT]. The name of another host is its address if there is no other. */
static bool settings_peer(const char *text, unsigned default_port, struct relay_flow_setting *f)
{
    const char *at = strchr(text, '@');
    size_t n = at ? (size_t)(at - text) : 0;

    f->named = at;
    if (at && (n == 0 || n >= sizeof(f->name)))
        return wrong("expected NAME@ADDRESS, with a name of 1 to 64 characters, not '%s'%s", text,
                     "");
    memcpy(f->name, text, n);
    if (!relay_settings_address(at ? at + 1 : text, default_port, f->host, &f->port))
        return false;
    if (at || is_this_host(f->host))
        return true;
    n = strlen(f->host) + 1;
    memcpy(f->name, n <= sizeof(f->name) ? f->host : NAME_NONE,
           n <= sizeof(f->name) ? n : sizeof(NAME_NONE));
    return true;
}

static bool settings_channel(const char *name, char out[ACH_CHAN_NAME_MAX])
{
    char path[4096];

    if (ach_channel_path(name, path, sizeof(path)) != ACH_OK)
        return false;
    snprintf(out, ACH_CHAN_NAME_MAX, "%s", name);
    return true;
}

struct relay_flow_setting *relay_settings_flow(struct relay_settings *s, bool push,
                                               const char *address, const char *channel)
{
    struct relay_flow_setting *f = calloc(1, sizeof(*f)), **end = &s->flows;

    if (!f)
        return NULL;
    f->request.push = push;
    f->request.priority = PRIORITY_DEFAULT;
    if (!settings_channel(channel, f->local) || !settings_channel(channel, f->request.name) ||
        !settings_peer(address, s->port, f)) {
        free(f);
        return NULL;
    }
    while (*end)
        end = &(*end)->next;
    return *end = f;
}

static bool word_seconds(const char *value, uint64_t *out)
{
    double seconds;

    if (!parse_seconds(value, &seconds))
        return wrong("a time must be " SECONDS_WANTED ", not '%s'%s", value, "");
    *out = (uint64_t)(seconds * 1e9);
    return true;
}

static bool word_remote(struct relay_flow_setting *f, const char *value)
{
    return settings_channel(value, f->request.name);
}

static bool word_priority(struct relay_flow_setting *f, const char *value)
{
    uint64_t n;

    if (!parse_count(value, 0, 7, &n))
        return wrong("a priority is a number from 0 to 7, not '%s'%s", value, "");
    f->request.priority = (uint8_t)n;
    return true;
}

static bool word_max_age(struct relay_flow_setting *f, const char *value)
{
    return word_seconds(value, &f->request.max_age);
}

static bool word_period(struct relay_flow_setting *f, const char *value)
{
    return word_seconds(value, &f->request.period);
}

static bool settings_rate(const char *value, uint64_t *rate)
{
    size_t n;

    if (!parse_size(value, &n) || !n)
        return wrong("a rate is a number of bytes per second, as 100K or 2M, not '%s'%s", value,
                     "");
    *rate = n;
    return true;
}

static bool word_rate(struct relay_flow_setting *f, const char *value)
{
    return settings_rate(value, &f->request.rate);
}

static const struct {
    const char *name;
    bool (*set)(struct relay_flow_setting *f, const char *value);
} words[] = {{"remote", word_remote},
             {"priority", word_priority},
             {"max-age", word_max_age},
             {"period", word_period},
             {"rate", word_rate}};

#define WORDS (sizeof(words) / sizeof(*words))

static bool unknown_word(const char *word)
{
    char name[NEAREST_LENGTH_MAX];
    struct nearest n;
    size_t i;

    snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
    n = nearest_to(name);
    nearest_offer(&n, "all");
    nearest_offer(&n, "newest");
    nearest_offer(&n, "udp");
    for (i = 0; i < WORDS; i++)
        nearest_offer(&n, words[i].name);
    return wrong("expected all, newest, udp, remote=NAME, priority=N, max-age=SECONDS, "
                 "period=SECONDS or rate=BYTES, not '%s'%s",
                 word, suggest(&n));
}

static bool word_check(const struct relay_flow_setting *f)
{
    return !f->request.all || !f->request.udp ||
           wrong("datagrams may be lost, so udp cannot carry all messages of '%s'%s", f->local, "");
}

bool relay_settings_word(struct relay_flow_setting *f, const char *word)
{
    const char *value = strchr(word, '=');
    size_t i, n = strcspn(word, "=");

    if (strcmp(word, "all") == 0 || strcmp(word, "newest") == 0) {
        f->request.all = *word == 'a';
        return word_check(f);
    }
    if (strcmp(word, "udp") == 0) {
        f->request.udp = true;
        return word_check(f);
    }
    for (i = 0; i < WORDS; i++)
        if (strlen(words[i].name) == n && memcmp(words[i].name, word, n) == 0)
            return value ? words[i].set(f, value + 1)
                         : wrong("%s needs a value: %s=...", word, word);
    return unknown_word(word);
}

static bool line_flow(struct relay_settings *s, bool push, char **rest)
{
    const char *host = strtok_r(NULL, BLANKS, rest), *channel = strtok_r(NULL, BLANKS, rest);
    struct relay_flow_setting *f;
    const char *word;

    if (!host || !channel)
        return wrong("expected %s HOST CHANNEL%s", push ? "push" : "pull", "");
    f = relay_settings_flow(s, push, host, channel);
    if (!f)
        return false;
    while ((word = strtok_r(NULL, BLANKS, rest)))
        if (!relay_settings_word(f, word))
            return false;
    return true;
}

static bool line_listen(struct relay_settings *s, const char *value)
{
    if (s->listens)
        return wrong("there is a line listen already; [::] stands for all addresses%s%s", "", "");
    s->listens = true;
    return relay_settings_address(value, s->port, s->listen, &s->listen_port);
}

static bool line_create(struct relay_settings *s, const char *value)
{
    s->creates = true;
    snprintf(s->create, sizeof(s->create), "%s", value);
    return true;
}

bool relay_settings_metrics(struct relay_settings *s, const char *port)
{
    uint64_t n;

    if (!parse_count(port, 0, UINT16_MAX, &n))
        return wrong("the port of metrics is a number from 0 to 65535, not '%s'%s", port, "");
    s->exports = true;
    s->metrics_port = (unsigned)n;
    return true;
}

static bool line_advertise(struct relay_settings *s, const char *value)
{
    snprintf(s->advertise, sizeof(s->advertise), "%s", value);
    return true;
}

/* The peer's name with only characters that the name of a channel may have. */
static bool peer_channel(const char *host, unsigned port, char channel[ACH_CHAN_NAME_MAX])
{
    int n = snprintf(channel, ACH_CHAN_NAME_MAX, RELAY_PEER_PREFIX "%s.%u", host, port);
    char *c;

    if (n >= (int)ACH_CHAN_NAME_MAX)
        return wrong("the name of a peer is too long: '%s'%s", host, "");
    for (c = channel; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr(".-_", *c))
            *c = '_';
    return true;
}

/* Pull the list of the channels that a peer advertises. */
static bool line_peer(struct relay_settings *s, const char *value)
{
    char host[RELAY_HOST_MAX], channel[ACH_CHAN_NAME_MAX];
    const char *address = strchr(value, '@'); /* after the name of a certificate */
    struct relay_flow_setting *f;
    unsigned port;

    if (!relay_settings_address(address ? address + 1 : value, s->port, host, &port) ||
        !peer_channel(host, port, channel))
        return false;
    f = relay_settings_flow(s, false, value, channel);
    if (f)
        snprintf(f->request.name, sizeof(f->request.name), RELAY_LISTING_PREFIX "%u", port);
    return f != NULL;
}

static bool line_silence(struct relay_settings *s, const char *value)
{
    return word_seconds(value, &s->silence);
}

bool relay_settings_anticipate(struct relay_settings *s, const char *percent)
{
    uint64_t n;

    if (!parse_count(percent, 0, ANTICIPATES_MAX, &n))
        return wrong(
            "anticipate takes a whole number from 0 to 25, percent of a processor, not '%s'%s",
            percent, "");
    s->anticipates = (double)n / 100;
    return true;
}

static bool line_window(struct relay_settings *s, const char *value)
{
    size_t n;

    if (!parse_size(value, &n) || n < RELAY_WINDOW_MIN || n > (1u << 30))
        return wrong("a window has 4K to 1G bytes, not '%s'%s", value, "");
    s->window_max = n;
    return true;
}

static bool line_tls(struct relay_settings *s, const char *value)
{
    return relay_settings_path(s->keys, value);
}

static bool line_user(struct relay_settings *s, const char *value)
{
    snprintf(s->user, sizeof(s->user), "%s", value);
    return true;
}

static const struct {
    const char *name;
    size_t at;
    uint64_t least, most;
    bool bytes;
} limits[] = {
    {"connections", offsetof(struct relay_limits, connections), 1, 65536, false},
    {"peer-connections", offsetof(struct relay_limits, peer_connections), 1, 65536, false},
    {"handshakes", offsetof(struct relay_limits, handshakes), 1, 65536, false},
    {"flows", offsetof(struct relay_limits, flows), 1, 4096, false},
    {"message", offsetof(struct relay_limits, message), 1, UINT32_MAX, true},
    {"memory", offsetof(struct relay_limits, memory), 65536, 1ull << 40, true},
    {"channel", offsetof(struct relay_limits, channel), 1, 1ull << 40, true},
    {"created", offsetof(struct relay_limits, created), 0, 1ull << 40, true},
    {"rate", offsetof(struct relay_limits, rate), 16384, 1ull << 40, true},
};

#define LIMITS (sizeof(limits) / sizeof(*limits))

static bool unknown_limit(const char *name)
{
    struct nearest n = nearest_to(name);
    size_t i;

    for (i = 0; i < LIMITS; i++)
        nearest_offer(&n, limits[i].name);
    return wrong("expected connections, peer-connections, handshakes, flows, message, memory, "
                 "channel, created or rate, not '%s'%s",
                 name, suggest(&n));
}

bool relay_settings_limit(struct relay_settings *s, const char *text)
{
    size_t i, bytes = 0, n = strcspn(text, "=");
    const char *value = text[n] ? text + n + 1 : "";
    char name[NEAREST_LENGTH_MAX];
    uint64_t count = 0;
    bool good;

    snprintf(name, sizeof(name), "%.*s", (int)n, text);
    for (i = 0; i < LIMITS && strcmp(limits[i].name, name) != 0;)
        i++;
    if (i == LIMITS)
        return unknown_limit(name);
    good = limits[i].bytes ? parse_size(value, &bytes) : parse_count(value, 0, UINT64_MAX, &count);
    count = limits[i].bytes ? bytes : count;
    if (!good || count < limits[i].least || count > limits[i].most) {
        ach_errstr_set(ACH_EINVAL,
                       "the limit %s is a number from %llu to %llu, as %s=%llu, not '%s'", name,
                       (unsigned long long)limits[i].least, (unsigned long long)limits[i].most,
                       name, (unsigned long long)limits[i].least, value);
        return false;
    }
    memcpy((char *)&s->limits + limits[i].at, &count, sizeof(count));
    return true;
}

static bool line_transport(struct relay_settings *s, const char *value)
{
    s->sctp = strcmp(value, "sctp") == 0;
    return s->sctp || strcmp(value, "tcp") == 0 ||
           wrong("the transport of connections is tcp or sctp, not '%s'%s", value, "");
}

static bool line_rekey(struct relay_settings *s, const char *value)
{
    return word_seconds(value, &s->key_life);
}

/* multicast CHANNEL GROUP:PORT [rate=BYTES] */
static bool line_multicast(struct relay_settings *s, char **rest)
{
    const char *channel = strtok_r(NULL, BLANKS, rest), *group = strtok_r(NULL, BLANKS, rest);
    const char *rate = strtok_r(NULL, BLANKS, rest);
    struct relay_multicast *m = calloc(1, sizeof(*m));
    char host[RELAY_HOST_MAX];
    unsigned port = 0;

    if (!m)
        return wrong("no memory%s%s", "", "");
    m->next = s->multicasts;
    s->multicasts = m;
    m->rate = MULTICAST_RATE;
    if (!channel || !group || (rate && strncmp(rate, "rate=", 5) != 0) ||
        strtok_r(NULL, BLANKS, rest))
        return wrong("expected multicast CHANNEL GROUP:PORT [rate=BYTES]%s%s", "", "");
    if (!settings_channel(channel, m->channel) || !relay_settings_address(group, 0, host, &port) ||
        (rate && !settings_rate(rate + 5, &m->rate)))
        return false;
    m->port = (uint16_t)port;
    return (port && inet_pton(AF_INET, host, m->group) == 1 && (m->group[0] & 0xf0) == 0xe0) ||
           wrong("a group is an address from 224.0.0.0 to 239.255.255.255 and a port, not '%s'%s",
                 group, "");
}

static const struct {
    const char *name;
    bool (*set)(struct relay_settings *s, const char *value);
} lines[] = {{"listen", line_listen},
             {"create", line_create},
             {"advertise", line_advertise},
             {"peer", line_peer},
             {"rekey", line_rekey},
             {"silence", line_silence},
             {"transport", line_transport},
             {"window", line_window},
             {"metrics", relay_settings_metrics},
             {"anticipate", relay_settings_anticipate},
             {"tls", line_tls},
             {"limit", relay_settings_limit},
             {"user", line_user}};

#define LINES (sizeof(lines) / sizeof(*lines))

static bool unknown_line(const char *word)
{
    struct nearest n = nearest_to(word);
    size_t i;

    nearest_offer(&n, "push");
    nearest_offer(&n, "pull");
    nearest_offer(&n, "insecure");
    nearest_offer(&n, "no-advertise");
    nearest_offer(&n, "allow");
    nearest_offer(&n, "multicast");
    for (i = 0; i < LINES; i++)
        nearest_offer(&n, lines[i].name);
    return wrong(
        "expected push, pull, multicast, listen, tls, allow, limit, user, create, insecure, "
        "advertise, no-advertise, anticipate, peer, rekey, silence, transport, window or metrics, "
        "not '%s'%s",
        word, suggest(&n));
}

static bool line_setting(struct relay_settings *s, const char *word, char **rest)
{
    const char *value, *more;
    size_t i;

    for (i = 0; i < LINES && strcmp(lines[i].name, word) != 0;)
        i++;
    if (i == LINES)
        return unknown_line(word);
    value = strtok_r(NULL, BLANKS, rest);
    more = strtok_r(NULL, BLANKS, rest);
    if (!value || more)
        return wrong("expected one value after %s%s", word, "");
    return lines[i].set(s, value);
}

static bool line_switch(bool *on, const char *word, char **rest)
{
    const char *more = strtok_r(NULL, BLANKS, rest);

    *on = true;
    return !more || wrong("%s takes no value: leave the line out if it is not wanted%s", word, "");
}

static bool settings_line(struct relay_settings *s, char *line)
{
    char *rest, *comment = strchr(line, '#');
    const char *word;

    if (comment)
        *comment = '\0';
    word = strtok_r(line, BLANKS, &rest);
    if (!word)
        return true;
    if (strcmp(word, "push") == 0 || strcmp(word, "pull") == 0)
        return line_flow(s, word[2] == 's', &rest);
    if (strcmp(word, "allow") == 0)
        return relay_access_add(&s->rules, rest);
    if (strcmp(word, "multicast") == 0)
        return line_multicast(s, &rest);
    if (strcmp(word, "insecure") == 0)
        return line_switch(&s->insecure, word, &rest);
    if (strcmp(word, "no-advertise") == 0)
        return line_switch(&s->hidden, word, &rest);
    return line_setting(s, word, &rest);
}

bool relay_settings_parse(struct relay_settings *s, const char *name, FILE *file)
{
    char line[LINE_MAX_BYTES];
    unsigned number = 0;

    while (fgets(line, sizeof(line), file)) {
        bool whole = strchr(line, '\n') || feof(file);

        number++;
        if (!whole)
            ach_errstr_set(ACH_OVERFLOW, "the line has a byte 0 or more than %d bytes",
                           LINE_MAX_BYTES - 2);
        if (!whole || !settings_line(s, line)) {
            ach_errstr_set(ACH_EINVAL, "%s, line %u: %s", name, number, ach_errstr());
            return false;
        }
    }
    return !ferror(file) || wrong("cannot read '%s': %s", name, strerror(errno));
}

bool relay_settings_read(struct relay_settings *s, const char *path)
{
    FILE *file = fopen(path, "re");
    bool ok;

    if (!file)
        return wrong("cannot read '%s': %s", path, strerror(errno));
    ok = relay_settings_parse(s, path, file) && relay_settings_path(s->file, path);
    fclose(file);
    return ok;
}

static bool check_names(const struct relay_settings *s)
{
    const struct relay_flow_setting *f;
    const struct relay_rule *r;

    for (f = s->flows; f; f = f->next)
        if (f->named && !*s->keys)
            return wrong("%s@%s: names are checked with TLS only; use tls", f->name, f->host);
    for (r = s->rules; r; r = r->next) {
        bool plain = strcmp(r->peer, RELAY_ACCESS_PLAIN) == 0;

        if (plain && *s->keys)
            return wrong("allow %s: with tls, all peers have certificates%s", r->peer, "");
        if (!plain && !*s->keys)
            return wrong("allow %s: without tls, the name of all peers is %s", r->peer,
                         RELAY_ACCESS_PLAIN);
    }
    return true;
}

bool relay_settings_check(struct relay_settings *s)
{
    const char *keys = secure_getenv("ACH_KEYS");

    if (!s->flows && !s->listens)
        return wrong("nothing to do: there is no line push, pull, peer or listen%s%s", "", "");
    if (*s->keys && s->insecure)
        return wrong("tls and insecure exclude each other%s%s", "", "");
    if (!*s->keys && !s->insecure && keys && *keys && !relay_settings_path(s->keys, keys))
        return false;
    return check_names(s);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * listen.c - print what a feed hands out, as lines of JSON
 *
 * listen [-h] [-l] [-e] [-w TOPIC] [PATTERN ...]: -h held, -l lazy, -e exact, -w a topic that is wanted.
 * Ends at the end of its input.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "feed.h"
#include "json.h"

static struct json out;
static const char *wanted;
static struct feed_topic *found;

static void end(void)
{
    json_end_object(&out);
    json_line(&out);
    fflush(stdout);
}

static void added(void *context, struct feed_topic *t)
{
    (void)context;
    json_object(&out, NULL);
    json_string(&out, "event", "added");
    json_uint(&out, "id", t->id);
    json_string(&out, "topic", t->name);
    json_string(&out, "channel", t->channel);
    json_string(&out, "encoding", t->encoding);
    json_string(&out, "schema_name", t->schema_name);
    json_string(&out, "schema_encoding", t->schema_encoding);
    json_hex(&out, "schema", t->schema, t->schema_size);
    json_string(&out, "type", t->type_name);
    end();
    if (wanted && strcmp(t->name, wanted) == 0)
        found = t;
}

static void removed(void *context, struct feed_topic *t, uint64_t missed)
{
    (void)context;
    json_object(&out, NULL);
    json_string(&out, "event", "removed");
    json_uint(&out, "id", t->id);
    json_string(&out, "topic", t->name);
    json_uint(&out, "missed", missed);
    end();
    if (found == t)
        found = NULL;
}

static void message(void *context, const struct feed_message *m)
{
    (void)context;
    json_object(&out, NULL);
    json_string(&out, "event", "message");
    json_uint(&out, "id", m->topic->id);
    json_string(&out, "topic", m->topic->name);
    json_uint(&out, "sequence", m->sequence);
    json_uint(&out, "missed", m->missed);
    json_uint(&out, "put", (uint64_t)m->put);
    json_uint(&out, "got", (uint64_t)m->got);
    json_hex(&out, "data", m->data, m->size);
    end();
}

static void trouble(void *context, const char *channel, const char *sentence)
{
    (void)context;
    json_object(&out, NULL);
    json_string(&out, "event", "trouble");
    json_string(&out, "channel", channel);
    json_string(&out, "sentence", sentence);
    end();
}

/* Until something happens, or it is time. False: the input has ended. */
static bool sleep_once(struct feed *f)
{
    struct pollfd fds[] = {{.fd = feed_fd(f), .events = POLLIN},
                           {.fd = STDIN_FILENO, .events = POLLIN}};
    uint64_t due = feed_deadline(f), now;
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    now = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
    now = due > now ? due - now : 0;
    t = (struct timespec){.tv_sec = (time_t)(now / 1000000000u),
                          .tv_nsec = (long)(now % 1000000000u)};
    ppoll(fds, 2, due == UINT64_MAX ? NULL : &t, NULL);
    return !fds[1].revents;
}

int main(int argc, char **argv)
{
    static const struct feed_events events = {added, removed, message, trouble};
    struct feed_options options = {0};
    bool wants = false;
    struct feed *f;
    int c;

    out.out = stdout;
    while ((c = getopt(argc, argv, "hlew:")) != -1) {
        options.held |= c == 'h';
        options.lazy |= c == 'l';
        options.exact |= c == 'e';
        if (c == 'w')
            wanted = optarg;
    }
    options.patterns = (const char *const *)argv + optind;
    options.npatterns = (size_t)(argc - optind);
    f = feed_new(&options, &events, NULL);
    if (!f)
        return 1;
    do {
        feed_turn(f);
        if (found && !wants)
            feed_want(f, found, true);
        wants = found != NULL;
    } while (sleep_once(f));
    feed_turn(f);
    feed_free(f);
    return 0;
}

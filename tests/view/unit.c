/* SPDX-License-Identifier: BSD-3-Clause */
/* The gate, the outbox, the loop, the claims and the complaints of the viewer, without connections. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "claim.h"
#include "complain.h"
#include "gate.h"
#include "hub.h"
#include "loop.h"
#include "outbox.h"

static void check_gate(void)
{
    struct view_gate g = {.hosts = {"robot"}, .origins = {"https://app.foxglove.dev"}}, other = g;
    char cookies[128], wrong[VIEW_TOKEN_TEXT];

    CHECK(view_gate_init(&g) && view_gate_init(&other));
    CHECK(strlen(g.token) == 32 && strcmp(g.token, other.token) != 0);
    view_gate_port(&g, 8765);
    CHECK(view_gate_token(&g, g.token) && !view_gate_token(&g, other.token));
    CHECK(!view_gate_token(&g, NULL) && !view_gate_token(&g, ""));
    memcpy(wrong, g.token, sizeof(wrong));
    wrong[31] = (char)(wrong[31] ^ 1);
    CHECK(!view_gate_token(&g, wrong));
    snprintf(cookies, sizeof(cookies), "x=1;ach-view-token-8765=%s", g.token);
    CHECK(view_gate_cookie(&g, cookies));
    snprintf(cookies, sizeof(cookies), "ach-view-token-8766=%s", g.token);
    CHECK(!view_gate_cookie(&g, cookies) && !view_gate_cookie(&g, NULL) &&
          !view_gate_cookie(&g, ";;"));
    CHECK(view_gate_host(&g, "localhost:8765") && view_gate_host(&g, "[::1]:8765"));
    CHECK(view_gate_host(&g, "robot:8765") && view_gate_host(&g, "robot"));
    CHECK(view_gate_host(&g, "localhost:9000") && !view_gate_host(&g, "localhost:65536"));
    CHECK(!view_gate_host(&g, NULL) && !view_gate_host(&g, "robots"));
    CHECK(!view_gate_host(&g, "localhost:") && !view_gate_host(&g, "localhost:1x"));
    CHECK(view_gate_origin(&g, NULL, "localhost:8765"));
    CHECK(view_gate_origin(&g, "http://robot:8765", "robot:8765"));
    CHECK(!view_gate_origin(&g, "http://robot:8765", "localhost:8765"));
    CHECK(!view_gate_origin(&g, "http://evil:8765", "evil:8765"));
    CHECK(view_gate_origin(&g, "https://app.foxglove.dev", "localhost:8765"));
    CHECK(!view_gate_origin(&g, "null", "localhost:8765"));
}

static struct view_blob *blob(size_t size, char c)
{
    char bytes[1000];

    memset(bytes, c, sizeof(bytes));
    return view_blob_copy(bytes, size);
}

static char taken(struct view_outbox *o)
{
    uint8_t bytes[1100];
    size_t n = 0;

    CHECK(o->first != NULL);
    while (o->first->sent < view_frame_size(o->first))
        n += view_outbox_take(o, bytes + n, 7);
    view_outbox_pop(o);
    return (char)bytes[n - 1];
}

/* A slow stream keeps its message beside a fast one, which keeps its newest. */
static void check_outbox(void)
{
    struct view_outbox o = {.control_max = 2000, .data_max = 4000};
    struct view_stream slow = {0}, fast = {0}, large = {0};
    char c, last = 0;

    CHECK(view_outbox_data(&o, &slow, "h", 1, blob(100, 's'), false));
    for (c = 'a'; c <= 'z'; c++)
        CHECK(view_outbox_data(&o, &fast, "h", 1, blob(900, c), false));
    CHECK(view_outbox_control(&o, blob(10, '!'), true));
    CHECK(o.data <= o.data_max && slow.dropped == 0 && fast.dropped == 26 - fast.waiting);
    CHECK(o.dropped == fast.dropped);
    CHECK(taken(&o) == 's');
    while (fast.waiting) {
        c = taken(&o);
        CHECK(c > last);
        last = c;
    }
    CHECK(last == 'z' && taken(&o) == '!' && !o.first && o.data == 0 && o.control == 0);
    o.data_max = 1500; /* the oldest goes, whose it may be, if the own stream has none */
    CHECK(view_outbox_data(&o, &slow, NULL, 0, blob(900, 's'), false));
    CHECK(view_outbox_data(&o, &large, NULL, 0, blob(900, 'L'), false));
    CHECK(slow.dropped == 1 && large.dropped == 0 && taken(&o) == 'L' && !o.first);
    CHECK(view_outbox_control(&o, blob(1000, 'x'), true) &&
          !view_outbox_control(&o, blob(1000, 'y'), true));
    CHECK(!view_outbox_control(&o, NULL, true));
    o.data_max = 500; /* one frame that is too large is better than none */
    CHECK(view_outbox_data(&o, &large, NULL, 0, blob(900, 'l'), false));
    CHECK(view_outbox_data(&o, &large, NULL, 0, blob(900, 'm'), false));
    CHECK(large.waiting == 1 && large.dropped == 1);
    view_outbox_forget(&o, &large);
    CHECK(large.waiting == 0 && taken(&o) == 'x' && !o.first);
    CHECK(view_outbox_data(&o, &large, NULL, 0, blob(900, 'l'), false));
    view_outbox_finish(&o);
    CHECK(!o.first && o.data == 0 && large.waiting == 0);
}

/* A frame that is partly sent stays: the receiver has its length. */
static void check_partly_sent(void)
{
    struct view_outbox o = {.control_max = 2000, .data_max = 1200};
    struct view_stream s = {0};
    uint8_t bytes[4];

    CHECK(view_outbox_data(&o, &s, "h", 1, blob(900, 'a'), false));
    CHECK(view_outbox_take(&o, bytes, sizeof(bytes)) == 4 && memcmp(bytes, "haaa", 4) == 0);
    CHECK(view_outbox_data(&o, &s, "h", 1, blob(900, 'b'), false));
    CHECK(view_outbox_data(&o, &s, "h", 1, blob(900, 'c'), false));
    CHECK(s.dropped == 1 && s.waiting == 2);
    view_outbox_forget(&o, &s);
    CHECK(o.first && o.first == o.last && taken(&o) == 'a' && !o.first);
}

struct counter {
    struct view_loop *loop;
    struct view_timer timer, other;
    int count;
};

static void count(void *context)
{
    struct counter *c = context;

    if (++c->count < 3)
        view_timer_set(c->loop, &c->timer, view_now());
    view_timer_stop(c->loop, &c->other);
}

static void never(void *context)
{
    (void)context;
    CHECK(!"stopped timers are not due");
}

static void check_loop(void)
{
    struct view_loop l;
    struct counter c = {.loop = &l, .timer = {.due = count}, .other = {.due = never}};
    int i;

    CHECK(view_loop_init(&l));
    c.timer.context = &c;
    view_timer_set(&l, &c.timer, view_now());
    view_timer_set(&l, &c.other, view_now() + 3600000000000u);
    for (i = 0; i < 1000000 && c.count < 3; i++)
        view_loop_turn(&l);
    CHECK(c.count == 3 && !c.timer.when && !c.other.when && !l.timers && l.alarm_at == 0);
    view_timer_set(&l, &c.other, UINT64_MAX);
    CHECK(!l.timers);
    view_loop_finish(&l);
}

struct worker {
    struct view_loop *loop;
    struct view_timer timer;
    int count;
    bool again;
};

static void work(void *context)
{
    const struct timespec long_work = {.tv_nsec = 30000000};
    struct worker *w = context;

    w->count++;
    nanosleep(&long_work, NULL);
    if (w->again)
        view_timer_set(w->loop, &w->timer, 0);
}

/* A turn ends after long work, and who works again and again does not keep others waiting. */
static void check_long_work(void)
{
    struct view_loop l;
    struct worker w[4] = {{.again = true}, {0}, {0}, {0}};
    int turns, i;

    CHECK(view_loop_init(&l));
    for (i = 0; i < 4; i++) {
        w[i].loop = &l;
        w[i].timer = (struct view_timer){.due = work, .context = &w[i]};
        view_timer_set(&l, &w[i].timer, view_now());
    }
    for (turns = 0; turns < 100 && !(w[1].count && w[2].count && w[3].count); turns++) {
        int before = w[0].count + w[1].count + w[2].count + w[3].count;

        view_loop_turn(&l);
        CHECK(w[0].count + w[1].count + w[2].count + w[3].count <= before + 1);
    }
    CHECK(w[0].count == 1 && w[1].count == 1 && w[2].count == 1 && w[3].count == 1);
    view_timer_stop(&l, &w[0].timer);
    CHECK(!l.timers);
    view_loop_finish(&l);
}

#define FEW_TOPICS 2000u
#define MANY_TOPICS 24000u

/* Processor time of adding so many topics, finding each, and removing them. */
static uint64_t topics_cost(unsigned n)
{
    const struct view_topic_type type = {.name = "topic"};
    static struct view_topic *topics[MANY_TOPICS];
    struct view_options options = {0};
    struct timespec begin, end;
    struct view_hub h;
    unsigned i;

    view_hub_init(&h, NULL, &options, NULL);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    for (i = 0; i < n; i++)
        topics[i] = view_hub_add(&h, &type);
    for (i = 0; i < n; i++)
        CHECK(view_hub_topic(&h, topics[i]->id) == topics[i]);
    for (i = 0; i < n; i++)
        view_hub_remove(&h, topics[(i + n / 2) % n]);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    CHECK(!h.topics && !view_hub_topic(&h, 1) && !view_hub_topic(&h, 1ull << 33));
    return (uint64_t)(end.tv_sec - begin.tv_sec) * 1000000000 + (uint64_t)end.tv_nsec -
           (uint64_t)begin.tv_nsec;
}

/* Twelve times as many may not cost the square of that. */
static void check_many_topics(void)
{
    uint64_t few = UINT64_MAX, cost;
    int i;

    for (i = 0; i < 5; i++) {
        cost = topics_cost(FEW_TOPICS);
        few = cost < few ? cost : few;
    }
    CHECK(topics_cost(MANY_TOPICS) < 70 * few);
}

static size_t drained(int fd, char *text, size_t room)
{
    size_t size = 0;
    ssize_t n;

    while (size + 1 < room && (n = read(fd, text + size, room - 1 - size)) > 0)
        size += (size_t)n;
    text[size] = '\0';
    return size;
}

/* Nobody reads the complaints, and then somebody does. */
static void check_complaints(void)
{
    static char text[1 << 20];
    const uint64_t begin = view_now();
    int ends[2], before = dup(STDERR_FILENO);
    size_t lines = 0, i;

    CHECK(pipe(ends) == 0 && dup2(ends[1], STDERR_FILENO) >= 0);
    CHECK(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0 && fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0);
    while (write(ends[1], text, sizeof(text)) > 0)
        continue;
    CHECK(fcntl(ends[1], F_SETFL, 0) == 0);
    for (i = 0; i < 10; i++)
        view_complain("unread");
    drained(ends[0], text, sizeof(text));
    view_complain("a\n%s", "b");
    drained(ends[0], text, sizeof(text));
    CHECK(strcmp(text, "ach view: 10 lines were left out; a\\x0ab\n") == 0);
    for (i = 0; i < 100000; i++)
        view_complain("too many");
    for (i = drained(ends[0], text, sizeof(text)); i > 0; i--)
        lines += text[i - 1] == '\n';
    CHECK(lines > 10 && lines <= 50 + (view_now() - begin) / 1000000000);
    dup2(before, STDERR_FILENO);
    close(before);
    close(ends[0]);
    close(ends[1]);
}

#define MS 1000000u

static bool claim_says(const char *said, const char *wanted)
{
    return said && wanted ? strcmp(said, wanted) == 0 : said == wanted;
}

/* Two pages, and one that only stops. */
static void check_claim(void)
{
    const char *const p = "p", *const q = "q", *const r = "r";
    struct claim c = {.owner = NULL};
    uint64_t now = 1000 * MS, t;

    CHECK(!claim_ask(&c, p, true, now) && claim_owner(&c) == p);
    CHECK(claim_says(claim_ask(&c, q, true, now), CLAIM_OTHER) && !claim_release(&c, q));
    CHECK(!claim_ask(&c, p, false, now + 5000 * MS)); /* silence does not free it */

    CHECK(claim_stop(&c, q, now) && !claim_owner(&c));
    for (t = now; t < now + 1000 * MS; t += 190 * MS) { /* the page goes on, and then another one */
        CHECK(claim_says(claim_ask(&c, t < now + 500 * MS ? p : r, true, t), CLAIM_STOPPED));
        CHECK(claim_says(claim_ask(&c, q, true, t), CLAIM_WAIT));
    }
    t -= 190 * MS;
    CHECK(claim_says(claim_ask(&c, q, true, t + CLAIM_SILENCE - 1), CLAIM_WAIT));
    CHECK(!claim_ask(&c, q, true, t + CLAIM_SILENCE) && claim_owner(&c) == q);

    now = t + 1000 * MS;
    CHECK(claim_stop(&c, p, now) && claim_release(&c, q)); /* its user has let go */
    CHECK(!claim_ask(&c, q, true, now) && !claim_stop(&c, q, now) && !claim_owner(&c));

    CHECK(!claim_stop(&c, q, now) && claim_says(claim_ask(&c, p, true, now), CLAIM_STOPPED));
    CHECK(!claim_ask(&c, q, true, now)); /* it has stopped what nobody drove */
    CHECK(claim_says(claim_ask(&c, p, true, now), CLAIM_OTHER));

    claim_hold(&c, "lost", now);
    CHECK(claim_says(claim_ask(&c, q, true, now), "lost") && claim_leave(&c, q));
    CHECK(claim_says(claim_ask(&c, p, true, now), "lost") && !claim_leave(&c, p));
    CHECK(!claim_ask(&c, p, true, now + CLAIM_SILENCE) && claim_owner(&c) == p);
}

int main(void)
{
    check_complaints();
    check_gate();
    check_claim();
    check_outbox();
    check_partly_sent();
    check_loop();
    check_long_work();
    check_many_topics();
    return check_result();
}

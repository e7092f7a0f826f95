/* SPDX-License-Identifier: BSD-3-Clause */
/* keys.c - an authority, its hosts, and what it revokes */
#include <sys/stat.h>

#include "fixture.h"
#include "tests.h"

static char top[512];

struct seen {
    int n, revoked;
    char names[256]; /* "a b b " */
};

static void see(void *cx, const struct tls_issued *issued)
{
    struct seen *seen = cx;

    seen->n++;
    seen->revoked += issued->revoked;
    CHECK(strlen(issued->serial) == 32 && issued->until > time(NULL));
    strcat(strcat(seen->names, issued->name), " ");
}

static void see_host(void *cx, const char *name)
{
    struct seen *seen = cx;

    (void)name;
    seen->n++;
}

static struct seen list(void)
{
    struct seen seen = {0};

    CHECK_OK(tls_keys_list(top, see, &seen));
    return seen;
}

static struct tls_context *open_host(const char *name)
{
    struct tls_context *context = NULL;

    CHECK_OK(tls_context_create(fixture_path("keys/hosts/%s", name), &context));
    return context;
}

static void test_init(void)
{
    struct stat file;

    CHECK_STATUS(tls_keys_issue(top, "robot", 10, TLS_ISSUE_NEW), ACH_ENOENT);
    CHECK_SAYS("make one with 'ach keys init'");
    CHECK_STATUS(tls_keys_init(top, "my robots", 10, false), ACH_EINVAL);
    CHECK_OK(tls_keys_init(top, "robots", 100, false));
    CHECK_STATUS(tls_keys_init(top, "robots", 100, false), ACH_EEXIST);
    CHECK_SAYS("has an authority already");
    CHECK(stat(fixture_path("keys/ca/ca.key"), &file) == 0 && (file.st_mode & 07777) == 0600);
    CHECK(stat(fixture_path("keys/ca"), &file) == 0 && (file.st_mode & 07777) == 0700);
    CHECK(list().n == 0);
}

static void test_issue(void)
{
    static const char *const wrong[] = {"",   ".",   "..",      "a/b", ".new",
                                        "-x", "a b", "a,DNS:b", "a\n"};
    char before[8192], after[8192];
    struct tls_context *context;
    struct tls_info info;
    struct stat file;
    size_t i, n;

    for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
        CHECK_STATUS(tls_keys_issue(top, wrong[i], 10, TLS_ISSUE_NEW), ACH_EINVAL);
    CHECK_STATUS(tls_keys_issue(top, "robot", 10, TLS_ISSUE_RENEW), ACH_ENOENT);
    CHECK_OK(tls_keys_issue(top, "robot", 10, TLS_ISSUE_NEW));
    n = fixture_read(fixture_path("keys/hosts/robot/host.key"), before, sizeof(before));
    CHECK_STATUS(tls_keys_issue(top, "robot", 10, TLS_ISSUE_NEW), ACH_EEXIST);
    CHECK(fixture_read(fixture_path("keys/hosts/robot/host.key"), after, sizeof(after)) == n &&
          memcmp(before, after, n) == 0);
    CHECK_OK(tls_keys_issue(top, "robot", 100000, TLS_ISSUE_RENEW));
    fixture_read(fixture_path("keys/hosts/robot/host.key"), after, sizeof(after));
    CHECK(memcmp(before, after, n) != 0);
    CHECK_OK(tls_keys_issue(top, "laptop", 10, TLS_ISSUE_FORCE));
    CHECK(stat(fixture_path("keys/hosts/robot/host.key"), &file) == 0 &&
          (file.st_mode & 07777) == 0600);
    CHECK(access(fixture_path("keys/hosts/robot/ca.key"), F_OK) != 0);
    context = open_host("robot");
    tls_context_info(context, &info);
    CHECK(info.until == info.authority_until); /* not longer than its authority */
    tls_context_destroy(context);
    CHECK(strcmp(list().names, "laptop robot robot ") == 0);
}

/* Keys of one authority work together. */
static void test_use(void)
{
    struct tls_context *server = open_host("robot"), *client = open_host("laptop");
    struct outcome o;
    struct pair p;

    pair_begin(&p, client, "robot", server);
    o = pair_shake(&p);
    CHECK_OK(o.client);
    CHECK_OK(o.server);
    CHECK(strcmp(tls_session_peer(p.server), "laptop") == 0);
    pair_end(&p);
    tls_context_destroy(server);
    tls_context_destroy(client);
}

static void test_revoke(void)
{
    struct tls_context *server = open_host("robot"), *client = open_host("laptop"), *none;
    struct seen hosts = {0};
    struct pair p;

    CHECK_STATUS(tls_keys_revoke(top, "nobody", see_host, &hosts), ACH_ENOENT);
    CHECK_OK(tls_keys_revoke(top, "laptop", see_host, &hosts));
    CHECK(hosts.n == 2 && list().revoked == 1);
    CHECK_STATUS(tls_keys_revoke(top, "laptop", see_host, &hosts), ACH_ENOENT);
    CHECK_OK(tls_context_reload(server));
    pair_begin(&p, client, "robot", server);
    CHECK_STATUS(pair_shake(&p).server, ACH_EACCES);
    pair_end(&p);
    CHECK_STATUS(tls_context_create(fixture_path("keys/hosts/laptop"), &none), ACH_EACCES);
    tls_context_destroy(client);
    CHECK_OK(tls_keys_issue(top, "laptop", 10, TLS_ISSUE_RENEW));
    client = open_host("laptop");
    pair_begin(&p, client, "robot", server);
    CHECK_OK(pair_shake(&p).server);
    pair_end(&p);
    tls_context_destroy(client);
    CHECK_OK(tls_keys_revoke(top, "robot", see_host, &hosts)); /* both of its certificates */
    CHECK(list().n == 4 && list().revoked == 3);
    tls_context_destroy(server);
}

/* Nothing that is interrupted or fails stays behind. */
static void test_leftovers(void)
{
    struct tls_directory in, draft;
    char name[TLS_STORE_DRAFT];

    REQUIRE_OK(tls_store_open(NULL, top, top, &in));
    REQUIRE_OK(tls_store_draft(&in, name, &draft));
    tls_store_close(&draft);
    CHECK_STATUS(tls_store_publish(&in, name, "ca", false), ACH_EEXIST);
    tls_store_discard(&in, name);
    CHECK(faccessat(in.fd, name, F_OK, 0) != 0);
    CHECK(access(fixture_path("keys/ca/ca.key"), F_OK) == 0);
    tls_store_close(&in);
}

/* Only one process changes an authority at a time. */
static void test_concurrent(void)
{
    int i, n = 8, made = list().n;
    pid_t children[8];

    for (i = 0; i < n; i++) {
        children[i] = check_fork();
        if (children[i] == 0) {
            char name[16];
            ach_status_t status;

            snprintf(name, sizeof(name), "host%d", i);
            while ((status = tls_keys_issue(top, name, 10, TLS_ISSUE_NEW)) == ACH_EAGAIN)
                check_sleep_ms(1);
            _exit(status == ACH_OK ? 0 : 1);
        }
    }
    for (i = 0; i < n; i++)
        CHECK(check_child(children[i], 60000));
    CHECK(list().n == made + n);
}

static void test_force(void)
{
    struct tls_context *context;

    CHECK_OK(tls_keys_issue(top, "late", 10, TLS_ISSUE_NEW));
    CHECK_OK(tls_keys_init(top, "robots", 100, true));
    CHECK(list().n == 0);
    context = open_host("late"); /* it trusts the authority before */
    tls_context_destroy(context);
}

void test_keys(void)
{
    snprintf(top, sizeof(top), "%s", fixture_path("keys"));
    test_init();
    test_issue();
    test_use();
    test_revoke();
    test_leftovers();
    test_concurrent();
    test_force();
}

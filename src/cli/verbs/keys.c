/* SPDX-License-Identifier: BSD-3-Clause */
/* ach keys - an authority, and keys of hosts for TLS */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "json.h"
#include "parse.h"
#include "table.h"
#include "tls.h"

#define DAYS_HOST 365
#define DAYS_AUTHORITY 3650
#define DAYS_MAX 36500

/* Days before the end at which `ach keys check` warns. */
#define DAYS_WARN 30

struct keys_options {
    const struct tls_library *tls;
    const char *dir, *name;
    unsigned days; /* 0: the default */
    bool force, json;
    char place[PATH_MAX]; /* the default directory */
};

enum {
    OPT_DIR = 256,
    OPT_NAME,
    OPT_DAYS,
    OPT_FORCE,
};

static const char *keys_date(time_t when, char text[32])
{
    struct tm t;

    if (!gmtime_r(&when, &t) || !strftime(text, 32, "%Y-%m-%d %H:%M UTC", &t))
        strcpy(text, "?");
    return text;
}

static int keys_init(const struct keys_options *o, const char *operand)
{
    (void)operand;
    if (o->tls->keys_init(o->dir, o->name ? o->name : "ach", o->days ? o->days : DAYS_AUTHORITY,
                          o->force) != ACH_OK)
        return fail_errstr();
    printf("made an authority in %s/ca\n"
           "keep %s/ca/ca.key secret: it can make keys for any host\n",
           o->dir, o->dir);
    return EXIT_OK;
}

static int keys_issue(const struct keys_options *o, const char *name, enum tls_issue how)
{
    if (o->tls->keys_issue(o->dir, name, o->days ? o->days : DAYS_HOST, how) != ACH_OK)
        return fail_errstr();
    printf("made keys of %s: copy the directory %s/hosts/%s to that host\n", name, o->dir, name);
    return EXIT_OK;
}

static int keys_host(const struct keys_options *o, const char *name)
{
    return keys_issue(o, name, o->force ? TLS_ISSUE_FORCE : TLS_ISSUE_NEW);
}

static int keys_renew(const struct keys_options *o, const char *name)
{
    return keys_issue(o, name, TLS_ISSUE_RENEW);
}

struct keys_revocation {
    const char *dir, *name;
    bool told;
};

static void keys_print_host(void *cx, const char *name)
{
    struct keys_revocation *r = cx;

    if (!r->told)
        printf("revoked %s; copy these files to their hosts, which refuse it from then on:\n",
               r->name);
    r->told = true;
    printf("  %s/hosts/%s/crl.pem\n", r->dir, name);
}

static int keys_revoke(const struct keys_options *o, const char *name)
{
    struct keys_revocation r = {o->dir, name, false};

    return o->tls->keys_revoke(o->dir, name, keys_print_host, &r) == ACH_OK ? EXIT_OK
                                                                            : fail_errstr();
}

static const char *keys_state(const struct tls_issued *issued)
{
    return issued->revoked ? "revoked" : issued->until < time(NULL) ? "expired" : "valid";
}

static void keys_add_row(void *cx, const struct tls_issued *issued)
{
    struct table *t = cx;
    char date[32];

    table_cell(t, "%s", issued->name);
    table_cell(t, "%s", issued->serial);
    table_cell(t, "%s", keys_date(issued->until, date));
    table_cell(t, "%s", keys_state(issued));
}

static void keys_add_json(void *cx, const struct tls_issued *issued)
{
    struct json *j = cx;

    if (!j->depth)
        json_array(j, NULL);
    json_object(j, NULL);
    json_string(j, "name", issued->name);
    json_string(j, "serial", issued->serial);
    json_uint(j, "until", issued->until > 0 ? (uint64_t)issued->until : 0);
    json_string(j, "state", keys_state(issued));
    json_end_object(j);
}

/* Nothing is printed if the list cannot be read. */
static int keys_ls_json(const struct keys_options *o)
{
    struct json j = JSON_INIT(stdout);

    if (o->tls->keys_list(o->dir, keys_add_json, &j) != ACH_OK)
        return fail_errstr();
    if (!j.depth)
        json_array(&j, NULL);
    json_end_array(&j);
    json_line(&j);
    return EXIT_OK;
}

static int keys_ls(const struct keys_options *o, const char *operand)
{
    struct table t = {.align = "llll"};
    ach_status_t status;

    (void)operand;
    if (o->json)
        return keys_ls_json(o);
    table_cell(&t, "NAME");
    table_cell(&t, "SERIAL");
    table_cell(&t, "VALID UNTIL");
    table_cell(&t, "STATE");
    status = o->tls->keys_list(o->dir, keys_add_row, &t);
    if (status == ACH_OK)
        table_print(&t, stdout, SIZE_MAX, "\n");
    table_finish(&t);
    return status == ACH_OK ? EXIT_OK : fail_errstr();
}

static void keys_warn_end(const char *what, time_t end)
{
    if (end - time(NULL) < (time_t)DAYS_WARN * 86400)
        complain("warning: %s expires in less than %d days", what, DAYS_WARN);
}

static int keys_check(const struct keys_options *o, const char *directory)
{
    struct tls_context *context;
    struct tls_info info;
    char date[32];

    if (o->tls->context_create(directory, &context) != ACH_OK)
        return fail_errstr();
    o->tls->context_info(context, &info);
    o->tls->context_destroy(context);
    printf("name          %s\nserial        %s\n", info.name, info.serial);
    printf("valid from    %s\n", keys_date(info.from, date));
    printf("valid until   %s\n", keys_date(info.until, date));
    printf("authority     until %s\n", keys_date(info.authority_until, date));
    if (info.revocation)
        printf("revoked       %d, list valid until %s\n", info.revoked,
               keys_date(info.crl_until, date));
    else
        complain("warning: %s has no crl.pem: revoked certificates are accepted", directory);
    keys_warn_end("the certificate", info.until);
    keys_warn_end("the authority", info.authority_until);
    return EXIT_OK;
}

static const struct keys_action {
    const char *name;
    const char *operand; /* what it takes; NULL: nothing */
    int (*run)(const struct keys_options *o, const char *operand);
} actions[] = {
    {"init", NULL, keys_init},
    {"host", "the name of a host", keys_host},
    {"ls", NULL, keys_ls},
    {"renew", "the name of a host", keys_renew},
    {"revoke", "the name of a host", keys_revoke},
    {"check", "the directory of a host's keys", keys_check},
};

#define ACTIONS (sizeof(actions) / sizeof(actions[0]))

static const struct keys_action *keys_action_find(const char *name)
{
    size_t i;

    for (i = 0; i < ACTIONS; i++)
        if (strcmp(actions[i].name, name) == 0)
            return &actions[i];
    return NULL;
}

static bool keys_apply(struct keys_options *o, int c)
{
    uint64_t number;

    switch (c) {
    case OPT_DIR:
        o->dir = optarg;
        return true;
    case OPT_NAME:
        o->name = optarg;
        return true;
    case OPT_DAYS:
        if (!parse_count(optarg, 1, DAYS_MAX, &number))
            return bad_value("--days", optarg, "a number from 1 to 36500");
        o->days = (unsigned)number;
        return true;
    case OPT_FORCE:
        return o->force = true;
    case 'j':
        return o->json = true;
    default:
        usage_hint();
        return false;
    }
}

/* The directory of the authority that belongs to this user. */
static bool keys_find_place(struct keys_options *o)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    int n;

    if (o->dir)
        return true;
    o->dir = o->place;
    if (geteuid() == 0)
        n = snprintf(o->place, sizeof(o->place), "/etc/ach/keys");
    else if (config && *config == '/')
        n = snprintf(o->place, sizeof(o->place), "%s/ach/keys", config);
    else if (home && *home)
        n = snprintf(o->place, sizeof(o->place), "%s/.config/ach/keys", home);
    else
        n = -1;
    if (n > 0 && (size_t)n < sizeof(o->place))
        return true;
    complain("the home directory is unknown: name a directory with --dir");
    return false;
}

static int keys_run(int argc, char **argv)
{
    static const struct option longs[] = {
        {"dir", required_argument, NULL, OPT_DIR},
        {"name", required_argument, NULL, OPT_NAME},
        {"days", required_argument, NULL, OPT_DAYS},
        {"force", no_argument, NULL, OPT_FORCE},
        {"json", no_argument, NULL, 'j'},
        {0},
    };
    const struct keys_action *action;
    struct keys_options o = {0};
    int c;

    while ((c = getopt_long(argc, argv, "j", longs, NULL)) != -1)
        if (!keys_apply(&o, c))
            return EXIT_USAGE;
    if (optind == argc)
        return usage("say what to do: init, host, renew, revoke, ls or check");
    action = keys_action_find(argv[optind]);
    if (!action)
        return usage("'%s' is not one of init, host, renew, revoke, ls and check", argv[optind]);
    if (argc - optind != (action->operand ? 2 : 1))
        return usage("%s takes %s", action->name, action->operand ? action->operand : "no name");
    if (!keys_find_place(&o) || !(o.tls = tls_load()))
        return o.tls ? EXIT_FAILED : fail_errstr();
    return action->run(&o, argv[optind + 1]);
}

const struct verb verb_keys = {
    .name = "keys",
    .summary = "make keys for encrypted connections",
    .help = "Usage: ach keys init [--name NAME]\n"
            "       ach keys host|renew|revoke NAME\n"
            "       ach keys ls\n"
            "       ach keys check DIR\n\n"
            "Make an authority, and keys with which hosts prove their names to each other by TLS.\n"
            "Only hosts with keys of the same authority can connect.\n\n"
            "  init    make the authority\n"
            "  host    make the keys of a host: a directory to copy to it\n"
            "  renew   replace them, before they expire; the old ones stay valid\n"
            "  revoke  end all certificates of a host; copy the list crl.pem to all other hosts\n"
            "  ls      list all certificates\n"
            "  check   check the directory that a host uses\n\n"
            "Options:\n"
            "      --dir DIR    the directory of the authority (/etc/ach/keys for root,\n"
            "                   ~/.config/ach/keys for others)\n"
            "      --name NAME  init: the name of the authority (ach)\n"
            "      --days N     how long the certificate is valid (365; init: 3650)\n"
            "      --force      init, host: replace what is there\n"
            "  -j, --json       ls: as JSON\n"
            "  -h, --help       print this help\n\n"
            "Examples:\n"
            "  ach keys init\n"
            "  ach keys host robot1\n"
            "  scp -r ~/.config/ach/keys/hosts/robot1 robot1:keys\n"
            "  ach keys check keys            on robot1\n"
            "  ach keys revoke robot1\n",
    .run = keys_run,
};

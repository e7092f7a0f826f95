/* SPDX-License-Identifier: BSD-3-Clause */
/* directories.c - which directories of keys are refused, and how they are read again */
#include <openssl/pem.h>
#include <sys/stat.h>

#include "fixture.h"
#include "tests.h"

static struct tls_authority authority;
static struct host robot;
static X509_CRL *crl;

/* A valid directory, before a test damages it. */
static const char *make_valid(void)
{
    return directory_make("robot", authority.certificate, &robot, crl);
}

static void refuse(const char *words)
{
    struct tls_context *context = NULL;

    CHECK(tls_context_create(fixture_path("robot"), &context) != ACH_OK);
    CHECK_SAYS(words);
    tls_context_destroy(context);
    make_valid();
}

static void replace(const char *file, const char *text)
{
    fixture_write(fixture_path("robot/%s", file), text, strlen(text), 0600);
}

static void test_valid(void)
{
    struct tls_context *context;
    struct tls_info info;

    CHECK_OK(tls_context_create(make_valid(), &context));
    tls_context_info(context, &info);
    CHECK(strcmp(info.name, "robot") == 0 && strlen(info.serial) == 32);
    CHECK(info.revocation && info.revoked == 0);
    CHECK(info.from < time(NULL) && info.until > time(NULL) && info.until < info.authority_until);
    CHECK(info.crl_until > time(NULL));
    tls_context_destroy(context);
}

static void test_missing(void)
{
    static const char *const files[] = {"ca.pem", "host.pem", "host.key"};
    struct tls_context *context;
    size_t i;

    for (i = 0; i < 3; i++) {
        unlink(fixture_path("robot/%s", files[i]));
        refuse("No such file");
    }
    CHECK_STATUS(tls_context_create(fixture_path("nowhere"), &context), ACH_ENOENT);
    CHECK_STATUS(tls_context_create(fixture_path("robot/ca.pem"), &context), ACH_FAILED_SYSCALL);
    unlink(fixture_path("robot/crl.pem"));
    CHECK_OK(tls_context_create(fixture_path("robot"), &context));
    tls_context_destroy(context);
    make_valid();
}

static void test_permissions(void)
{
    const char *key = fixture_path("robot/host.key");

    chmod(key, 0640);
    refuse("has mode 0640, so other users may use the key");
    chmod(key, 0604);
    refuse("has mode 0604");
    if (geteuid() == 0 && chown(key, 12345, 0) == 0) {
        refuse("belongs to the user 12345");
        CHECK(chown(key, 0, 0) == 0);
    }
}

static void test_kinds_of_files(void)
{
    static char large[TLS_FILE_MAX + 1];

    unlink(fixture_path("robot/crl.pem"));
    REQUIRE(mkfifo(fixture_path("robot/crl.pem"), 0600) == 0);
    refuse("expected a regular file");
    unlink(fixture_path("robot/ca.pem"));
    REQUIRE(mkdir(fixture_path("robot/ca.pem"), 0700) == 0);
    {
        struct tls_context *context;

        CHECK(tls_context_create(fixture_path("robot"), &context) != ACH_OK);
        CHECK_SAYS("expected a regular file");
    }
    rmdir(fixture_path("robot/ca.pem"));
    make_valid();
    fixture_write(fixture_path("robot/crl.pem"), large, sizeof(large), 0600);
    refuse("larger than 4 MiB");
}

/* Every file, wherever it is cut, is refused. */
static void test_truncated(void)
{
    static const char *const files[] = {"ca.pem", "host.pem", "host.key", "crl.pem"};
    struct tls_context *context;
    size_t i, n, size;
    char text[8192];

    for (i = 0; i < 4; i++) {
        size = fixture_read(fixture_path("robot/%s", files[i]), text, sizeof(text));
        for (n = 0; n + 2 < size; n += 3) { /* the last line end may be missing */
            fixture_write(fixture_path("robot/%s", files[i]), text, n, 0600);
            if (!check_that(tls_context_create(fixture_path("robot"), &context) != ACH_OK, __FILE__,
                            __LINE__, files[i]))
                tls_context_destroy(context);
        }
        make_valid();
    }
}

static void test_wrong_content(void)
{
    struct host other = host_make(&authority, "robot", days(-1, 1));
    struct tls_authority stranger = authority_make();
    struct tls_directory to;
    BIO *bio = BIO_new(BIO_s_mem());
    char *text;
    long size;

    REQUIRE_OK(tls_store_open(NULL, fixture_path("robot"), "robot", &to));
    tls_store_key(&to, "host.key", other.key);
    refuse("host.key is not the key of host.pem");
    tls_store_certificate(&to, "ca.pem", stranger.certificate);
    refuse("is not signed by an authority of ca.pem");
    tls_store_certificate(&to, "host.pem", authority.certificate);
    refuse("must have exactly one name");
    replace("ca.pem", "");
    refuse("ca.pem: expected a certificate, found none");
    replace("crl.pem", "");
    refuse("crl.pem: expected a list of revoked certificates, found none");
    replace("host.key", "hello");
    refuse("host.key: the file is damaged: expected a private key");
    REQUIRE(bio && PEM_write_bio_X509(bio, robot.certificate) &&
            PEM_write_bio_X509(bio, robot.certificate));
    size = BIO_get_mem_data(bio, &text);
    fixture_write(fixture_path("robot/host.pem"), text, (size_t)size, 0600);
    refuse("expected one certificate, found several");
    BIO_free(bio);
    tls_store_close(&to);
    authority_free(&stranger);
    host_free(&other);
}

/* OpenSSL would ask for the password on the terminal. */
static void test_encrypted(void)
{
    BIO *bio = BIO_new(BIO_s_mem());
    char *text;
    long size;

    REQUIRE(bio && PEM_write_bio_PrivateKey(bio, robot.key, EVP_aes_256_cbc(),
                                            (const unsigned char *)"abc", 3, NULL, NULL));
    size = BIO_get_mem_data(bio, &text);
    fixture_write(fixture_path("robot/host.key"), text, (size_t)size, 0600);
    refuse("the key is encrypted");
    BIO_free(bio);
}

static void refuse_host(const char *words, struct tls_validity valid)
{
    struct host h = host_make(&authority, "robot", valid);

    directory_make("robot", authority.certificate, &h, crl);
    refuse(words);
    host_free(&h);
}

static void refuse_crl(const char *words, const struct tls_authority *by, X509 *revoked,
                       struct tls_validity valid)
{
    X509_CRL *other = crl_make(by, revoked, valid);

    directory_make("robot", authority.certificate, &robot, other);
    refuse(words);
    X509_CRL_free(other);
}

static void test_times(void)
{
    struct tls_authority stranger = authority_make();

    refuse_host("host.pem: the certificate of robot has expired", days(-10, -1));
    refuse_host("is not valid yet", days(1, 2));
    refuse_crl("crl.pem has expired", &authority, NULL, days(-10, -1));
    refuse_crl("in crl.pem is not valid yet", &authority, NULL, days(1, 2));
    refuse_crl("the certificate of robot is revoked", &authority, robot.certificate, days(-1, 1));
    refuse_crl("cannot be checked", &stranger, NULL, days(-1, 1));
    authority_free(&stranger);
}

/* Random changes give a context or a sentence. */
static void test_damaged(void)
{
    static const char *const files[] = {"ca.pem", "host.pem", "host.key", "crl.pem"};
    uint64_t random = 5, n = check_scale(200);
    struct tls_context *context;
    char text[8192];
    size_t size;

    while (n--) {
        const char *file = files[n % 4];
        int changes = 1 + (int)(check_random(&random) % 4);

        make_valid();
        size = fixture_read(fixture_path("robot/%s", file), text, sizeof(text));
        while (changes--)
            text[check_random(&random) % size] = (char)check_random(&random);
        fixture_write(fixture_path("robot/%s", file), text, size, 0600);
        if (tls_context_create(fixture_path("robot"), &context) == ACH_OK)
            tls_context_destroy(context);
        else
            CHECK(*ach_errstr());
    }
    make_valid();
}

/* A reload that fails changes nothing; one that succeeds is for new sessions. */
static void test_reload(void)
{
    struct host renewed = host_make(&authority, "robot", days(-1, 2));
    X509_CRL *strict = crl_make(&authority, robot.certificate, days(-1, 1));
    struct tls_context *server, *client;
    struct tls_info before, after;
    struct pair p;

    REQUIRE_OK(tls_context_create(make_valid(), &client));
    REQUIRE_OK(tls_context_create(fixture_path("robot"), &server));
    tls_context_info(server, &before);
    replace("host.pem", "nothing");
    CHECK(tls_context_reload(server) != ACH_OK);
    make_valid();
    unlink(fixture_path("robot/crl.pem"));
    CHECK_STATUS(tls_context_reload(server), ACH_ENOENT);
    CHECK_SAYS("crl.pem has disappeared");
    tls_context_info(server, &after);
    CHECK(memcmp(&before, &after, sizeof(before)) == 0);
    pair_begin(&p, client, "robot", server);
    CHECK_OK(pair_shake(&p).server);
    CHECK_OK(tls_session_check(p.server));
    directory_make("robot", authority.certificate, &renewed, strict);
    CHECK_OK(tls_context_reload(server));
    tls_context_info(server, &after);
    CHECK(strcmp(before.serial, after.serial) != 0 && after.revoked == 1);
    CHECK(pair_carry(p.client, p.server, 1000)); /* the session lives until it is checked */
    CHECK_STATUS(tls_session_check(p.server), ACH_EACCES);
    CHECK_SAYS("the certificate of robot is revoked");
    CHECK_OK(tls_session_check(p.client));
    pair_end(&p);
    pair_begin(&p, client, "robot", server);
    CHECK_STATUS(pair_shake(&p).server, ACH_EACCES);
    pair_end(&p);
    tls_context_destroy(server);
    tls_context_destroy(client);
    X509_CRL_free(strict);
    host_free(&renewed);
    make_valid();
}

void test_directories(void)
{
    authority = authority_make();
    robot = host_make(&authority, "robot", days(-1, 1));
    crl = crl_make(&authority, NULL, days(-1, 1));
    test_valid();
    test_missing();
    test_permissions();
    test_kinds_of_files();
    test_truncated();
    test_wrong_content();
    test_encrypted();
    test_times();
    test_damaged();
    test_reload();
    X509_CRL_free(crl);
    host_free(&robot);
    authority_free(&authority);
}

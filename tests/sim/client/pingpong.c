/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pingpong ping|pong ROUNDS COST_NS - two processes that answer each other
 *
 * Each message contains the virtual time at which it is put: now + COST_NS. With declared costs
 * it is received at exactly that time, and each answer takes one cost.
 */
#include <check.h>

int main(int argc, char **argv)
{
    bool ping;
    int64_t rounds, cost, i, now, told, expected = 0;
    ach_channel_t in, out;
    size_t size;

    REQUIRE(argc == 4);
    ping = strcmp(argv[1], "ping") == 0;
    rounds = atoll(argv[2]);
    cost = atoll(argv[3]);
    if (ping) {
        REQUIRE_OK(ach_create("pong", 8, 8, NULL));
        REQUIRE_OK(ach_create("ping", 8, 8, NULL));
    }
    check_sleep_ms(10);
    REQUIRE_OK(ach_open(&in, ping ? "pong" : "ping", NULL));
    REQUIRE_OK(ach_open(&out, ping ? "ping" : "pong", NULL));
    for (i = 0; i < rounds; i++) {
        if (!ping || i > 0) {
            CHECK_OK(ach_get(&in, &told, sizeof(told), &size, NULL, ACH_O_WAIT));
            now = (int64_t)check_now_ns();
            CHECK(now == told);
            CHECK(i == 0 || now == expected);
        }
        CHECK_OK(ach_put(&out, (int64_t[]){(int64_t)check_now_ns() + cost}, sizeof(told)));
        now = (int64_t)check_now_ns();
        expected = now + cost;
    }
    printf("%s ends at %lld\n", argv[1], (long long)check_now_ns());
    if (!ping)
        check_sleep_ms(10);
    ach_close(&in);
    ach_close(&out);
    if (!ping) {
        CHECK_OK(ach_unlink("ping"));
        CHECK_OK(ach_unlink("pong"));
    }
    return check_result();
}

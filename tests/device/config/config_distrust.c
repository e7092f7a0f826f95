/* SPDX-License-Identifier: BSD-3-Clause */
/* config_distrust.c - configuration files damaged at random, without a fuzzer */
#include <check.h>

#include "../../../fuzz/property.h"

#define ROUNDS 20000
#define LARGEST 2000

struct seed {
    unsigned char bytes[LARGEST];
    size_t size;
};

static void load(struct seed *s, const char *path)
{
    FILE *f = fopen(path, "r");

    REQUIRE(f != NULL);
    s->size = fread(s->bytes, 1, LARGEST / 2, f);
    REQUIRE(s->size > 0);
    fclose(f);
}

static void insert(struct seed *s, size_t where, const char *text)
{
    size_t n = strlen(text);

    if (s->size + n > LARGEST)
        return;
    memmove(s->bytes + where + n, s->bytes + where, s->size - where);
    memcpy(s->bytes + where, text, n);
    s->size += n;
}

static void damage(struct seed *s, uint64_t *state)
{
    static const char *const parts[] = {
        "(", ")", "[", "]", "\"", "#", "\n", "define ", "include\"inc\"", "1e3 ", "\r", "yes "};
    uint64_t n = 1 + check_random(state) % 6;

    while (n-- > 0) {
        size_t where = check_random(state) % s->size;

        switch (check_random(state) % 4) {
        case 0:
            s->bytes[where] = (unsigned char)check_random(state);
            break;
        case 1:
            s->size = where + 1;
            break;
        case 2:
            memmove(s->bytes + where, s->bytes + s->size / 2, (s->size - where) / 2);
            break;
        default:
            insert(s, where, parts[check_random(state) % (sizeof(parts) / sizeof(parts[0]))]);
        }
    }
}

int main(int argc, char **argv)
{
    static struct seed seeds[16], s;
    uint64_t state = 1, i;
    int k;

    REQUIRE(argc > 1 && argc < 16);
    for (k = 1; k < argc; k++)
        load(&seeds[k], argv[k]);
    for (i = 0; i < check_scale(ROUNDS); i++) {
        s = seeds[1 + i % (uint64_t)(argc - 1)];
        if (i >= (uint64_t)(argc - 1))
            damage(&s, &state);
        property_config(s.bytes, s.size);
    }
    return check_result();
}

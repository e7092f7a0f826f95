/* SPDX-License-Identifier: BSD-3-Clause */
/* texts.c - any text as a definition: the generator writes a header or refuses the text */
#include "check.h"

#include "../../../src/msg/gen/gen.h"

static const char *const words[] = {
    "int8 ",   "float64 ", "string ",  " ",        "\n",       "[",        "]",
    "<=",      "3",        "=",        "#",        "===\n",    "MSG: ",    "demo/A",
    "A ",      "Time ",    "\t",       "x",        "\r\n",     "bool ",    "/",
    "\"",      "-1",       "\x80",     "time ",    "A[] ",     "wstring",  "\n===\nMSG: demo/A\n",
    "default", "int8 x\n", "uint8 X=", "float32 ", "string<=", "B[2] b\n", "\n===\nMSG: demo/B\n",
    "y\n",     "z[3]\n",   "int64 ",   "1e5",      "True",     "$",        "int16[2] w\n"};

/* A header has as many opened as closed braces and conditions. */
static void check_header(const char *text, const char *header)
{
    int braces = 0, conditions = 0;
    const char *at;

    for (at = header; *at; at++) {
        if (*at == '"') /* texts of the definition are in literals */
            for (at++; *at && *at != '"'; at += *at == '\\' ? 2 : 1)
                ;
        braces += (*at == '{') - (*at == '}');
        conditions += (strncmp(at, "#if", 3) == 0) - (strncmp(at, "#endif", 6) == 0);
    }
    if (braces || conditions)
        fprintf(stderr, "'%s' gives\n%s\n", text, header);
    CHECK(braces == 0 && conditions == 0);
}

static bool try_text(const char *text)
{
    const struct gen_names names = {.prefix = "p_", .packages = true};
    ach_channel_type_t type = {.name = "demo/msg/Top",
                               .encoding = "cdr",
                               .schema_encoding = "ros2msg",
                               .schema = text,
                               .schema_size = strlen(text)};
    char *header = NULL;
    size_t size;
    FILE *out = open_memstream(&header, &size);
    enum ach_status status;

    REQUIRE(out != NULL);
    gen_begin(out);
    status = gen_message(out, &names, &type);
    fclose(out);
    if (status == ACH_OK)
        check_header(text, header);
    else
        CHECK_STATUS(status, ACH_EINVAL);
    free(header);
    return status == ACH_OK;
}

int main(void)
{
    uint64_t state = 1, i, rounds = check_scale(20000), made = 0;

    for (i = 0; i < rounds; i++) {
        char text[600] = "";
        unsigned n = (unsigned)(check_random(&state) % 20);

        while (n--)
            strcat(text, words[check_random(&state) % (sizeof(words) / sizeof(words[0]))]);
        made += try_text(text);
    }
    CHECK(made > rounds / 100);
    printf("%llu of %llu texts are definitions\n", (unsigned long long)made,
           (unsigned long long)rounds);
    return check_result();
}

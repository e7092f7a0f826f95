/* SPDX-License-Identifier: BSD-3-Clause */
#include "scanner.h"

#include <signal.h>

#define ARGUMENTS 16

static void run_emulator(const struct scanner *s, const char *const *commands, const int *in,
                         const int *out)
{
    const char *argv[ARGUMENTS + 3] = {getenv("URG_EMULATOR"), s->link};
    int i;

    for (i = 0; i < ARGUMENTS && commands[i]; i++)
        argv[i + 2] = commands[i];
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    close(in[1]);
    close(out[0]);
    execv(argv[0], (char *const *)(uintptr_t)argv);
    _exit(127);
}

static void expect(struct scanner *s, const char *what)
{
    char line[128];

    REQUIRE(fgets(line, sizeof(line), s->from));
    line[strcspn(line, "\n")] = '\0';
    if (strcmp(line, what) != 0)
        fprintf(stderr, "the emulator says: %s\n", line);
    REQUIRE(strcmp(line, what) == 0);
}

struct scanner scanner_start(const char *const *commands)
{
    struct scanner s = {.dir = "/tmp/ach-urg-XXXXXX"};
    int in[2], out[2];

    REQUIRE(getenv("URG_EMULATOR"));
    REQUIRE(mkdtemp(s.dir));
    snprintf(s.link, sizeof(s.link), "%s/tty", s.dir);
    REQUIRE(pipe(in) == 0 && pipe(out) == 0);
    signal(SIGPIPE, SIG_IGN);
    s.pid = fork();
    REQUIRE(s.pid >= 0);
    if (s.pid == 0)
        run_emulator(&s, commands, in, out);
    close(in[0]);
    close(out[1]);
    s.to = fdopen(in[1], "w");
    s.from = fdopen(out[0], "r");
    expect(&s, "ready");
    return s;
}

void scanner_tell(struct scanner *s, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vfprintf(s->to, format, args);
    va_end(args);
    fputc('\n', s->to);
    fflush(s->to);
    expect(s, "ok");
}

void scanner_end(struct scanner *s)
{
    fclose(s->to);
    CHECK(check_child(s->pid, 10000));
    fclose(s->from);
    unlink(s->link);
    rmdir(s->dir);
}

struct rig *scanner_robot(const struct scanner *s, const char *options)
{
    char text[512];

    snprintf(text, sizeof(text),
             "driver (name \"urg_laser\" provides [\"laser:0\"] port \"%s\" %s)", s->link, options);
    return rig_start(text);
}

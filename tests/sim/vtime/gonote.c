/* SPDX-License-Identifier: BSD-3-Clause */
/* gonote.c - a program with the note that the linker of Go leaves in its own */
struct note {
    unsigned name_size, text_size, type;
    char name[4], text[4];
};

__attribute__((section(".note.go.buildid"), used, aligned(4))) static const struct note note = {
    4, 4, 4, "Go", "abc"};

int main(void)
{
    return 0;
}

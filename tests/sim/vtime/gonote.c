/* SPDX-License-Identifier: BSD-3-Clause */
/* gonote.c - a C program with the ELF note that marks programs of the Go linker */
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

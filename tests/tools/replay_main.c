/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * replay_main.c - the verb 'replay' as a program of its own, for the tests
 */
#include "replay.h"

int main(int argc, char **argv)
{
    return ach_verb_replay(argc, argv);
}

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Completion for bash and zsh offers verbs, options and channels.
. "$(dirname "$0")/lib.sh"
completions=$2
need bash

# complete WORD ...: what bash offers for the last word
offered() {
    bash -c '. "$1" || exit 1
        ach=$2
        shift 2
        COMP_WORDS=("$ach" "$@")
        COMP_CWORD=$#
        _ach
        printf "%s\n" "${COMPREPLY[@]}"' bash "$completions/ach.bash" "$ACH" "$@" 2>&1 |
        sort | tr '\n' ' '
}

"$ACH" mk arm-left
"$ACH" mk arm-right
"$ACH" mk leg

bash -n "$completions/ach.bash" || fail "syntax of ach.bash"
same "$(bash -c '. "$1"; complete -p ach' bash "$completions/ach.bash")" "complete -F _ach ach"
same "$(offered m)" "mk "
for verb in $("$ACH" help --verbs); do
    has " $(offered '')" " $verb "
done
same "$(offered h)" "help hz "
same "$(offered --)" "--help --version "
same "$(offered info '')" "arm-left arm-right leg "
same "$(offered get --last a)" "arm-left arm-right "
same "$(offered rm leg a)" "arm-left arm-right "
same "$(offered mk --t)" "--timestamps --truncate "
same "$(offered doctor --)" "--help --json --repair --root "
same "$(offered mk --clock mono)" "monotonic monotonic-raw "
same "$(offered chmod 66)" "660 664 666 "
same "$(offered chmod 660 l)" "leg "
same "$(offered help d)" "doctor dump "
same "$(offered -D l)" "leg "
: >"$tmp/some-file"
same "$(offered put --file "$tmp/some")" "$tmp/some-file "
same "$(offered replay "$tmp/some")" "$tmp/some-file "

if command -v zsh >/dev/null; then
    zsh -n "$completions/_ach" || fail "syntax of _ach"
    # Run the functions with zsh's own replaced by ones that print what is offered.
    out=$(zsh -f -c '
        _describe() { print -rl -- ${(P)2}; }
        compadd() { print -rl -- "$@"; }
        words=("$2" "${@:3}")
        CURRENT=${#words}
        . "$1"' zsh "$completions/_ach" "$ACH" '' 2>&1)
    has "$out" "mk:make channels"
    has "$out" "doctor:check"
    hasnt "$out" "ach:"
    zsh_offers() {
        zsh -f -c '
            _describe() { print -rl -- ${(P)2}; }
            compadd() { print -rl -- "$@"; }
            words=("$2" "${@:3}")
            CURRENT=${#words}
            . "$1"' zsh "$completions/_ach" "$ACH" "$@" 2>&1
    }
    same "$(zsh_offers info '')" "arm-left
arm-right
leg"
    has "$(zsh_offers mk --)" "--timestamps:stamp each message"
    has "$(zsh_offers mk --)" "--count:keep at most N messages"
fi

"$ACH" rm arm-left arm-right leg || fail "rm"
finish

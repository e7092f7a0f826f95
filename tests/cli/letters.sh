#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# An option letter means the same in every verb, and man/ach.1 lists them all.
. "$(dirname "$0")/lib.sh"
man=$2
letters=$(sed -n 's/^\.It Fl \(.\) Ta .*/\1/p' "$man/ach.1" | grep -v h)

# tools VERB: the tools of a verb that has some, as VERB:TOOL
tools() {
    "$ACH" "$1" --help | sed -n "/^Tools:/,/^\$/s/^  \([a-z]*\) .*/$1:\1/p"
}

verbs=$("$ACH" help --verbs | grep -vx -e dev -e log)
verbs="$verbs $(tools log)"
has "$verbs" log:repair
if "$ACH" help --verbs | grep -qx dev; then
    verbs="$verbs $(tools dev)"
    has "$verbs" dev:print
fi

# help_letters VERB: print each letter with its long name, one per line
help_letters() {
    # shellcheck disable=SC2086
    "$ACH" $1 --help | sed -n 's/^ \{2,\}-\(.\), --\([a-z][a-z-]*\).*/\1 \2/p'
}

for verb in $verbs; do
    words=$(echo "$verb" | tr : ' ')
    help_letters "$words" >"$tmp/here"
    sed "s/\$/ $verb/" "$tmp/here" >>"$tmp/all"
    [ "$verb" = bench ] && continue # it passes options on to another program
    # No verb accepts a letter that its help does not list.
    for letter in $letters; do
        grep -q "^$letter " "$tmp/here" && continue
        [ "$verb$letter" = rm1 ] && continue # as in Ach 2; the help has it at --force
        [ "$verb$letter" = mka ] && continue # as in Ach 2; the help has it at --advertise
        case $verb$letter in # as in other recorders; the help has it at --output
            recordo | log:*o) continue ;;
        esac
        # shellcheck disable=SC2086
        expect 2 "$ACH" $words "-$letter" </dev/null
        has "$err" "invalid option -- '$letter'"
    done
done
[ "$(wc -l <"$tmp/all")" -gt 40 ] || fail "only $(wc -l <"$tmp/all") letters found"

sort -u "$tmp/all" | cut -d' ' -f1,2 | sort -u >"$tmp/used"
twice=$(cut -d' ' -f1 "$tmp/used" | uniq -d)
for letter in $twice; do
    fail "-$letter has several meanings: $(grep "^$letter " "$tmp/all" | tr '\n' ';')"
done

sed -n 's/^\.It Fl \(.\) Ta Fl -\([a-z-]*\) Ta .*/\1 \2/p' "$man/ach.1" | sort -u >"$tmp/table"
same "$(comm -3 "$tmp/used" "$tmp/table" | grep -v 'h help')" ""

# For letters of earlier versions, the error names the replacement.
expect 2 "$ACH" get -t 2 c
has "$err" "ach get: -t is no longer accepted because it means something else in other verbs: use -T, --timeout"
expect 2 "$ACH" hz -w 1 c
has "$err" "use -i, --interval"
expect 2 "$ACH" watch -1
has "$err" "use --once"
expect 2 "$ACH" get -y c
hasnt "$err" "no longer accepted"
if "$ACH" help --verbs | grep -qx dev; then
    expect 2 "$ACH" dev print -n 1 laser:0
    has "$err" "ach dev print: -n is no longer accepted"
    has "$err" "use -c, --count"
fi
# The letter does what the long name does.
expect 2 "$ACH" replay -j some.achlog
has "$err" "ach replay: --json needs --info"
# Old long names are still accepted.
"$ACH" mk --count 3 c
expect 0 "$ACH" hz --window 0.01 --count 1 c
"$ACH" rm c
finish

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# bench.sh ACH BUILT PROGRAM PAGE
# ach bench finds the benchmark program, passes options to it, and leaves nothing behind.
. "$(dirname "$0")/lib.sh"
built=$2
program=$3
page=$4
need python3

# Wrong usage, with or without a benchmark program
for words in --frobnicate --rate '--list=1' 'now' '--list now' '--all --quick'; do
    # shellcheck disable=SC2086
    expect 2 "$ACH" bench $words
    has "$err" "ach bench: "
    has "$err" "Try 'ach bench --help'."
    same "$out" ""
done

# The arguments that the program gets; a script that prints them takes its place.
mkdir "$tmp/libexec"
cat >"$tmp/libexec/ach-peers" <<'END'
#!/bin/sh
grep SigIgn /proc/$$/status >"${0%/*}/signals"
echo "$# $*"
exit 3
END
chmod +x "$tmp/libexec/ach-peers"
told() {
    words=$1
    shift
    expect 3 env ACH_LIBEXEC="$tmp/libexec" "$ACH" bench "$@"
    same "${out#* --modules "$tmp"/libexec/libraries}" "$words"
}
told " --quick"
told " --quick --json r.json --only ach,ach newest" --json r.json --only "ach,ach newest"
told "" --all
told " --rounds 2 --json r" --rounds 2 --all --json r
told " --long" --long
told " --list" --list
told " --scenario=spin --rounds 1" --scenario=spin --rounds 1
told " --realtime" --realtime
told " --modules elsewhere --rate 1" --modules elsewhere --rate 1
told " --json --all --rate 5" --json --all --rate 5
same "${out%% *}" 6
ignored=$(sed 's/.*[[:space:]]/0x/' "$tmp/libexec/signals")
same $((ignored & 0x1000)) 0 # it ends when nobody reads what it prints

expect 1 env ACH_LIBEXEC="$tmp/nowhere" "$ACH" bench --list
has "$err" "ach bench: cannot start $tmp/nowhere/ach-peers: No such file"

unset ACH_LIBEXEC
if [ "$built" != true ]; then
    expect 1 "$ACH" bench --list
    same "$out" ""
    has "$err" "ach bench: this build has no benchmark"
    finish
fi

[ -x "$program" ] || fail "$program is not built"
expect 0 "$ACH" bench --list
has "$out" "ach "
has "$out" "pipe "
same "$err" ""

# The help lists all options and scenarios of the program.
help=$("$ACH" bench --help)
theirs=$("$program" --help)
for option in $(echo "$theirs" | grep -o -e '--[a-z][a-z-]*' | sort -u); do
    echo "$help" | grep -q -e "^ *$option " || fail "the help does not know $option"
done
names() {
    sed -n "/$1/,/$2/{s/.*$1//;/$2/d;p;}" | tr ' ' '\n' | sed '/^$/d' | sort
}
scenarios=$(echo "$help" | names 'Scenarios:' '^$')
same "$scenarios" "$(echo "$theirs" | names 'only these:' '--only ')"
for scenario in $scenarios; do
    expect 0 "$ACH" bench --scenario "$scenario" --list
    grep -q "^.It Cm $scenario$" "$page" || fail "the manual does not know $scenario"
done

# Values that the program refuses
for words in '--rate x' '--size 0' '--senders 1000' '--hops 2 --receivers 2' '--wait forever' \
    '--seconds -1' '--rounds 0' '--scenario nonsense'; do
    # shellcheck disable=SC2086
    expect 2 "$ACH" bench $words
    has "$err" "ach-peers: "
    same "$out" ""
done

# Runs; if a private /dev/shm can be mounted, check that it is empty afterwards.
cat >"$tmp/alone" <<'END'
mount -t tmpfs none /dev/shm || exit 99
unset ACH_DIR # it was in the other one
left=$1
shift
"$@"
status=$?
ls -A /dev/shm >"$left"
exit "$status"
END
if unshare -rm sh "$tmp/alone" "$tmp/left" true 2>/dev/null; then
    alone="unshare -rm sh $tmp/alone $tmp/left"
else
    echo "what is left in /dev/shm is not looked at: this user cannot have one for himself"
    alone=
fi
: >"$tmp/left"
# shellcheck disable=SC2086
expect 0 $alone "$ACH" bench --rate 500 --seconds 0.1 --rounds 1 --only ach,pipe \
    --json "$tmp/report.json"
has "$out" "report: $tmp/report.json"
same "$(cat "$tmp/left")" ""
out=$(cat "$tmp/report.json")
same "$(json '{"ach", "pipe"} <= {r["contender"] for r in j["rows"]}')" True
same "$(json '{r["contender"] for r in j["rows"] if r["kind"] == "kernel"}')" "{'pipe'}"
same "$(json '{r["rate_hz"] for r in j["rows"]}')" "{500}"
same "$(json 'all(r["n"] > 0 for r in j["rows"])')" True

# After it is stopped, nothing is left.
# shellcheck disable=SC2086
expect 124 $alone timeout 2 "$ACH" bench --rate 500 --seconds 250 --only ach
same "$(cat "$tmp/left")" ""
# shellcheck disable=SC2086
expect 1 $alone "$ACH" bench --rate 500 --seconds 0.1 --rounds 1 --only ach \
    --json "$tmp/nowhere/report.json"
has "$err" "cannot write $tmp/nowhere/report.json"
same "$(cat "$tmp/left")" ""
finish

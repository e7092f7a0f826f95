# SPDX-License-Identifier: BSD-3-Clause
# lib.sh - functions for tests of the ach command; use: . lib.sh, with the program in $1
ACH=$1
failures=0
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
unset CDPATH
LC_ALL=C
export LC_ALL
# Leak detection at the end of hundreds of short processes would take longer than the tests.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
export ASAN_OPTIONS

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# expect STATUS COMMAND ...: run it, check its status, set $out and $err to its output.
expect() {
    want=$1
    shift
    out=$("$@" 2>"$tmp/err")
    got=$?
    err=$(cat "$tmp/err")
    [ "$got" = "$want" ] || fail "status $got, not $want: $* ($err)"
}

# same WHAT WANTED
same() {
    [ "$1" = "$2" ] || fail "'$1' is not '$2'"
}

# has TEXT PART
has() {
    case $1 in
        *"$2"*) ;;
        *) fail "'$2' is not in '$1'" ;;
    esac
}

hasnt() {
    case $1 in
        *"$2"*) fail "'$2' is in '$1'" ;;
    esac
}

# Can this test run ach as another user? Makes a copy of ach that every user can execute.
can_be_nobody() {
    [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null || return 1
    chmod 711 "$tmp"
    "$(dirname "$0")/../support/stage" "$tmp/stage" "$ACH"
}

# nobody ARGUMENT ...: run ach as user 65534, who owns nothing.
nobody() {
    LD_LIBRARY_PATH=$tmp/stage setpriv --reuid=65534 --regid=65534 --clear-groups \
        "$tmp/stage/ach" "$@"
}

# eventually COMMAND ...: retry until it succeeds, for about 30 s.
eventually() {
    tries=0
    until "$@" >/dev/null 2>&1; do
        tries=$((tries + 1))
        if [ "$tries" -gt $((600 * ${ACH_TEST_TIME:-1})) ]; then
            fail "never succeeded: $*"
            return 1
        fi
        sleep 0.05
    done
}

# waits PROCESS CHANNEL: the process has mapped the channel, and sleeps.
waits() {
    grep -q "achshm-$2\$" "/proc/$1/maps" && grep -q '^State:.S' "/proc/$1/status"
}

# json EXPRESSION: print the value of a Python expression, where j is the JSON in $out.
json() {
    printf '%s\n' "$out" | "$python" -S -c 'import json,sys
j = json.load(sys.stdin)
print(eval(sys.argv[1]))' "$1" 2>&1
}

# A channel's newest sequence number.
newest() {
    "$ACH" info --json "$1" | sed 's/.*"newest": \([0-9]*\).*/\1/'
}

need() {
    for tool; do
        command -v "$tool" >/dev/null || { echo "skipped: there is no $tool"; exit 77; }
    done
    # What is called python3 may be a slow wrapper.
    python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null)
}

finish() {
    [ "$failures" = 0 ] || { echo "$failures failed"; exit 1; }
    exit 0
}

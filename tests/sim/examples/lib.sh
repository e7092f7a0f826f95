# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# lib.sh - functions for tests of simulated worlds; use: . lib.sh, with source and build tree
source=$1
build=$2
failures=0
worlds=$source/examples/sim
LC_ALL=C
PATH=$build/examples/sim:$build/examples/device:$worlds:$PATH
ACH_PLUGIN_PATH=$build/src/physics:$build/src/physics/ode:$build/src/physics/mujoco
export LC_ALL PATH ACH_PLUGIN_PATH
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
cp "$worlds"/*.xml "$tmp" || exit 99

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

finish() {
    [ "$failures" = 0 ]
    exit
}

# change WORLD [SED-SCRIPT]: copy an example, with changes. Controllers are not charged for
# waiting for a busy disk, which would disturb the tests.
change() {
    sed -e '/^controller/,$s/command \[/outside "wait" command [/' -e "${2:-}" \
        "$worlds/$1.cfg" >"$tmp/$1.cfg"
}

# sim STATUS WORLD [OPTION ...]: run it, and set $out to its output.
sim() {
    want=$1
    world=$2
    shift 2
    out=$("$build/src/cli/ach" sim "$@" "$tmp/$world.cfg" 2>&1)
    got=$?
    echo "== $world $*"
    echo "$out"
    [ "$got" = "$want" ] || fail "$world $*: status $got, not $want"
}

has() {
    case $out in
        *"$1"*) ;;
        *) fail "${world:-$0}: '$1' is not there" ;;
    esac
}

# check WHAT EXPRESSION: fail unless the awk expression is true
check() {
    awk "BEGIN { exit !($2) }" || fail "$1: $2"
}

# number PATTERN: print what \(...\) in it matches in $out
number() {
    echo "$out" | sed -n "s/.*$1.*/\\1/p" | head -n 1
}

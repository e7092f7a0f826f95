# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# lib.sh - what the tests of simulated worlds share; use: . lib.sh, with source and build tree
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

# Programs that wait for a busy disk are not charged for it: that would be another test.
# change WORLD [SED-SCRIPT]: a copy of an example, with changes
change() {
    sed -e '/^controller/,$s/command \[/outside "wait" command [/' -e "${2:-}" \
        "$worlds/$1.cfg" >"$tmp/$1.cfg"
}

# sim STATUS WORLD [OPTION ...]: run it; what it printed is then in $out.
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

# check WHAT EXPRESSION: true, for awk
check() {
    awk "BEGIN { exit !($2) }" || fail "$1: $2"
}

# number PATTERN: what \(...\) in it stands for, in $out
number() {
    echo "$out" | sed -n "s/.*$1.*/\\1/p" | head -n 1
}

# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh disable=SC2034
# serving.sh - sourced by tests that start a server and a client: creates a temporary directory, and
# removes processes and channels at exit
failed=0
fail() {
    echo "failed: $*"
    failed=1
}
dir=$(mktemp -d)
server=
client=
# shellcheck disable=SC2317
finish() {
    for p in $client $server; do
        kill -9 "$p" 2>/dev/null
    done
    wait
    rm -rf "$dir"
    rm -f "$ACH_DIR"/achshm-dev.* "$ACH_DIR"/.achshm-dev.*
}
trap finish EXIT

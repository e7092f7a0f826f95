#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# truncated.sh ACH   a server survives the truncation of its channels' files by another process
. "$(dirname "$0")/../../cli/lib.sh"
need truncate

cat >"$tmp/robot.cfg" <<EOF
tcp ( port 0 )
driver ( name "fake" provides ["position2d:0"] alwayson yes publish ( rate 50 ) )
EOF
serves() {
    grep -q '^serving' "$tmp/log"
}

# The helper thread of a descriptor checks its channel every second; an io_uring waits for a wake.
ACH_FD=thread "$ACH" serve "$tmp/robot.cfg" >"$tmp/log" 2>&1 &
server=$!
eventually serves || { kill -9 "$server"; cat "$tmp/log"; exit 1; }
port=$(sed -n 's/.* port \([0-9]*\).*/\1/p' "$tmp/log")
truncate -c -s 0 "$ACH_DIR/achshm-dev.6665.position2d.0.data"
eventually grep -q 'data of position2d:0, .* cannot be put into its channel' "$tmp/log"
truncate -c -s 4096 "$ACH_DIR/achshm-dev.6665.position2d.0.cmd"
eventually grep -q 'the channel of commands to position2d:0 is damaged' "$tmp/log"
truncate -c -s 0 "$ACH_DIR/achshm-dev.6665.req"
eventually grep -q 'the channel of requests is damaged' "$tmp/log"
truncate -c -s 0 "$ACH_DIR/achshm-dev.6665.ans"

# The server still serves TCP clients, and removes its channels when it ends.
"$ACH" dev print -c 1 -T 60 --transport tcp "127.0.0.1:$port:position2d:0" >"$tmp/out" 2>&1 ||
    fail "TCP: $(cat "$tmp/out" "$tmp/log")"
kill -TERM "$server"
wait "$server"
same "$?" 0
same "$(find "$ACH_DIR" -type f)" ""
[ "$failures" = 0 ] || cat "$tmp/log"
finish

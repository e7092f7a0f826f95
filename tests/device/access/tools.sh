#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# tools.sh ACH
# ach serve and ach dev with several users: refusals have clear messages, on channels and over TCP
# alike, and a refusal on channels is not bypassed by a silent fallback to TCP.
ACH=$1
set -u
[ "$(id -u)" = 0 ] || { echo "skipped: only root can become other users"; exit 77; }
command -v setpriv >/dev/null || { echo "skipped: setpriv is not installed"; exit 77; }
owner=52001 stranger=52004 group=53000
as() {
    who=$1
    shift
    setpriv --reuid "$who" --regid "$who" --groups "$group$member" "$@"
}
member=
dir=$(mktemp -d) || exit 1
server=
limits=
failed=0
fail() {
    echo "failed: $*"
    failed=1
}
stop() {
    [ -z "$server" ] || { kill "$server" 2>/dev/null; wait "$server" 2>/dev/null; }
    server=
}
trap 'stop; rm -rf "$dir"' EXIT
chmod 755 "$dir"
"$(dirname "$0")/../../support/stage" "$dir/stage" "$ACH" || exit 1
ACH=$dir/stage/ach
LD_LIBRARY_PATH=$dir/stage
export LD_LIBRARY_PATH
chmod 1777 "$ACH_DIR"
# has TEXT PART ...: fail unless TEXT contains each PART
has() {
    text=$1
    shift
    for part; do
        case $text in
        *"$part"*) ;;
        *) fail "'$part' is not in: $text" ;;
        esac
    done
}
# A free port outside the range that the system assigns from; it is also the robot's number.
port=$(python3 -c 'import random, socket
while True:
    s, port = socket.socket(), random.randrange(10000, 30000)
    try:
        s.bind(("0.0.0.0", port))
        print(port)
        break
    except OSError:
        pass')
serve() {
    config=$1
    shift
    printf '%s\n' "$config" >"$dir/robot.cfg"
    : >"$dir/out"
    (
        umask 022
        eval "$limits"
        exec setpriv --reuid $owner --regid $owner --groups "$group$member" \
            "$ACH" serve --port "$port" "$@" "$dir/robot.cfg" >"$dir/out" 2>"$dir/err"
    ) &
    server=$!
    i=600
    until grep -q '^serving' "$dir/out"; do
        i=$((i - 1))
        [ $i -gt 0 ] && kill -0 "$server" 2>/dev/null || { cat "$dir/err"; fail "no server"; exit 1; }
        sleep 0.1
    done
}
dummy='driver (name "dummy" provides ["position2d:0"] rate 50 alwayson yes)
driver (name "dummy" provides ["laser:0"] rate 50)'
# dev USER TRANSPORT TOOL ARGUMENT ...
dev() {
    who=$1 way=$2
    shift 2
    as "$who" env ACH_TRANSPORT="$way" "$ACH" dev "$@" 2>&1
}

# No server runs yet.
text=$(as $stranger "$ACH" dev ls "$port" 2>&1) && fail "ls without a server"
has "$text" "connection refused" "start one with ach serve --port $port FILE"
text=$(as $stranger "$ACH" dev print "$port:laser:0" 2>&1) && fail "print without a server"
has "$text" "connection refused" "start one with ach serve --port $port FILE"

# At an address that is not loopback, the error adds that a server may listen on loopback only.
elsewhere='ip link set lo up && ip addr add 10.99.0.1/32 dev lo || exit 9; "$1" dev ls 10.99.0.1:6665'
text=$(unshare --net sh -c "$elsewhere" sh "$ACH" 2>&1)
case $? in
1) has "$text" "10.99.0.1:6665: connection refused" "loopback only" "ach serve --bind" ;;
*) echo "not tested: no network namespace can be made here, or ip is missing: $text" ;;
esac

serve "$dummy"
for way in "" channel tcp; do
    dev $owner "$way" cmd "$port:position2d:0" vel vel.px=1 state=1 >/dev/null || fail "$way: own command"
    dev 0 "$way" cmd "$port:position2d:0" vel state=1 >/dev/null || fail "$way: root's command"
    dev $owner "$way" req "$port:position2d:0" capability type=3 subtype=255 >/dev/null ||
        fail "$way: own request"
    text=$(dev $stranger "$way" cmd "$port:position2d:0" vel vel.px=1 state=1) &&
        fail "$way: a stranger's command"
    has "$text" "may" "position2d:0"
    text=$(dev $stranger "$way" req "$port:position2d:0" capability type=3 subtype=255) &&
        fail "$way: a stranger's request"
    has "$text" "may" "position2d:0"
    text=$(dev $stranger "$way" prop "$port:position2d:0" rate 2) && fail "$way: a stranger's property"
    text=$(dev $stranger "$way" print -c 2 -j "$port:position2d:0") || fail "$way: a stranger's look: $text"
    has "$text" "this user may only read" '"message":"STATE"'
done
has "$(dev $stranger channel cmd "$port:position2d:0" vel state=1)" "not permitted to write"
has "$(dev $stranger tcp cmd "$port:position2d:0" vel state=1)" "uid $stranger" \
    "may only read the data of position2d:0"
has "$(dev $stranger "" ls "$port")" position2d:0 laser:0
# A stranger's subscription does not set up the driver of the laser.
[ -z "$(timeout 1 setpriv --reuid $stranger --regid $stranger --clear-groups \
    "$ACH" dev print -j "$port:laser:0" 2>/dev/null)" ] || fail "a stranger has set a driver up"
stop

# Channels that may not be read are an error, not a reason to try TCP.
serve "access ( mode \"0600\" ) $dummy tcp ( local_users \"any\" )"
text=$(dev $stranger "" print -c 1 "$port:position2d:0") && fail "a stranger got around the channels"
has "$text" "this user may not use" "not permitted to read"
text=$(dev $stranger channel print -c 1 "$port:position2d:0") && fail "channel: mode 0600"
has "$text" "not permitted to read"
dev $stranger tcp print -c 1 "$port:position2d:0" >/dev/null || fail "local_users any"
stop

serve "access ( mode \"0600\" ) $dummy"
for way in "" channel tcp; do
    text=$(dev $stranger "$way" print -c 1 "$port:position2d:0") && fail "$way: mode 0600"
    has "$text" "may not use" "position2d:0"
done
text=$(dev $stranger "" ls "$port") && fail "ls with mode 0600"
has "$text" "may not list the devices"
stop
has "$(cat "$dir/err")" "of uid $stranger" "is refused"

# A group, by number. TCP takes a user's groups from the system's database, so test channels only.
member=,53001
serve "access ( mode \"0660\" group \"$group\" ) $dummy"
dev $stranger channel cmd "$port:position2d:0" vel state=1 >/dev/null || fail "a member's command"
stop
member=

# With a low limit of open files, TCP clients leave descriptors for clients of the channels.
limits="ulimit -Sn 40; ulimit -Hn 80"
serve "access ( mode \"0600\" ) $dummy" --verbose
limits=
has "$(cat "$dir/err")" "at most" "the limit of open files"
grep -q '^Max open files *80 *80 ' "/proc/$server/limits" || fail "the limit is not raised"
mkfifo "$dir/hold"
python3 -c 'import encodings.idna, os, socket, struct, sys
os.setgroups([])
os.setresuid(int(sys.argv[2]), int(sys.argv[2]), int(sys.argv[2]))
ask = struct.pack(">6IdIII", 0, 0, 1, 0, 3, 5, 0.0, 0, 4, 2)
held = []
for i in range(100):
    s = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 60)
    try:
        s.sendall(ask)
        if len(s.recv(32, socket.MSG_WAITALL)) == 32 and s.recv(40, socket.MSG_WAITALL):
            held.append(s)
    except ConnectionError:
        pass
def stays(s): # later clients may have taken its place
    s.setblocking(False)
    try:
        return s.recv(1, socket.MSG_PEEK) != b""
    except BlockingIOError:
        return True
    except ConnectionError:
        return False
print(sum(map(stays, held)), flush=True)
sys.stdin.read()' "$port" $stranger <"$dir/hold" >"$dir/held" &
holder=$!
exec 9>"$dir/hold"
i=600
until [ -s "$dir/held" ]; do
    i=$((i - 1))
    [ $i -gt 0 ] && kill -0 $holder 2>/dev/null || { fail "no clients of TCP"; break; }
    sleep 0.1
done
[ "$(cat "$dir/held")" -gt 5 ] && [ "$(cat "$dir/held")" -lt 60 ] || fail "TCP clients: $(cat "$dir/held")"
dev $owner channel req "$port:laser:0" capability type=3 subtype=255 >/dev/null ||
    fail "no descriptor is left for a client of the channels"
exec 9>&-
wait $holder
stop

# The addresses that the server listens on, and its warnings about them.
serve "$dummy" --bind 127.0.0.3
as $owner env ACH_TRANSPORT=tcp "$ACH" dev ls "127.0.0.3:$port" >/dev/null || fail "--bind"
text=$(as $owner "$ACH" dev ls "127.0.0.1:$port" 2>&1) && fail "--bind 127.0.0.3 listens on 127.0.0.1"
[ -s "$dir/err" ] && { cat "$dir/err"; fail "a warning for loopback"; }
stop
serve "$dummy tcp ( bind \"127.0.0.1\" )" --bind 0.0.0.0 --no-channels
has "$(cat "$dir/err")" "listening on 0.0.0.0 without a secret" "everybody in the network"
as $owner "$ACH" dev ls "127.0.0.3:$port" >/dev/null || fail "--bind 0.0.0.0"
stop
serve "$dummy tcp ( secret \"s\" )" --bind 0.0.0.0 --no-channels
grep -q "without a secret" "$dir/err" && fail "a warning with a secret"
has "$(cat "$dir/err")" "the secret is in $dir/robot.cfg, which all users of this machine may read"
stop
chown $owner "$dir/robot.cfg"
chmod 600 "$dir/robot.cfg"
serve "$dummy tcp ( secret \"a long secret\" )" --bind 0.0.0.0 --no-channels
[ -s "$dir/err" ] && { cat "$dir/err"; fail "a warning for a secret that is kept"; }
stop

# On this machine a client sends its secret only to servers of its user, root or ACH_SECRET_USER.
serve "$dummy tcp ( secret \"s\" )" --no-channels
as $owner env ACH_SECRET=s "$ACH" dev ls "$port" >/dev/null || fail "the owner's secret"
as $owner env ACH_SECRET=wrong "$ACH" dev ls "$port" >/dev/null 2>&1 && fail "a wrong secret is taken"
has "$(cat "$dir/err")" "has sent a wrong secret"
text=$(as $stranger env ACH_SECRET=s "$ACH" dev ls "$port" 2>&1) && fail "a secret for another user"
has "$text" "the secret is not sent to this server" "ACH_SECRET_USER=$owner"
as $stranger env ACH_SECRET=s ACH_SECRET_USER=$owner "$ACH" dev ls "$port" >/dev/null ||
    fail "ACH_SECRET_USER"
text=$(as $stranger env ACH_SECRET=s ACH_SECRET_USER=nobody-at-all "$ACH" dev ls "$port" 2>&1) &&
    fail "a user that is not there"
has "$text" "ACH_SECRET_USER is no user of this machine: nobody-at-all"
stop
: >"$dir/got"
python3 -c 'import encodings.idna, os, socket, sys
os.setgroups([])
os.setresuid(int(sys.argv[2]), int(sys.argv[2]), int(sys.argv[2]))
listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
print("listening", flush=True)
for i in range(2):
    s = listener.accept()[0]
    s.settimeout(60)
    s.sendall(b"Player v.3.1.0".ljust(32, b"\0"))
    print("got", s.recv(4096).replace(b"\0", b""), flush=True)
    s.close()' "$port" $stranger >"$dir/got" &
server=$!
i=600
until grep -q listening "$dir/got"; do
    i=$((i - 1))
    [ $i -gt 0 ] && kill -0 $server 2>/dev/null || { fail "no impostor"; break; }
    sleep 0.1
done
text=$(as $owner env ACH_SECRET=hunter2 "$ACH" dev ls "$port" 2>&1) && fail "an impostor served"
has "$text" "127.0.0.1:$port: the secret is not sent to this server" "uid $stranger"
as $owner env ACH_SECRET=hunter2 ACH_SECRET_USER=any "$ACH" dev ls "$port" >/dev/null 2>&1 &&
    fail "an impostor served any"
wait $server
server=
case $(grep -c '^got' "$dir/got"),$(grep -c hunter2 "$dir/got") in
2,1) ;;
*) fail "an impostor got: $(cat "$dir/got")" ;;
esac
for bad in robot.local 1.2.3.4.5 "$(printf '%0200d' 1)"; do
    text=$("$ACH" serve --port "$port" --bind "$bad" "$dir/robot.cfg" 2>&1) && fail "--bind $bad"
done
"$ACH" serve --bind 0.0.0.0 --no-tcp "$dir/robot.cfg" 2>/dev/null
[ $? = 2 ] || fail "--bind with --no-tcp"
exit $failed

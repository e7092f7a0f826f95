#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# doctor: what it finds, what it repairs, and what it leaves alone.
. "$(dirname "$0")/lib.sh"
need python3

# levels CHECK: the levels of the findings of that check in $out
levels() {
    json "' '.join(f['level'] for f in j['findings'] if f['check'] == '$1')"
}
# told CHECK PART: the number of findings of that check whose text contains PART
told() {
    json "len([f for f in j['findings'] if f['check'] == '$1' and '$2' in f['text']])"
}
# The findings depend on the machine; the exit status must agree with the JSON.
doctor() {
    out=$("$ACH" doctor --json "$@" 2>"$tmp/err")
    status=$?
    same "$(cat "$tmp/err")" ""
    same "$(json "1 - j['ok']")" "$status"
    same "$(json "any(f['level'] in ('warning', 'problem') for f in j['findings'])")" \
        "$(json "not j['ok']")"
    same "$(json "[f for f in j['findings'] if f['level'] in ('warning', 'problem') and
        not f.get('advice')]")" "[]"
}

"$ACH" mk good
doctor
same "$(levels directory)" ok
same "$(levels channels)" ok
same "$(told channels '1 good')" 1
same "$(levels 'temporary files')" ok
same "$(levels kernel)" ok
same "$(told kernel "$(uname -r)")" 1
same "$(json 'j["directory"]')" "$ACH_DIR"
case $(levels 'PI futexes') in ok | warning) ;; *) fail "PI futexes" ;; esac
case $(levels 'futex_waitv') in ok | note) ;; *) fail "futex_waitv" ;; esac
case $(levels descriptors) in ok | note) ;; *) fail "descriptors" ;; esac
case $(levels 'PID namespace') in ok | note) ;; *) fail "PID namespace" ;; esac
case $(levels 'real-time priority') in ok | note) ;; *) fail "real-time priority" ;; esac
"$ACH" doctor >"$tmp/text"
same "$?" "$status"
grep -q '^ok        channels: 1 good channels$' "$tmp/text" || fail "no text"

# Descriptors
out=$(ACH_FD=thread "$ACH" doctor --json)
same "$(levels descriptors)" note
same "$(told descriptors 'helper thread')" 1

# Limits
out=$( (ulimit -f 100; "$ACH" doctor --json) )
same "$(levels 'file size')" warning
out=$( (ulimit -n 64; "$ACH" doctor --json) )
same "$(levels 'open files')" warning

# Files that are no channels
echo junk >"$ACH_DIR/achshm-junk"
: >"$ACH_DIR/achshm-empty"
"$ACH" mk -m 100 -n 1000 cut
truncate -s 5000 "$ACH_DIR/achshm-cut"
ln -s good "$ACH_DIR/achshm-link"
mkdir "$ACH_DIR/achshm-dir"
mkfifo "$ACH_DIR/achshm-fifo"
echo x >"$ACH_DIR/achshm-bad name"
echo x >"$ACH_DIR/other-junk"
# Temporary files: of a dead process, of a living one, young ones, and ones of another form
sh -c 'exit' &
dead=$!
wait "$dead"
for name in ".achshm-a.$dead.0" ".achshm-b.c.$dead.7" ".achshm-live.$$.0" .achshm-odd \
    ".achshm-x.y.z" ".achshm-.$dead.0x"; do
    echo x >"$ACH_DIR/$name"
    touch -d '1 hour ago' "$ACH_DIR/$name"
done
echo x >"$ACH_DIR/.achshm-young.$dead.0"
doctor
same "$status" 1
for name in junk empty cut link dir fifo 'bad name'; do
    same "$name $(told channels "achshm-$name")" "$name 1"
done
same "$(levels channels)" "warning problem problem problem problem problem problem ok"
same "$(told channels '1 good')" 1
same "$(levels 'temporary files')" "warning warning"
same "$(told 'temporary files' ".achshm-a.$dead.0")" 1
same "$(told 'temporary files' ".achshm-b.c.$dead.7")" 1
"$ACH" doctor >"$tmp/text"
same "$?" 1
grep -q -- '-> ach doctor --repair' "$tmp/text" || fail "no advice"
grep -q '^Something needs your attention.$' "$tmp/text" || fail "no summary"
ls -A "$ACH_DIR" >"$tmp/before"
"$ACH" doctor >/dev/null
ls -A "$ACH_DIR" | cmp - "$tmp/before" || fail "doctor changed something without --repair"

# Names come from other users: control characters in them are escaped.
touch "$ACH_DIR/$(printf 'achshm-\033[31mred\nok  \302\233 \\')"
"$ACH" doctor >"$tmp/text"
grep -q 'achshm-\\x1b\[31mred\\nok  \\xc2\\x9b \\\\: ' "$tmp/text" || fail "$(cat -v "$tmp/text")"
tr -d '\n' <"$tmp/text" | LC_ALL=C grep -q '[[:cntrl:]]' && fail "a control character is printed"
rm "$ACH_DIR/achshm-$(printf '\033')"*

# --repair removes files that are certainly unused, and none that a process has open.
exec 3<"$ACH_DIR/achshm-junk"
exec 4<"$ACH_DIR/.achshm-a.$dead.0"
doctor --repair
exec 3<&- 4<&-
[ -e "$ACH_DIR/.achshm-a.$dead.0" ] || fail "a temporary file in use was removed"
same "$(levels 'temporary files' | tr ' ' '\n' | sort | xargs)" "repaired warning"
same "$(told channels 'removed')" 2
[ -e "$ACH_DIR/achshm-junk" ] || fail "a file in use was removed"
[ -e "$ACH_DIR/achshm-good" ] || fail "a good channel was removed"
[ -e "$ACH_DIR/.achshm-live.$$.0" ] || fail "the file of a living process was removed"
[ -e "$ACH_DIR/.achshm-young.$dead.0" ] || fail "a young file was removed"
[ -e "$ACH_DIR/achshm-empty" ] && fail "the empty file is still there"
[ -e "$ACH_DIR/achshm-cut" ] && fail "the short channel is still there"
[ -e "$ACH_DIR/.achshm-cut.wake" ] && fail "the short channel's wake file is still there"
[ -e "$ACH_DIR/.achshm-good.wake" ] || fail "a good channel's wake file was removed"
for name in achshm-link achshm-dir achshm-fifo 'achshm-bad name' other-junk .achshm-odd; do
    [ -e "$ACH_DIR/$name" ] || [ -L "$ACH_DIR/$name" ] || fail "$name was removed"
done
expect 0 "$ACH" put good x
doctor --repair
same "$(told channels 'removed')" 1
[ -e "$ACH_DIR/achshm-junk" ] && fail "the file no longer in use is still there"
rm -r "$ACH_DIR/achshm-link" "$ACH_DIR/achshm-dir" "$ACH_DIR/achshm-fifo" \
    "$ACH_DIR/achshm-bad name" "$ACH_DIR/other-junk" "$ACH_DIR/".achshm-*[!e]
doctor
same "$(levels channels)" ok

# A wake file whose channel is missing, one whose channel exists, and a channel without wake file.
"$ACH" mk gone
rm "$ACH_DIR/achshm-gone"
touch -d '1 hour ago' "$ACH_DIR/.achshm-gone.wake"
mv "$ACH_DIR/.achshm-good.wake" "$ACH_DIR/.achshm-good.wake.0123abcd"
touch -d '1 hour ago' "$ACH_DIR/.achshm-good.wake.0123abcd"
doctor
same "$(levels 'temporary files')" warning
same "$(told 'temporary files' ".achshm-gone.wake")" 1
same "$(levels channels)" ok
doctor --repair
same "$(levels 'temporary files')" repaired
[ -e "$ACH_DIR/.achshm-gone.wake" ] && fail "the wake file of a channel that is gone is still there"
rm "$ACH_DIR/.achshm-good.wake.0123abcd"
doctor
same "$(levels channels)" "note ok"
same "$(told channels 'has no wake file')" 1
expect 0 "$ACH" mk -t good

# A wake file whose mode or owner differs from that of its channel, and the advised repair.
"$ACH" mk -o 666 good2
doctor
same "$(levels channels)" ok
chmod 644 "$ACH_DIR/achshm-good2"
doctor
same "$(levels channels)" "warning ok"
same "$(told channels '.achshm-good2.wake has mode 666')" 1
"$ACH" doctor | grep -q 'ach chmod 644 good2' || fail "the remedy is not told"
expect 0 "$ACH" chmod 644 good2
doctor
same "$(levels channels)" ok
chmod 600 "$ACH_DIR/.achshm-good2.wake"
chmod 666 "$ACH_DIR/achshm-good2"
doctor
same "$(told channels '.achshm-good2.wake has mode 600')" 1
if [ "$(id -u)" = 0 ]; then
    chown 1 "$ACH_DIR/.achshm-good2.wake"
    doctor
    same "$(told channels '.achshm-good2.wake belongs to user 1')" 1
fi
expect 0 "$ACH" rm good2

# Channels that the user may not read are not counted as good.
if can_be_nobody; then
    "$ACH" mk -o 600 secret
    "$ACH" mk -o 000 most-secret
    chmod 755 "$ACH_DIR"
    out=$(nobody doctor --json)
    same "$(levels channels)" "note note ok"
    same "$(told channels '1 good channels; 2 could not be checked')" 1
    "$ACH" rm secret most-secret
fi

# Channels left by a killed server are reported once they are too old for a server that starts.
if "$ACH" help --verbs | grep -qx serve; then
    printf 'driver\n(\n  name "fake"\n  provides ["laser:0"]\n)\n' >"$tmp/robot.cfg"
    # serves: start a server in the background and wait until it is ready
    serves() {
        : >"$tmp/out"
        "$ACH" serve --no-tcp --port 7123 "$tmp/robot.cfg" >"$tmp/out" 2>"$tmp/err" &
        server=$!
        eventually grep -q '^serving 1 device' "$tmp/out" || fail "serve: $(cat "$tmp/err")"
        touch -d '1 minute ago' "$ACH_DIR/achshm-dev.7123.ans"
    }
    # Run the advised command.
    remove_as_advised() {
        PATH=$(dirname "$ACH"):$PATH sh -c "$(json \
            '[f["advice"] for f in j["findings"] if f["check"] == "servers"][0].split(": ")[-1]')"
    }
    serves
    doctor
    same "$(levels servers)" ""
    # A stopped server still holds its lock.
    kill -STOP "$server"
    doctor
    same "$(levels servers)" ""
    kill -KILL "$server"
    wait "$server" 2>/dev/null
    left=$("$ACH" ls --names 'dev.7123.*' | wc -l)
    [ "$left" -ge 4 ] || fail "only $left channels are left"
    doctor
    same "$(levels servers)" note
    same "$(told servers "$left channels dev.7123.* were left by a device server or a simulation that was killed")" 1
    touch -d '1 hour' "$ACH_DIR/achshm-dev.7123.ans" # new, also if the doctor takes long
    doctor
    same "$(levels servers)" ""
    # The note disappears when the server is started again, or by the advised command.
    serves
    doctor
    same "$(levels servers)" ""
    kill -KILL "$server"
    wait "$server" 2>/dev/null
    doctor
    remove_as_advised
    same "$("$ACH" ls --names 'dev.7123.*')" ""
    doctor
    same "$(levels servers)" ""

    # The same for a simulation. Its reaper, which would tidy up, is killed with it.
    printf 'world\n(\n  name "gone"\n  duration 1000.0\n  speed 1.0\n)\n' >"$tmp/gone.cfg"
    setsid "$ACH" sim "$tmp/gone.cfg" >"$tmp/out" 2>"$tmp/err" &
    server=$!
    eventually test -e "$ACH_DIR/achshm-sim.gone.control" || fail "sim: $(cat "$tmp/err")"
    touch -d '1 minute ago' "$ACH_DIR/achshm-sim.gone.note"
    runs() { doctor && [ -z "$(levels servers)" ]; }
    eventually runs || fail "a simulation that runs is reported"
    kill -KILL "-$server"
    wait "$server" 2>/dev/null
    doctor
    same "$(told servers "3 channels sim.gone.* were left by a simulation that was killed")" 1
    [ -e "$ACH_DIR/.achsim-gone.board" ] || fail "the simulation has no file"
    remove_as_advised
    same "$("$ACH" ls --names 'sim.gone.*')" ""
    same "$(find "$ACH_DIR" -name '.achsim-gone.*')" ""
    rm -f "$ACH_DIR"/*dev.6665* "$ACH_DIR"/.*dev.6665*
fi

# A directory where every user can remove files; one that is not in memory
chmod 777 "$ACH_DIR"
doctor
same "$(levels permissions)" warning
chmod 1777 "$ACH_DIR"
doctor
same "$(levels permissions)" ok
"$ACH" rm good
mkdir "$tmp/disk"
case $(stat -f -c %T "$tmp/disk") in
    tmpfs | ramfs) ;;
    *)
        out=$(ACH_DIR=$tmp/disk "$ACH" doctor --json)
        same "$(levels 'file system')" warning ;;
esac

# A small file system
if unshare --user --map-root-user --mount true 2>/dev/null; then
    out=$(unshare --user --map-root-user --mount sh -c \
        'mount -t tmpfs -o size=64k none "$1" && ACH_DIR=$1 "$2" doctor --json' sh "$tmp/disk" "$ACH")
    same "$(told space 'has only 64 KiB of 64 KiB left')" 1
fi

# logind reads drop-ins in the order of their names; one in /etc hides others of the same name.
# It removes files only in /dev/shm itself, not in another ACH_DIR.
root=$tmp/root
# logind LEVEL
logind() {
    out=$(unset ACH_DIR; "$ACH" doctor --json --root "$root")
    same "$(levels logind)" "$1"
}
mkdir -p "$root/etc/systemd/logind.conf.d" "$root/usr/lib/systemd/logind.conf.d"
bad=note
[ "$(id -u)" -ge 1000 ] && bad=warning
logind $bad
has "$out" "its default"
printf '[Login]\n#RemoveIPC=yes\nRemoveIPC = no\n' >"$root/etc/systemd/logind.conf"
logind ok
echo 'RemoveIPC=yes' >"$root/usr/lib/systemd/logind.conf.d/50-vendor.conf"
logind $bad
echo '#nothing' >"$root/etc/systemd/logind.conf.d/50-vendor.conf"
logind ok
echo 'RemoveIPC=on' >"$root/etc/systemd/logind.conf.d/60-a.conf"
logind $bad
echo 'RemoveIPC=false' >"$root/usr/lib/systemd/logind.conf.d/70-z.conf"
logind ok
echo 'RemoveIPC=' >"$root/etc/systemd/logind.conf.d/80-reset.conf"
logind $bad
out=$("$ACH" doctor --json --root "$root")
same "$(levels logind)" ok

finish

#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Completion for bash and zsh offers verbs, options and channels.
. "$(dirname "$0")/lib.sh"
completions=$2
need bash

# offered WORD ...: what bash offers for the last word
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

# The same for zsh, whose own functions are replaced by ones that print what is offered.
zsh_offers() {
    zsh -f -c '
        _describe() { print -rl -- ${(P)2}; }
        compadd() { print -rl -- "$@"; }
        words=("$2" "${@:3}")
        CURRENT=${#words}
        . "$1"' zsh "$completions/_ach" "$ACH" "$@" 2>&1
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
same "$(offered h)" "help hide hz "
same "$(offered --)" "--help --version "
same "$(offered info '')" "arm-left arm-right leg "
same "$(offered get --last a)" "arm-left arm-right "
same "$(offered rm leg a)" "arm-left arm-right "
same "$(offered mk --t)" "--timestamps --truncate --type "
same "$(offered doctor --)" "--help --json --repair --root "
same "$(offered bench --se)" "--seconds --senders "
same "$(offered bench --wait '')" "block poll spin "
same "$(offered get --wait l)" "leg "
same "$(offered bench --rate '')" " "
same "$(offered bench '')" " "
same "$(offered bench --scenario paced-1k,sp)" "paced-1k,spin "
same "$(offered bench --scenario st)" "stopped "
# For the value of an option no channels are offered, unless it is a channel.
for words in 'hz -i' 'hz --interval' 'hz -c' 'bw -i' 'echo -c' 'get -T' 'get --count' 'watch -i' \
    'ls -i' 'mk -n' 'mk --size' 'replay --speed' 'replay --map' '-m'; do
    # shellcheck disable=SC2086
    same "$words $(offered $words '')" "$words  "
done
same "$(offered get -l l)" "leg "
same "$(offered hz -i 2 l)" "leg "
same "$(offered replay --to l)" "leg "
same "$(offered mk -o 66)" "660 664 666 "
same "$(offered doctor --root "$tmp/some")" " "
same "$(offered mk --clock mono)" "monotonic monotonic-raw "
same "$(offered mk --schema-encoding r)" "ros2msg "
same "$(offered mk --encoding c)" "cdr "
if "$ACH" help --verbs | grep -qx gen; then
    touch "$tmp/A.msg" "$tmp/A.txt"
    same "$(offered gen --f)" "--full-names "
    same "$(offered gen "$tmp/A")" "$tmp/A.msg "
    same "$(offered gen --output "$tmp/A.t")" "$tmp/A.txt "
fi
touch "$tmp/A.mcap"
same "$(offered view "$tmp/A.m")" "$tmp/A.mcap "
same "$(offered view --dr)" "--drive "
same "$(offered keys re)" "renew revoke "
same "$(offered keys --f)" "--force "
same "$(offered keys host '')" " "
mkdir "$tmp/Keys"
same "$(offered keys check "$tmp/Ke")" "$tmp/Keys "
same "$(offered keys init --dir "$tmp/Ke")" "$tmp/Keys "
same "$(offered watch --sort r)" "rate recovered "
# The columns that are offered are those that watch accepts.
for column in $(offered watch --sort ''); do
    expect 0 "$ACH" watch --once --interval 0.01 --sort "$column"
done
expect 2 "$ACH" watch --once --sort nothing
same "$(echo "$err" | sed -n 's/.*: give //p' | tr -d , | sed 's/ or / /' | tr ' ' '\n' | sort | tr '\n' ' ')" \
    "$(offered watch --sort '')"
same "$(offered chmod 66)" "660 664 666 "
same "$(offered chmod 660 l)" "leg "
same "$(offered help d)" "dev doctor dump "
same "$(offered -D l)" "leg "
: >"$tmp/some-file"
same "$(offered put --file "$tmp/some")" "$tmp/some-file "
same "$(offered replay "$tmp/some")" "$tmp/some-file "
same "$(offered bench --json "$tmp/some")" "$tmp/some-file "
same "$(offered log '')" "cat convert filter info merge repair "
same "$(offered log info --q)" "--quick "
same "$(offered log info "$tmp/some")" "$tmp/some-file "
same "$(offered log filter -o "$tmp/some")" "$tmp/some-file "
same "$(offered log convert --to '')" "achlog csv devices jsonl mcap "
same "$(offered log convert --compression z)" "zstd "
same "$(offered log cat --topic '')" " "
if "$ACH" help --verbs | grep -qx dev; then
    same "$(offered dev p)" "print prop "
    same "$(offered dev me)" "messages "
    has " $(offered dev print --)" " --count "
    same "$(offered dev print --count '')" " "
    same "$(offered dev print --transport '')" "channel tcp tls "
    same "$(offered dev ls --transport t)" "tcp tls "
    same "$(offered dev messages pos)" "position1d position2d position3d "
    same "$(offered dev messages laser:0 scan)" "scan scanangle scanpose "
    same "$(offered dev cmd position2d:0 v)" "vel vel_head "
    same "$(offered dev cmd -T 3 position2d:0 vel vel.)" "vel.pa= vel.px= vel.py= "
    same "$(offered dev cmd position2d:0 vel vel.)" "vel.pa= vel.px= vel.py= "
    same "$(offered dev cmd position2d:0 vel state=1 vel.px)" "vel.px= "
    same "$(offered dev req laser:0 get)" "get_config get_geom get_id "
    same "$(offered dev cmd nothing:0 '')" " "
    # Devices of a server without TCP, by its port.
    echo 'driver ( name "dummy" provides ["laser:0" "sonar:1"] )' >"$tmp/two.cfg"
    "$ACH" serve --no-tcp --port 40031 "$tmp/two.cfg" >"$tmp/served" 2>&1 &
    server=$!
    eventually grep -q '^serving' "$tmp/served"
    same "$(offered dev print 40031:)" "40031:laser:0 40031:sonar:1 "
    same "$(offered dev cmd -T 3 40031:so)" "40031:sonar:1 "
    ! command -v zsh >/dev/null || {
        has "$(zsh_offers dev print 40031:)" "40031:sonar:1"
    }
    export ACH_ROBOT=40031
    same "$(offered dev print '')" "laser:0 sonar:1 "
    unset ACH_ROBOT
    kill "$server"
    wait "$server"
    # bash splits words at colons and equals signs: only the part after the last one is completed.
    typed=$(bash -c '. "$1" || exit 1
        COMP_LINE="ach dev messages laser:0 sca" COMP_POINT=28
        COMP_WORDS=("$2" dev messages laser : 0 sca) COMP_CWORD=6
        _ach
        printf "%s " "${COMPREPLY[@]}"' bash "$completions/ach.bash" "$ACH" | tr ' ' '\n' | sort | tr '\n' ' ')
    has "$typed" "scan scanangle scanpose"
fi
# Fields of a channel's messages
echo '{"type": "object", "properties": {"at": {"type": "object", "properties": {"x": {}, "y": {}}}, "id": {}}}' \
    >"$tmp/Thing.json"
"$ACH" mk --type Thing --schema "$tmp/Thing.json" thing
same "$(offered echo thing --field '')" "at.x at.y id "
same "$(offered echo --count 3 thing --field at)" "at.x at.y "
same "$(offered echo --json thi)" "thing "
same "$(offered echo --field '')" " "
same "$(offered plot thi)" "thing "
same "$(offered plot thing i)" "id "
same "$(offered plot --window 3 thing at.x '')" "at.x at.y id "
same "$(offered plot --window '')" " "
same "$(offered pub --rate 3 thi)" "thing "
same "$(offered pub thing a)" "at.x= at.y= "
same "$(offered pub thing id = '')" " "
same "$(offered pub leg '')" " "
same "$(offered type '')" "fields ls show struct "
same "$(offered type fields thi)" "thing "
# The channel may also follow.
same "$(bash -c '. "$1" || exit 1
    COMP_WORDS=("$2" echo --field at. thing) COMP_CWORD=3
    _ach
    printf "%s " "${COMPREPLY[@]}"' bash "$completions/ach.bash" "$ACH")" "at.x at.y "
if command -v zsh >/dev/null; then
    has "$(zsh_offers echo thing --field '')" "at.x
at.y
id"
    has "$(zsh_offers plot thing '')" "at.y"
    has "$(zsh_offers pub thing '')" "-S
=
--
at.x"
    has "$(zsh_offers plot '')" "thing"
    has "$(zsh_offers type '')" "fields"
fi
"$ACH" rm thing
if "$ACH" help --verbs | grep -qx sim; then
    : >"$tmp/some.cfg"
    mkdir "$tmp/some-configs"
    same "$(offered sim "$tmp/some")" "$tmp/some-configs $tmp/some.cfg "
    same "$(offered serve "$tmp/some")" "$tmp/some-configs $tmp/some.cfg "
    rmdir "$tmp/some-configs"
    rm "$tmp/some.cfg"
    same "$(offered sim --trace "$tmp/some")" "$tmp/some-file "
    same "$(offered sim --model '')" "declared free measured "
    same "$(offered sim --no-)" "--no-correction --no-realtime "
fi

# The other programs: tool_offers PROGRAM WORD ...
tools=$(dirname "$ACH")/../tools
PATH=$(dirname "$ACH"):$PATH
export PATH
tool_offers() {
    program=$tools/$1
    shift
    bash -c '. "$1" || exit 1
        program=$2
        shift 2
        COMP_WORDS=("$program" "$@")
        COMP_CWORD=$#
        _achtools
        printf "%s\n" "${COMPREPLY[@]}"' bash "$completions/achtools.bash" "$program" "$@" 2>&1 |
        sort | tr '\n' ' '
}
bash -n "$completions/achtools.bash" || fail "syntax of achtools.bash"
for program in achcat achlog achcop; do
    same "$(bash -c '. "$1"; complete -p "$2"' bash "$completions/achtools.bash" $program)" \
        "complete -F _achtools $program"
    [ -x "$tools/$program" ] || fail "there is no $tools/$program"
    has " $(tool_offers $program --)" " --help "
done
mkdir "$tmp/some-dir"
same "$(tool_offers achcat '')" "arm-left arm-right leg "
same "$(tool_offers achcat -l -n 5 a)" "arm-left arm-right "
same "$(tool_offers achcat -n '')" " "
same "$(tool_offers achcat --l)" "--last --lines "
same "$(tool_offers achcat leg "$tmp/some-f")" "$tmp/some-file "
same "$(tool_offers achlog --gzip leg a)" "arm-left arm-right "
same "$(tool_offers achlog -d "$tmp/some")" "$tmp/some-dir "
same "$(tool_offers achlog --output "$tmp/some-f")" "$tmp/some-file "
same "$(tool_offers achlog --time '')" " "
same "$(tool_offers achcop --max)" "--max-delay --max-restarts "
same "$(tool_offers achcop -P "$tmp/some-f")" "$tmp/some-file "
has " $(tool_offers achcop -r -- ach)" " ach "
same "$(tool_offers achcop -r -- cat -n "$tmp/some-f")" "$tmp/some-file "
if [ -x "$tools/../bridges/dds/ach-dds" ]; then # it is optional
    same "$(tool_offers ../bridges/dds/ach-dds '')" "both pull push "
    same "$(tool_offers ../bridges/dds/ach-dds -d 1 --re)" "--reliable "
    same "$(tool_offers ../bridges/dds/ach-dds push --depth '')" " "
    same "$(tool_offers ../bridges/dds/ach-dds push --depth 5 a)" "arm-left arm-right "
fi
same "$(tool_offers achcop -- cat --max)" " "
if [ -x "$tools/../bridges/ros/ach-ros" ]; then
    same "$(tool_offers ../bridges/ros/ach-ros pu)" "pull push "
    same "$(tool_offers ../bridges/ros/ach-ros push a)" "arm-left arm-right "
    same "$(tool_offers ../bridges/ros/ach-ros --no)" "--no-tf --node "
fi

if command -v zsh >/dev/null; then
    zsh -n "$completions/_ach" || fail "syntax of _ach"
    # Run the functions with zsh's own replaced by ones that print what is offered.
    out=$(zsh -f -c '
        _describe() { print -rl -- ${(P)2}; }
        compadd() { print -rl -- "$@"; }
        words=("$2" "${@:3}")
        CURRENT=${#words}
        . "$1"' zsh "$completions/_ach" "$ACH" '' 2>&1)
    has "$out" "mk:create channels"
    has "$out" "doctor:check"
    hasnt "$out" "ach:"
    same "$(zsh_offers info '')" "arm-left
arm-right
leg"
    has "$(zsh_offers mk --)" "--timestamps:stamp each message"
    has "$(zsh -f -c 'compadd() { print -rl -- "$@"; }; words=(achd ""); CURRENT=2; . "$1"' zsh \
        "$completions/_ach" 2>&1)" serve
    has "$(zsh_offers mk --)" "--frames:keep at most N messages"
    has "$(zsh_offers bench --)" "--receivers:processes that all receive every message (1)"
    has "$(zsh_offers bench --wait '')" spin
    has "$(zsh_offers watch --sort '')" recovered
    for words in 'hz -i' 'hz --interval' 'echo -c' 'get -T' 'mk -n' 'replay --speed' '-m'; do
        # shellcheck disable=SC2086
        same "$words $(zsh_offers $words '')" "$words "
    done
    has "$(zsh_offers get -l '')" leg
    has "$(zsh_offers replay --to '')" leg
    has "$(zsh_offers -C '')" leg
    if "$ACH" help --verbs | grep -qx dev; then
        has "$(zsh_offers dev '')" "print:print the data of a device"
        has "$(zsh_offers dev print --)" "--count:"
        same "$(zsh_offers dev print --count '')" ""
        has "$(zsh_offers dev print --transport '')" channel
        has "$(zsh_offers dev cmd -T 3 position2d:0 vel vel.)" "vel.px"
        has "$(zsh_offers dev req laser:0 '')" "get_geom"
        has "$(zsh_offers dev messages '')" "position2d"
    fi
    zsh_tool_offers() {
        program=$tools/$1
        shift
        zsh -f -c '
            _describe() { print -rl -- ${(P)2}; }
            _files() { print files; }
            _directories() { print directories; }
            _command_names() { print commands; }
            words=("${@:2}")
            CURRENT=${#words}
            . "$1"' zsh "$completions/_ach" "$program" "$@" 2>&1
    }
    same "$(zsh_tool_offers achcat '')" "arm-left
arm-right
leg"
    same "$(zsh_tool_offers achcat -n '')" ""
    same "$(zsh_tool_offers achcat -n 5 leg '')" files
    same "$(zsh_tool_offers achlog -d '')" directories
    has "$(zsh_tool_offers achlog --)" "--gzip:compress the logs"
    has "$(zsh_tool_offers achlog --)" "--count:end after N messages"
    same "$(zsh_tool_offers achcop -o '')" files
    same "$(zsh_tool_offers achcop -r '')" commands
    same "$(zsh_tool_offers achcop -- cat --x)" files
fi

"$ACH" rm arm-left arm-right leg || fail "rm"
finish

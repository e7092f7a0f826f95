# SPDX-License-Identifier: BSD-3-Clause
# Bash completion for ach(1). Verbs, options and channels come from ach itself.

_ach_bench_names() {
    if [[ $1 == --only ]]; then
        "${COMP_WORDS[0]}" bench --list 2>/dev/null | sed -n 's/^\([^ ]*\)  .*/\1/p'
    else
        "${COMP_WORDS[0]}" bench --help 2>/dev/null |
            sed -n '/^Scenarios:/,/^$/{s/^Scenarios://;p;}'
    fi
}

# The argument of an option in the help of VERB [TOOL]: FILE, DIR, CHANNEL, N and so on, or empty.
_ach_takes() {
    local option=$1
    shift
    [[ $option == -* ]] || return
    "${COMP_WORDS[0]}" "$@" --help 2>/dev/null |
        sed -n -e "s/^ *\(-., \)\{0,1\}$option \([A-Z=][A-Z=]*\) .*/\2/p" \
            -e "s/^ *$option, --[a-z-]* \([A-Z=][A-Z=]*\) .*/\1/p" 2>/dev/null
}

# The channel in a command line whose verb VERB is word N: its first operand.
_ach_channel() {
    local i
    for ((i = $2 + 1; i < ${#COMP_WORDS[@]}; i++)); do
        if ((i == COMP_CWORD)); then
            continue
        elif [[ ${COMP_WORDS[i]} != -* ]]; then
            echo "${COMP_WORDS[i]}"
            return
        elif [[ -n $(_ach_takes "${COMP_WORDS[i]}" "$1") ]]; then
            i=$((i + 1))
        fi
    done
}

_ach_fields() {
    local channel
    channel=$(_ach_channel "$1" "$2")
    [[ -n $channel ]] && "${COMP_WORDS[0]}" type fields "$channel" 2>/dev/null
}

# Files that match a pattern, and directories that may contain some.
_ach_files() {
    compopt -o filenames 2>/dev/null
    local IFS=$'\n'
    COMPREPLY=($(compgen -f -X "!$1" -- "$2") $(compgen -d -- "$2"))
}

# The devices of a local robot: of the one whose number the word begins with, for example 7801:.
_ach_devices() {
    local number=
    [[ $2 =~ ^[0-9]+: ]] && number=${BASH_REMATCH[0]}
    "$1" dev ls --timeout 1 ${number:+"${number%:}"} 2>/dev/null | sed "s/ .*//; s/^/$number/"
}

# Completions of the word CUR after dev TOOL WORD ...: devices, then messages, then fields.
_ach_dev_words() {
    local ach=${COMP_WORDS[0]} cur=$1 tool=$2 operands=()
    shift 2
    while (($#)); do
        case $1 in
            -[TPcp] | --timeout | --port | --plugin | --transport | --count) shift ;;
            -*) ;;
            *) operands+=("$1") ;;
        esac
        shift
    done
    case $tool:${#operands[@]} in
        print:0 | cmd:0 | req:0 | prop:0)
            _ach_devices "$ach" "$cur" ;;
        messages:0)
            "$ach" dev messages --names 2>/dev/null ;;
        cmd:1 | req:1)
            "$ach" dev messages --names "${operands[0]}" 2>/dev/null |
                sed -n "s/^$tool //p" | tr '[:upper:]' '[:lower:]' ;;
        messages:1)
            "$ach" dev messages --names "${operands[0]}" 2>/dev/null |
                sed 's/.* //' | tr '[:upper:]' '[:lower:]' ;;
        cmd:* | req:*)
            "$ach" dev messages --names "${operands[0]}" "$tool" "${operands[1]}" 2>/dev/null |
                sed 's/$/=/' ;;
    esac
}

# Addresses and fields contain characters at which bash splits words, so split the line here.
_ach_dev() {
    local line=${COMP_LINE:0:${COMP_POINT:-0}} w cur split reply
    if [[ -n $line ]]; then
        read -ra w <<<"$line"
        [[ $line == *[[:space:]] ]] && w+=('')
    else
        w=("${COMP_WORDS[@]:0:COMP_CWORD+1}")
    fi
    cur=${w[${#w[@]}-1]}
    COMPREPLY=($(compgen -W "$(_ach_dev_words "$cur" "$1" "${w[@]:3:${#w[@]}-4}")" -- "$cur"))
    [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
    split=${cur%"${cur##*[:=]}"}
    if [[ -n $line && -n $split ]]; then
        for reply in "${!COMPREPLY[@]}"; do
            COMPREPLY[reply]=${COMPREPLY[reply]#"$split"}
        done
    fi
}

_ach() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} verb= tool= i words=
    local IFS=$' \t\n'
    COMPREPLY=()

    for ((i = 1; i < COMP_CWORD; i++)); do
        if [[ ${COMP_WORDS[i]} != -* ]]; then
            verb=${COMP_WORDS[i]}
            break
        fi
    done
    if [[ $verb == dev || $verb == log ]] && ((i + 1 < COMP_CWORD)); then
        tool=${COMP_WORDS[i+1]}
    fi

    case $verb:$prev in
        bench:--wait)
            words='block spin poll' ;;
        sim:--model | sim:-M)
            words='measured declared free' ;;
        bench:--only | bench:--scenario)
            # Names are separated by commas. Names with a space, which need quotes, are left out.
            words=$(_ach_bench_names "$prev")
            [[ $cur == *,* ]] && i=${cur%,*}, || i=
            COMPREPLY=($(compgen -P "$i" -W "$words" -- "${cur##*,}"))
            return ;;
        watch:--sort | top:--sort)
            words='name rate newest bytes age missed recovered' ;;
        dev:--transport)
            words='tcp tls channel' ;;
        mk:--clock)
            words='monotonic realtime boottime tai monotonic-raw' ;;
        record:--compression | log:--compression)
            words='lz4 zstd none' ;;
        log:--to)
            words='achlog csv devices jsonl mcap' ;;
        record:-o | log:-o)
            compopt -o filenames 2>/dev/null
            IFS=$'\n'
            COMPREPLY=($(compgen -f -- "$cur"))
            return ;;
        mk:--encoding)
            words='cdr protobuf json xdr text' ;;
        mk:--schema-encoding)
            words='ros2msg protobuf jsonschema' ;;
        mk:--mode | mk:-o | :-o)
            words='600 644 660 664 666' ;;
        :-C | :-U | :-D | :-F)
            words=$("${COMP_WORDS[0]}" ls --names 2>/dev/null) ;;
        :-m | :-n)
            return ;;
        :*) ;;
        *)
            case $(_ach_takes "$prev" "$verb" ${tool:+"$tool"}) in
                FILE)
                    compopt -o filenames 2>/dev/null
                    IFS=$'\n'
                    COMPREPLY=($(compgen -f -- "$cur"))
                    return ;;
                DIR)
                    compopt -o filenames 2>/dev/null
                    IFS=$'\n'
                    COMPREPLY=($(compgen -d -- "$cur"))
                    return ;;
                CHANNEL)
                    words=$("${COMP_WORDS[0]}" ls --names 2>/dev/null) ;;
                FIELD)
                    COMPREPLY=($(compgen -W "$(_ach_fields "$verb" "$i")" -- "$cur"))
                    return ;;
                ?*)
                    return ;;
            esac ;;
    esac

    if [[ -n $words ]]; then
        :
    elif [[ -z $verb && $cur == -* ]]; then
        words='--help --version'
    elif [[ -z $verb ]]; then
        words=$("${COMP_WORDS[0]}" help --verbs 2>/dev/null)
    elif [[ $cur == -* ]]; then
        words=$("${COMP_WORDS[0]}" "$verb" ${tool:+"$tool"} --help 2>/dev/null |
            sed -n 's/^ \{2,\}\(-., \)\{0,1\}\(--[a-z][a-z-]*\).*/\2/p')
    else
        case $verb in
            help) words=$("${COMP_WORDS[0]}" help --verbs 2>/dev/null) ;;
            bench | doctor) ;;
            dev)
                if [[ -n $tool ]]; then
                    _ach_dev "$tool"
                    return
                fi
                words=$("${COMP_WORDS[0]}" dev --help 2>/dev/null |
                    sed -n '/^Tools:/,/^$/s/^  \([a-z]*\) .*/\1/p') ;;
            log)
                if [[ -n $tool ]]; then
                    _ach_files '*' "$cur"
                    return
                fi
                words=$("${COMP_WORDS[0]}" log --help 2>/dev/null |
                    sed -n '/^Tools:/,/^$/s/^  \([a-z]*\) .*/\1/p') ;;
            type)
                if [[ $prev == type ]]; then
                    words='fields ls show struct'
                else
                    words=$("${COMP_WORDS[0]}" ls --names 2>/dev/null)
                fi ;;
            plot | pub)
                # bash splits FIELD=VALUE: nothing is offered for the value.
                [[ $cur == *=* || $prev == *= ]] && return
                words=$(_ach_fields "$verb" "$i")
                if [[ -z $(_ach_channel "$verb" "$i") ]]; then
                    words=$("${COMP_WORDS[0]}" ls --names 2>/dev/null)
                elif [[ $verb == pub ]]; then
                    words=$(sed "s/.$/&=/" <<<"$words")
                    compopt -o nospace 2>/dev/null
                fi ;;
            serve | sim)
                _ach_files '*.cfg' "$cur"
                return ;;
            view)
                _ach_files '*.mcap' "$cur"
                return ;;
            gen)
                _ach_files '*.msg' "$cur"
                return ;;
            relay) words=status ;;
            keys)
                case $prev in
                    keys) words='init host renew revoke ls check' ;;
                    renew | revoke)
                        words=$("${COMP_WORDS[0]}" keys ls 2>/dev/null | sed '1d; s/ .*//' | sort -u) ;;
                    check)
                        _ach_files '' "$cur"
                        return ;;
                    *) return ;;
                esac ;;
            replay)
                compopt -o filenames 2>/dev/null
                IFS=$'\n'
                COMPREPLY=($(compgen -f -- "$cur"))
                return ;;
            chmod)
                if [[ $prev == chmod ]]; then
                    words='600 644 660 664 666'
                else
                    words=$("${COMP_WORDS[0]}" ls --names 2>/dev/null)
                fi ;;
            *) words=$("${COMP_WORDS[0]}" ls --names 2>/dev/null) ;;
        esac
    fi
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
}

complete -F _ach ach

# SPDX-License-Identifier: BSD-3-Clause
# Bash completion for achcat(1), achlog(1), achcop(1), achd(1), ach-dds(1) and ach-ros(1). Options and
# their arguments come from the programs' --help, channels from ach.

# The argument of an option: FILE, DIR, N or SECONDS, or empty.
_achtools_takes() {
    awk -v option="$1" '/^  / {
        for (i = 1; i <= 2; i++) {
            word = $i
            sub(/,$/, "", word)
            if (word != option)
                continue
            value = $(i + 1) ~ /^--/ ? $(i + 2) : $(i + 1)
            if (value ~ /^[A-Z]+$/)
                print value
            exit
        }
    }' <<<"$help"
}

# The number of operands before the current word; after --, all words are operands.
_achtools_operands() {
    local i n=0
    for ((i = 1; i < COMP_CWORD; i++)); do
        if [[ ${COMP_WORDS[i]} == -- ]]; then
            n=$((n + COMP_CWORD - i - 1))
            break
        elif [[ ${COMP_WORDS[i]} != -* ]]; then
            n=$((n + 1))
        elif [[ -n $(_achtools_takes "${COMP_WORDS[i]}") ]]; then
            i=$((i + 1))
        fi
    done
    echo "$n"
}

_achtools() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
    local help operands action words=
    local IFS=$' \t\n'
    COMPREPLY=()

    help=$("${COMP_WORDS[0]}" --help 2>/dev/null)
    operands=$(_achtools_operands)
    case ${COMP_WORDS[0]##*/}:$operands in
        achcop:0) action=-c ;;
        achd:0) action=-W words='serve push pull run' ;;
        achd:1) [[ $prev == run ]] && action=-f || return ;;
        achcop:* | achcat:1) action=-f ;;
        achcat:0 | achlog:* | ach-dds:* | achd:2) action=-W ;;
        ach-ros:*) action=-W words="push pull device $(ach ls --names 2>/dev/null)" ;;
        *) return ;;
    esac
    # Words after the program that achcop starts are not achcop's.
    if [[ ${COMP_WORDS[0]##*/}:$operands != achcop:[1-9]* ]]; then
        case $(_achtools_takes "$prev") in
            FILE) action=-f ;;
            DIR) action=-d ;;
            ?*) return ;;
            *)
                if [[ $cur == -* ]]; then
                    action=-W
                    words=$(sed -n 's/^ \{2,\}\(-., \)\{0,1\}\(--[a-z][a-z-]*\).*/\2/p' <<<"$help")
                fi ;;
        esac
    fi
    [[ ${COMP_WORDS[0]##*/}:$operands:$action:$words == ach-dds:0:-W: ]] && words='push pull both'
    case $action in
        -W)
            COMPREPLY=($(compgen -W "${words:-$(ach ls --names 2>/dev/null)}" -- "$cur")) ;;
        *)
            IFS=$'\n'
            compopt -o filenames 2>/dev/null
            COMPREPLY=($(compgen "$action" -- "$cur")) ;;
    esac
}

complete -F _achtools achcat achlog achcop achd ach-dds ach-ros

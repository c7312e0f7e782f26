# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Completion of twinrt and twinrt-cc for bash. Commands and options are those that the program's
# help lists, so that this file names only what values they take.

_twinrt_options() { # COMMAND...
    "$@" --help 2>/dev/null | awk '@TWINRT_OPTIONS@' | cut -f1
}

_twinrt_words() { # WORDS: what begins as the current word does
    mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current")
}

# Values of OPTION; status 1: they are names of files, or nothing is known of them.
_twinrt_values() {
    case $1 in
    --backend) _twinrt_words "@TWINRT_VALUES_BACKEND@" ;;
    --model) _twinrt_words "@TWINRT_VALUES_MODEL@" ;;
    --host-time) _twinrt_words "@TWINRT_VALUES_HOST_TIME@" ;;
    --log) _twinrt_words "@TWINRT_VALUES_LOG@" ;;
    --report-format) _twinrt_words "@TWINRT_VALUES_REPORT_FORMAT@" ;;
    --profile)
        _twinrt_words "$("$program" info --profiles 2>/dev/null | awk '{ print $1 }')"
        [ ${#COMPREPLY[@]} -gt 0 ]
        ;;
    *) return 1 ;;
    esac
}

_twinrt() {
    local program=$1 current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local command="" i
    compopt -o default +o nospace
    COMPREPLY=()
    # "=" is a separate word to bash
    if [ "$current" = = ]; then
        current=""
        _twinrt_values "$previous" || true
        return
    elif [ "$previous" = = ] && [ "$COMP_CWORD" -ge 2 ]; then
        _twinrt_values "${COMP_WORDS[COMP_CWORD - 2]}" || true
        return
    fi
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
        -*) ;;
        *)
            command=${COMP_WORDS[i]}
            break
            ;;
        esac
    done
    if [ "${program##*/}" = twinrt ] && [ -z "$command" ]; then
        case $current in
        -*) _twinrt_words "$(_twinrt_options "$program")" ;;
        *) _twinrt_words "$("$program" --help 2>/dev/null | awk '@TWINRT_COMMANDS@' | cut -f1)" ;;
        esac
        return
    fi
    # Arguments after the program to run are that program's.
    if [ "$command" = run ] || [ "$command" = record ] || [ "$command" = kernel-report ]; then
        for ((i++; i < COMP_CWORD; i++)); do
            case ${COMP_WORDS[i]} in
            --)
                _twinrt_program $((i + 1))
                return
                ;;
            esac
        done
    fi
    if [[ $current == -* ]]; then
        if [ "${program##*/}" = twinrt ]; then
            _twinrt_words "$(_twinrt_options "$program" "$command")"
        else
            _twinrt_words "$(_twinrt_options "$program")"
        fi
        [[ ${COMPREPLY[0]:-} != *= ]] || compopt -o nospace
    fi
}

# The words from INDEX on are another command.
_twinrt_program() {
    if declare -F _command_offset >/dev/null; then
        _command_offset "$1"
    elif [ "$COMP_CWORD" -eq "$1" ]; then
        mapfile -t COMPREPLY < <(compgen -c -- "$current")
    fi
}

complete -F _twinrt twinrt twinrt-cc

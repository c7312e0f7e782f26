#compdef twinrt twinrt-cc
# SPDX-License-Identifier: Apache-2.0
# Completion of twinrt and twinrt-cc for zsh. Commands and options are those that the program's
# help lists, so that this file names only what values they take.

_twinrt_options() { # COMMAND...
    local -a plain valued
    local line
    for line in ${(f)"$("$@" --help 2>/dev/null | awk '@TWINRT_OPTIONS@')"}; do
        line=${line/$'\t'/:}
        [[ $line == *=:* ]] && valued+=("$line") || plain+=("$line")
    done
    _describe -o option plain -- valued -S ''
}

# Values of OPTION; files where nothing else is known.
_twinrt_values() {
    local -a words
    case $1 in
    --backend) words=(@TWINRT_VALUES_BACKEND@) ;;
    --model) words=(@TWINRT_VALUES_MODEL@) ;;
    --host-time) words=(@TWINRT_VALUES_HOST_TIME@) ;;
    --log) words=(@TWINRT_VALUES_LOG@) ;;
    --report-format) words=(@TWINRT_VALUES_REPORT_FORMAT@) ;;
    --profile) words=(${(f)"$($program info --profiles 2>/dev/null | awk '{ print $1 }')"}) ;;
    esac
    (( ! $#words )) || compadd -- $words
    [[ $#words -gt 0 && $1 != --profile ]] || _files
}

_twinrt() {
    local program=$words[1] command="" i
    if [[ ${program:t} == twinrt ]]; then
        for (( i = 2; i < CURRENT; i++ )); do
            [[ $words[i] == -* ]] || { command=$words[i]; break }
        done
        if [[ -z $command ]]; then
            if [[ $PREFIX == -* ]]; then
                _twinrt_options $program
            else
                local -a commands
                commands=(${(f)"$($program --help 2>/dev/null | awk '@TWINRT_COMMANDS@')"})
                commands=(${commands/$'\t'/:})
                _describe command commands
            fi
            return
        fi
        # Arguments after the program to run are that program's.
        if [[ $command == (run|record|kernel-report) ]]; then
            local split=${words[(ieb:i + 1:)--]}
            if (( split < CURRENT )); then
                shift $split words
                (( CURRENT -= split ))
                _normal
                return
            fi
        fi
    fi
    if [[ $PREFIX == --*=* ]]; then
        local option=${PREFIX%%=*}
        compset -P '*='
        _twinrt_values $option
    elif [[ $PREFIX == -* ]]; then
        _twinrt_options $program $command
    else
        _files
    fi
}

_twinrt "$@"

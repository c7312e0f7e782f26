# SPDX-License-Identifier: Apache-2.0
# Completion of twinrt and twinrt-cc for fish. Commands and options are those that the program's
# help lists, so that this file names only what values they take.

# Each option with its description. COMMAND...
function __twinrt_options
    $argv --help 2>/dev/null | awk '@TWINRT_OPTIONS@'
end

# Values of OPTION.
function __twinrt_values
    switch $argv[2]
        case --backend
            string split ' ' '@TWINRT_VALUES_BACKEND@'
        case --model
            string split ' ' '@TWINRT_VALUES_MODEL@'
        case --host-time
            string split ' ' '@TWINRT_VALUES_HOST_TIME@'
        case --log
            string split ' ' '@TWINRT_VALUES_LOG@'
        case --report-format
            string split ' ' '@TWINRT_VALUES_REPORT_FORMAT@'
        case --profile
            $argv[1] info --profiles 2>/dev/null | awk '{ print $1 }'
    end
end

function __twinrt_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program $words[1]
    set -l command
    if test (path basename -- $program) = twinrt
        for i in (seq 2 (count $words))
            if not string match -q -- '-*' $words[$i]
                set command $words[$i]
                # Arguments after the program to run are that program's.
                if contains -- $command run record; and set -l split (contains -i -- -- $words)
                    set -l rest
                    test $split -lt (count $words)
                    and set rest (string escape -- $words[(math $split + 1)..])
                    complete -C (string join ' ' -- $rest $current)
                    return
                end
                break
            end
        end
        if not set -q command[1]; and not string match -q -- '-*' $current
            $program --help 2>/dev/null | awk '@TWINRT_COMMANDS@'
            return
        end
    end
    if string match -q -- '--*=*' $current
        set -l option (string replace -r '=.*' '' -- $current)
        set -l values (__twinrt_values $program $option)
        printf '%s\n' $option=$values
        test -n "$values" -a $option != --profile
        or __fish_complete_path (string replace -r '^[^=]*=' '' -- $current) |
            string replace -r '^' -- $option=
    else if string match -q -- '-*' $current
        __twinrt_options $program $command
    else
        __fish_complete_path $current
    end
end

complete -c twinrt -f -a '(__twinrt_complete)'
complete -c twinrt-cc -f -a '(__twinrt_complete)'

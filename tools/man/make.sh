#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the man pages of the programs from what they print as help, and of the settings that they
# know.
#   make.sh BIN OUT        BIN: folder with twinrt and twinrt-cc; OUT: folder for the pages
set -euo pipefail
BIN=$(realpath "$1")
OUT=$2
mkdir -p "$OUT"
rm -f "$OUT"/*.1
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
export PATH="$BIN:$PATH" LC_ALL=C.UTF-8
unset "${!TWINRT_@}" "${!ASCEND_@}"

mapfile -t commands < <(twinrt --help | awk '/^Commands:/ { on = 1; next } on && /^  [a-z]/ { print $1 }')

# page NAME "COMMAND" "WHAT IT DOES" FILE-WITH-SECTIONS
page() {
    local name=$1
    help2man --no-info --section=1 --name="$3" --include="$4" "$2" |
        awk -v name="$name" '
            /^\.TH / { sub(/^\.TH [^ ]+/, ".TH " toupper(name)) }
            /^\.SH NAME/ { print; getline; sub(/^[^ ]+/, name) }
            /^\.PP/ { held = 1; next }
            held { held = 0; print /^[0-9]+( \([^)]*\))?: / ? ".SH \"EXIT STATUS\"" : ".PP" }
            { print }' >"$OUT/$name.1"
}

# also NAME...: the section that names the other pages.
also() {
    local list
    printf -v list '\\fB%s\\fP(1), ' "$@"
    printf '[see also]\n%s\n' "${list%, }"
}

{
    also "${commands[@]/#/twinrt-}" twinrt-cc
    echo '[environment]'
    echo 'Each setting is read once per process. In parentheses: what holds without it.'
    # The null device is there whatever else is built. Asking for it is what sets TWINRT_BACKEND.
    twinrt info --backend=null | awk '
        /^settings:/ { on = 1; next }
        on && !/^  / { on = 0 }
        on && /^   / { sub(/^ +/, ""); print; next } # a continued line
        on { name = $1; value = $2; $1 = $2 = ""; sub(/^ +/, "")
             if (sub(/^\[set\] +/, "")) value = "auto"
             printf ".TP\n.B %s\n%s%s\n", name, value == "-" ? "" : "(" value ") ", $0 }'
    echo '[files]'
    echo '.TP'
    echo '.I PREFIX/set_env.sh'
    echo 'Sets what the shell needs to build and run programs against this copy.'
    echo '.TP'
    echo '.I PREFIX/share/doc/twinrt'
    echo 'Pages about all of it.'
} >"$folder/twinrt"
page twinrt twinrt "$(twinrt --help | sed -n '2s/[.]$//p')" "$folder/twinrt"

for command in "${commands[@]}"; do
    also twinrt >"$folder/$command"
    page "twinrt-$command" "twinrt $command" \
        "$(twinrt --help | awk -v command="$command" '$1 == command { $1 = ""; sub(/^ +/, ""); print; exit }')" "$folder/$command"
done

also twinrt >"$folder/twinrt-cc"
page twinrt-cc twinrt-cc "compile kernels for the model" "$folder/twinrt-cc"

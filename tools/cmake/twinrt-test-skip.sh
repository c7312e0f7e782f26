#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: twinrt-test-skip.sh COMMAND [ARGUMENT...]
# Runs a case of a GoogleTest program. A case that is skipped ends with 0: this ends with 77 then,
# which CTest is to show as skipped. Every other status stays, that of a finding too.
folder=$(mktemp -d) || exit 125
trap 'rm -rf "$folder"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
{
    "$@" 2>&1
    echo $? >"$folder/status"
} | tee "$folder/output"
read -r status <"$folder/status" || status=125
if [ "$status" -eq 0 ] && grep -q '^\[  SKIPPED \]' "$folder/output"; then
    status=77
fi
exit "$status"

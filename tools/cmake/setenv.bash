# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC1091
# What run scripts of programs read; ../set_env.sh does the work.
. "$(dirname -- "${BASH_SOURCE[0]}")/../set_env.sh"

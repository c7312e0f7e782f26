#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Hides parameters in a model that plays the board and looks whether `twinrt calibrate` finds them: many secrets, three parts,
# with noise and without. Some minutes. usage: bench/calibrate.sh [BUILD_FOLDER [SECRETS]]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=$(realpath "${1:-build}")
secrets=${2:-10}
turn() {
    echo "== $*"
    python3 tests/tools/calibrate_test.py "$@" "$build/bin/twinrt" "$build/lib64/twinrt/bench/acl_bench"
}
turn --seeds "$secrets" --profiles 910b3,310p3,950
turn --seeds "$secrets" --first 100 --profiles 910b3 --noise 20

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The packages in a new Debian, where nothing else of twinrt is: installed with one
# command, used as a user would, removed without a trace.
#   root.sh BUILD [SCRIPT FOLDER]
#       BUILD    a build folder with tests; needs root, mmdebstrap and Debian's packages
#       SCRIPT   what is run there, in place of user.sh; the packages are in /packages, and FOLDER
#                is /project
set -euo pipefail
SUITE=bookworm
BUILD=$(realpath "$1")
SCRIPT=$(realpath "${2:-$(dirname "${BASH_SOURCE[0]}")/user.sh}")
[ "$(id -u)" -eq 0 ] || {
    echo "root.sh: needs root, to mount /proc in the new system" >&2
    exit 1
}
for tool in mmdebstrap cpack unshare; do
    command -v "$tool" >/dev/null || {
        echo "root.sh: no $tool; ./dev setup test installs it" >&2
        exit 1
    }
done
folder=$(mktemp -d)
trap 'rm -rf --one-file-system "$folder"' EXIT

echo "making the packages"
(cd "$BUILD" && cpack -B "$folder/debs" >"$folder/log" 2>&1) || { cat "$folder/log"; exit 1; }
echo "making a $SUITE"
mmdebstrap --quiet --variant=apt "$SUITE" "$folder/root" >"$folder/log" 2>&1 ||
    { cat "$folder/log"; exit 1; }
mkdir "$folder/root/packages"
cp "$folder"/debs/*.deb "$SCRIPT" "$folder/root/packages/"
[ $# -lt 3 ] || cp -r "$3" "$folder/root/project"

# inside COMMAND...: in the new system; what is mounted goes with the namespace.
inside() {
    # shellcheck disable=SC2016
    unshare --mount --pid --fork bash -euc '
        root=$1
        shift
        mount -t proc proc "$root/proc"
        mount --rbind /dev "$root/dev"
        mount --make-rslave "$root/dev"
        exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
            DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"
    ' inside "$folder/root" "$@"
}
cp /etc/resolv.conf "$folder/root/etc/resolv.conf"
inside bash -euo pipefail "/packages/${SCRIPT##*/}"

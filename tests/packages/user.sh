# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What a user does with the packages in /packages, on a new Debian. Run by root.sh.
cd /packages || exit

fail() { echo "user.sh: $*" >&2; exit 1; }

# as_user "LINES": in a shell of an ordinary user, in its own folder.
as_user() {
    su user -s /bin/bash -c "set -euo pipefail; cd /packages/user; $1" </dev/null
}

apt_get() {
    apt-get -qq -o Dpkg::Use-Pty=0 "$@" >log 2>&1 || { cat log; fail "apt-get $*"; }
}

apt_get update
echo "installing"
apt_get install -y ./twinrt_*.deb ./twinrt-model_*.deb
useradd --create-home --home-dir /packages/user user

echo "programs, man pages and completion are found"
as_user 'twinrt --version; twinrt-cc --version; twinrt info | grep 910B3 >/dev/null'
for file in bash-completion/completions/twinrt fish/vendor_completions.d/twinrt.fish \
    zsh/vendor-completions/_twinrt; do
    [ -s "$(readlink -f /usr/share/$file)" ] || fail "no completion: $file"
done
zcat /usr/share/man/man1/twinrt-run.1.gz | grep -q 'TWINRT-RUN' || fail "no man page"

echo "a program in C, its race, and its report"
cat >/packages/user/race.c <<'END'
#include <stdlib.h>
#include "acl/acl.h"
/* Two streams write one buffer; with an argument the second waits for the first. */
int main(int argc, char **argv)
{
    (void)argv;
    aclrtStream first, second;
    aclrtEvent event;
    void *memory;
    if (aclInit(NULL) || aclrtSetDevice(0) || aclrtCreateStream(&first) ||
        aclrtCreateStream(&second) || aclrtCreateEvent(&event) ||
        aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST))
        return 1;
    aclrtMemsetAsync(memory, 4096, 1, 4096, first);
    aclrtRecordEvent(event, first);
    if (argc > 1)
        aclrtStreamWaitEvent(second, event);
    aclrtMemsetAsync(memory, 4096, 2, 4096, second);
    int code = aclrtSynchronizeDevice();
    aclrtFree(memory);
    aclrtDestroyEvent(event);
    aclrtDestroyStream(first);
    aclrtDestroyStream(second);
    aclrtResetDevice(0);
    return code || aclFinalize();
}
END
# shellcheck disable=SC2016
as_user '
. /opt/twinrt/set_env.sh
gcc -g race.c -o race $(pkg-config --cflags --libs twinrt)
twinrt run --check -- ./race ordered
status=0
twinrt run --check --report=race.xml -- ./race 2>race.txt || status=$?
[ $status -eq 99 ]
grep -q "race.c:" race.txt
grep -q "<failure" race.xml'

echo "examples, kernels and Python"
# shellcheck disable=SC2016
as_user '
. /opt/twinrt/set_env.sh
cp -r /opt/twinrt/share/twinrt/examples .
gcc -Iexamples examples/vector_add/vector_add.c -o vector_add \
    $(pkg-config --cflags --libs twinrt) -lm
twinrt-cc -o vector_add_kernels.o examples/vector_add/kernels.c
twinrt run -- ./vector_add vector_add_kernels.o
gcc -Iexamples examples/stream_wait_event.c -o stream_wait_event \
    $(pkg-config --cflags --libs twinrt)
twinrt run --explain -- ./stream_wait_event >/dev/null'
apt_get install -y python3-minimal
as_user '. /opt/twinrt/set_env.sh; twinrt run -- python3 -c "import acl; assert acl.init() == 0; assert acl.rt.set_device(0) == 0; acl.finalize()"'
# what root's Python compiles goes with the package
bash -c '. /opt/twinrt/set_env.sh; python3 -c "import acl"'
[ -d /opt/twinrt/python/site-packages/acl/__pycache__ ] || fail "root compiled nothing"

echo "without the model"
apt_get remove -y twinrt-model
status=0
as_user '. /opt/twinrt/set_env.sh; twinrt run -- ./race' >log 2>&1 || status=$?
[ $status -ne 0 ] || fail "a program ran without a device"
grep -q 'twinrt-model' log || { cat log; fail "the message does not name the package"; }

echo "removing"
apt_get purge -y twinrt
rm -rf /packages/user
left=$(find / -xdev -name '*twinrt*' -not -path '/packages/*' -not -path '/var/cache/*' -not -path '/proc/*' -print; ls -A /opt 2>/dev/null || true)
[ -z "$left" ] || fail "left behind: $left"
echo "everything holds"

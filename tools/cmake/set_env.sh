# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Read this file into a shell to build and run programs against this copy of twinrt:
#   . /path/to/set_env.sh        (bash, zsh)
#   cd /path/to && . ./set_env.sh    (other shells, which do not know which file they read)

if [ -n "${BASH_VERSION:-}" ]; then
    # shellcheck disable=SC3028,SC3054
    twin_file=${BASH_SOURCE[0]}
elif [ -n "${ZSH_VERSION:-}" ]; then
    # zsh alone can read this expansion, so other shells must not see it
    eval 'twin_file=${(%):-%x}'
else
    twin_file=./set_env.sh
fi
twin_root=$(CDPATH='' cd -- "$(dirname -- "$twin_file")" && pwd)

# twin_prepend VARIABLE FOLDER: puts the folder first, once, without empty entries.
twin_prepend() {
    eval "twin_rest=:\${$1:-}:"
    while :; do
        # shellcheck disable=SC2154 # set by eval above
        case $twin_rest in
        *":$2:"*) twin_rest=${twin_rest%%":$2:"*}:${twin_rest#*":$2:"} ;;
        *) break ;;
        esac
    done
    twin_rest=${twin_rest#:}
    twin_rest=${twin_rest%:}
    eval "export $1=\"\$2\${twin_rest:+:\$twin_rest}\""
}

twin_found=no
if [ -e "$twin_root/lib64/libacl_rt.so" ]; then
    twin_found=yes
    # Whose place this takes is where the ascend backend looks for the vendor's library.
    twin_vendor=${ASCEND_HOME_PATH:-${ASCEND_TOOLKIT_HOME:-}}
    if [ -z "${TWINRT_ASCEND_HOME:-}" ] && [ -n "$twin_vendor" ] && [ ! -e "$twin_vendor/lib64/twinrt" ]; then
        export TWINRT_ASCEND_HOME="$twin_vendor"
    fi
    export ASCEND_HOME_PATH="$twin_root"
    export ASCEND_TOOLKIT_HOME="$twin_root"
    twin_prepend PATH "$twin_root/bin"
    # Beside a toolkit, the names that its own libraries need are left to it.
    if [ -n "${TWINRT_ASCEND_HOME:-}" ]; then
        twin_prepend LD_LIBRARY_PATH "$twin_root/lib64/with_toolkit"
    else
        twin_prepend LD_LIBRARY_PATH "$twin_root/lib64"
    fi
    twin_prepend CMAKE_PREFIX_PATH "$twin_root/lib64/cmake"
    twin_prepend PKG_CONFIG_PATH "$twin_root/lib64/pkgconfig"
    twin_prepend PYTHONPATH "$twin_root/python/site-packages"
    # A shell that a person types into completes the options of the tools.
    case ${BASH_VERSION:+$-} in
    *i*)
        # shellcheck source=/dev/null
        . "$twin_root/share/bash-completion/completions/twinrt"
        ;;
    esac
    case ${ZSH_VERSION:+$-} in
    *i*) eval 'fpath=("$twin_root/share/zsh/site-functions" $fpath); autoload -Uz _twinrt; (( ! $+functions[compdef] )) || compdef _twinrt twinrt twinrt-cc' ;;
    esac
else
    echo "set_env.sh: no lib64/libacl_rt.so in $twin_root; nothing was set" >&2
fi
unset -f twin_prepend
unset twin_file twin_root twin_rest twin_vendor
[ "$twin_found" = yes ]

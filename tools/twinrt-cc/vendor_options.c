/* SPDX-License-Identifier: Apache-2.0 */
#include "vendor_options.h"

#include <stddef.h>
#include <string.h>

#include "say.h"

/* An option that ends in '=' has any value. */
static const char *const without_effect[] = {
    "--cce-aicore-jump-expand=",
    "--cce-aicore-lang",
    "--cce-aicore-or-combine=",
    "--cce-auto-sync=off",
    "--cce-disable-asc-reserved-ubuf",
    "--cce-disable-kernel-global-attr-check",
    "--cce-disable-vf-stack-reserved-ubuf",
    "--cce-enable-print",
    "--cce-enable-sanitizer",
    "--cce-fatobj-link",
    "--cce-ignore-always-inline=",
    "--cce-long-call=",
    "--cce-mask-opt",
    "--cce-no-dcache-flush",
    "--cce-pto-enable",
    "--cce-res-usage",
    "--run-mode=npu",
    "--run-mode=sim",
    "--sanitizer",
    "--npu-arch=dav-2201",
};

static const struct {
    const char *name; /* how it begins */
    const char *why;
} refused[] = {
    {"--cce-auto-sync", "no flags or barriers are added to a kernel: write those that it needs"},
    {"--cce-pto-auto-enable", "buffers are not placed and flags not added: use the manual mode"},
    {"--enable-simt", "kernels of threads run on the 950 alone, and only the 910B is built for"},
    {"--npu-arch", "only --npu-arch=dav-2201 is supported"},
    {"--npu-soc", "only Ascend910B and Ascend910_93 are supported"},
    {"--run-mode", "only npu and sim are supported"},
    {"--cce-aicore-arch", "only dav-c220, dav-c220-vec and dav-c220-cube are supported"},
    {"--cce-", "this option of the vendor's compiler is not known"},
};

static bool begins(const char *word, const char *start)
{
    return strncmp(word, start, strlen(start)) == 0;
}

static bool has_no_effect(const char *word)
{
    for (size_t i = 0; i < sizeof(without_effect) / sizeof(without_effect[0]); i++) {
        const char *option = without_effect[i];
        const bool open = option[strlen(option) - 1] == '=';
        if (open ? begins(word, option) : strcmp(word, option) == 0)
            return true;
    }
    return begins(word, "--npu-soc=Ascend910B") || begins(word, "--npu-soc=Ascend910_93");
}

static bool sets_passes(const char *word, enum cc_passes *passes)
{
    static const char *const names[] = {[CC_PASSES_BOTH] = "--cce-aicore-arch=dav-c220",
                                        [CC_PASSES_VECTOR] = "--cce-aicore-arch=dav-c220-vec",
                                        [CC_PASSES_CUBE] = "--cce-aicore-arch=dav-c220-cube"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(word, names[i]) == 0) {
            *passes = (enum cc_passes)i;
            return true;
        }
    return false;
}

enum cc_vendor_option cc_vendor_option(const char *word, const char *next, enum cc_passes *passes,
                                       int *words)
{
    *words = 1;
    if (has_no_effect(word) || sets_passes(word, passes))
        return CC_VENDOR_TAKEN;
    if (strcmp(word, "-mllvm") == 0 && next && begins(next, "-cce-")) {
        *words = 2;
        return CC_VENDOR_TAKEN;
    }
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
        if (begins(word, refused[i].name)) {
            (void)cc_error("%s: %s", word, refused[i].why);
            return CC_VENDOR_REFUSED;
        }
    return CC_VENDOR_NONE;
}

bool cc_side_option(const char *word, enum cc_side *side)
{
    static const struct {
        const char *word;
        enum cc_side side;
    } options[] = {{"-Xaicore-start", CC_SIDE_DEVICE},
                   {"-Xaicore-end", CC_SIDE_BOTH},
                   {"-Xhost-start", CC_SIDE_HOST},
                   {"-Xhost-end", CC_SIDE_BOTH}};
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
        if (strcmp(word, options[i].word) == 0) {
            *side = options[i].side;
            return true;
        }
    return false;
}

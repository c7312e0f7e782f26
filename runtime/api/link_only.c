/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the public headers that only the library for the IPV350 has; the vendor's library for hosts does not. Programs
 * link with their names here and ask for them at run time: dlsym finds nothing and a weak reference is NULL, as on a host of the
 * vendor's. docs/decisions/0031-functions-by-part.md.
 *
 * Each name is at the beginning of a section that is not loaded, so its value is 0 (docs/decisions/0001-library-names.md). */
#define TWIN_LINK_ONLY(name)                                                                       \
    __asm__(".pushsection .names,\"\",%progbits\n"                                                 \
            ".globl " #name "\n.type " #name ", %function\n.size " #name ", 0\n" #name ":\n"       \
            ".popsection\n");

TWIN_LINK_ONLY(aclrtCreateStreamConfigHandle)
TWIN_LINK_ONLY(aclrtCreateStreamV2)
TWIN_LINK_ONLY(aclrtDestroyStreamConfigHandle)
TWIN_LINK_ONLY(aclrtProcessHostFunc)
TWIN_LINK_ONLY(aclrtSetStreamConfigOpt)
TWIN_LINK_ONLY(aclrtSubscribeHostFunc)
TWIN_LINK_ONLY(aclrtUnSubscribeHostFunc)

/* SPDX-License-Identifier: Apache-2.0 */
/* The only source with a path of the build in its command: a compiler cache has the others for
 * every clone. */
#include "profile_path.h"

const char *shipped_profile_path(void)
{
    return TWIN_PROFILE;
}

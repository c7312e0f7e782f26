/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TWINRT_API_LAUNCH_CONFIG_H
#define TWINRT_API_LAUNCH_CONFIG_H

#include "acl/acl_rt.h"
#include "core/work/launch.h"

/* What the attributes of a launch ask for; NULL: nothing. 107000. */
int32_t twin_api_launch_config(const aclrtLaunchKernelCfg *cfg, twin_launch_config *out);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* C++ overloads of the runtime functions. */
#ifndef INC_EXTERNAL_ACL_ACL_RT_API_H_
#define INC_EXTERNAL_ACL_ACL_RT_API_H_

#include "acl_rt.h"

#endif /* INC_EXTERNAL_ACL_ACL_RT_API_H_ */

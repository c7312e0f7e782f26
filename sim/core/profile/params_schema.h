// SPDX-License-Identifier: Apache-2.0
/// The schema of a profile: every parameter once, with its unit, its legal range and where the
/// model keeps it.
#ifndef TWINSIM_CORE_PROFILE_PARAMS_SCHEMA_H
#define TWINSIM_CORE_PROFILE_PARAMS_SCHEMA_H

#include <cstddef>

#include "core/profile/params.h"

namespace tsim
{

enum class ParamKind { kNumber, kText };

struct ParamSpec {
    const char *name; ///< dotted path
    ParamKind kind;
    const char *unit;
    uint64_t least, most;
    Setting Params::*field; ///< nullptr: the model itself does not use it, its driver does
    bool varies = false;    ///< a time that a seed may change (T-TIM-10)
};

/// Sorted by name.
extern const ParamSpec kParamSchema[];
extern const size_t kParamCount;

} // namespace tsim

#endif

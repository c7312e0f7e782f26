/* SPDX-License-Identifier: Apache-2.0 */
/* The model: everything that the suites ask for. */
#include "expect.h"

#include <stddef.h>

static const twin_exception unsupported[] = {{NULL, NULL, NULL}};

static const twin_exception known_failing[] = {{NULL, NULL, NULL}};

TWIN_EXCEPTIONS(sim);

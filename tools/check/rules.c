/* SPDX-License-Identifier: Apache-2.0 */
#include "check/rules.h"

const struct check_rule_text check_rule_texts[CHECK_RULE_COUNT] = {
#define CHECK_RULE_TEXT(name, number, of, holds, breach, needs, fix)                               \
    {number, CHECK_##of, holds, breach, needs, fix},
    CHECK_RULES(CHECK_RULE_TEXT)
#undef CHECK_RULE_TEXT
};

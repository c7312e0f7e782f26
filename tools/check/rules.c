/* SPDX-License-Identifier: Apache-2.0 */
#include "check/rules.h"

#include "check/op.h"

const struct check_rule_text check_rule_texts[CHECK_RULE_COUNT] = {
#define CHECK_RULE_TEXT(name, number, of, holds, breach, needs, fix)                               \
    {number, CHECK_##of, holds, breach, needs, fix},
    CHECK_RULES(CHECK_RULE_TEXT)
#undef CHECK_RULE_TEXT
};

const char *check_kind_word(uint32_t kind)
{
    static const char *const words[CHECK_KIND_COUNT] = {
#define CHECK_KIND_WORD(name, word) word,
        CHECK_KINDS(CHECK_KIND_WORD)
#undef CHECK_KIND_WORD
    };
    return kind < CHECK_KIND_COUNT ? words[kind] : "unknown";
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of kinds and fields, and the words for what fields may hold. */
#include "recording/reader.h"

#include <string.h>

#include "seam/types.h"

#define FIELD(S, type, member, meaning)                                                            \
    {#member, (uint16_t)offsetof(struct twin_record_##S, member), (uint8_t)sizeof(type),           \
     (uint8_t)TWIN_RECORD_ROLE_##meaning},
#define FIELD_TABLE(number, NAME, text, fields, tail)                                              \
    static const struct twin_recording_field fields_of_##NAME[] = {fields(FIELD, NAME)};
TWIN_RECORD_KIND_LIST(FIELD_TABLE)

#define KIND_ROW(id, NAME, text, list, end)                                                        \
    [id] = {.number = (id),                                                                        \
            .bytes = (uint16_t)sizeof(struct twin_record_##NAME),                                  \
            .field_count = (uint16_t)(sizeof(fields_of_##NAME) / sizeof(fields_of_##NAME[0])),     \
            .tail = (uint8_t)TWIN_RECORD_TAIL_##end,                                               \
            .name = (text),                                                                        \
            .fields = fields_of_##NAME},
static const struct twin_recording_kind kinds[TWIN_RECORD_KINDS_END] = {
    TWIN_RECORD_KIND_LIST(KIND_ROW)};

const struct twin_recording_kind *twin_recording_kind(unsigned number)
{
    return number < TWIN_RECORD_KINDS_END && kinds[number].name ? &kinds[number] : NULL;
}

uint64_t twin_recording_value(const struct twin_record_entry *entry,
                              const struct twin_recording_field *field)
{
    if ((unsigned)field->offset + field->bytes > entry->fixed_bytes)
        return 0;
    const char *at = (const char *)(entry + 1) + field->offset;
    if (field->bytes == sizeof(uint64_t)) {
        uint64_t value;
        memcpy(&value, at, sizeof(value));
        return value;
    }
    uint32_t value;
    memcpy(&value, at, sizeof(value));
    return field->role == TWIN_RECORD_ROLE_CODE ? (uint64_t)(int64_t)(int32_t)value : value;
}

static const char *const role_names[] = {
#define ROLE_NAME(name) [TWIN_RECORD_ROLE_##name] = #name,
    TWIN_RECORD_ROLE_LIST(ROLE_NAME)
#undef ROLE_NAME
};

const char *twin_recording_role_name(enum twin_record_role role)
{
    return (unsigned)role < TWIN_RECORD_ROLES ? role_names[role] : "?";
}

/* ---- words ---------------------------------------------------------------------------------- */

#define WORDS(role, ...)                                                                           \
    [TWIN_RECORD_ROLE_##role] = {(const char *const[]){__VA_ARGS__},                               \
                                 sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)}
#define FAULT_WORD(name, word)      [TWIN_FAULT_##name] = (word),
#define FAULT_TASK_WORD(name, word) [TWIN_FAULT_TASK_##name] = (word),
#define ND_WORD(name, word)         [TWIN_ND_##name] = (word),
static const struct {
    const char *const *words;
    size_t count;
} words[TWIN_RECORD_ROLES] = {
    WORDS(COST, [TWIN_COST_LOCAL] = "local", [TWIN_COST_CREATE] = "create",
          [TWIN_COST_SUBMIT] = "submit", [TWIN_COST_POLL] = "poll", [TWIN_COST_WAIT] = "wait",
          [TWIN_COST_COPY] = "copy", [TWIN_COST_MEMORY] = "memory", [TWIN_COST_DEVICE] = "device",
          [TWIN_COST_LAUNCH] = "launch", [TWIN_COST_TRANSFER] = "transfer"),
    WORDS(PAGES, [TWIN_PAGES_DEFAULT] = "default", [TWIN_PAGES_HUGE_ONLY] = "huge",
          [TWIN_PAGES_NORMAL_ONLY] = "normal", [TWIN_PAGES_HUGE_1G] = "1g"),
    WORDS(LINK, [TWIN_LINK_NONE] = "none", [TWIN_LINK_HCCS] = "hccs", [TWIN_LINK_PIX] = "pix",
          [TWIN_LINK_PHB] = "phb", [TWIN_LINK_SYS] = "sys", [TWIN_LINK_SIO] = "sio",
          [TWIN_LINK_HCCS_SWITCH] = "hccs_switch"),
    WORDS(KIND, [TWIN_SIGNAL_EVENT_REBIND] = "rebind", [TWIN_SIGNAL_EVENT_LEVEL] = "level",
          [TWIN_SIGNAL_NOTIFY] = "notify", [TWIN_SIGNAL_COUNT] = "count"),
    WORDS(REDUCE, [TWIN_REDUCE_ADD] = "add", [TWIN_REDUCE_MAX] = "max", [TWIN_REDUCE_MIN] = "min"),
    WORDS(RANGE, [TWIN_RANGE_COPY] = "copy", [TWIN_RANGE_PREFETCH] = "prefetch",
          [TWIN_RANGE_WRITEBACK] = "writeback", [TWIN_RANGE_INVALIDATE] = "invalidate",
          [TWIN_RANGE_FLUSH] = "flush"),
    WORDS(ELEMENT, [TWIN_ELEMENT_INT8] = "int8", [TWIN_ELEMENT_INT16] = "int16",
          [TWIN_ELEMENT_INT32] = "int32", [TWIN_ELEMENT_UINT8] = "uint8",
          [TWIN_ELEMENT_UINT16] = "uint16", [TWIN_ELEMENT_UINT32] = "uint32",
          [TWIN_ELEMENT_FP16] = "fp16", [TWIN_ELEMENT_FP32] = "fp32", [TWIN_ELEMENT_BF16] = "bf16"),
    WORDS(RELATION, [TWIN_VALUE_GEQ] = "geq", [TWIN_VALUE_EQ] = "eq", [TWIN_VALUE_AND] = "and",
          [TWIN_VALUE_NOR] = "nor"),
    WORDS(CHANGE, [TWIN_COUNT_SET] = "set", [TWIN_COUNT_ADD] = "add", [TWIN_COUNT_OR] = "or",
          [TWIN_COUNT_AND] = "and"),
    WORDS(COUNT, [TWIN_COUNT_LESS] = "less", [TWIN_COUNT_EQUAL] = "equal",
          [TWIN_COUNT_GREATER] = "greater", [TWIN_COUNT_GREATER_OR_EQUAL] = "greater_or_equal",
          [TWIN_COUNT_MASK] = "mask"),
    WORDS(CONDITION, [TWIN_IF_EQUAL] = "equal", [TWIN_IF_NOT_EQUAL] = "not_equal",
          [TWIN_IF_GREATER] = "greater", [TWIN_IF_GREATER_OR_EQUAL] = "greater_or_equal",
          [TWIN_IF_LESS] = "less", [TWIN_IF_LESS_OR_EQUAL] = "less_or_equal"),
    WORDS(CORES, [TWIN_CORES_CUBE] = "cube", [TWIN_CORES_VECTOR] = "vector",
          [TWIN_CORES_MIXED] = "mixed"),
    WORDS(FAULT, TWIN_FAULT_LIST(FAULT_WORD)),
    WORDS(FAULT_TASK, TWIN_FAULT_TASK_LIST(FAULT_TASK_WORD)),
    WORDS(ND, TWIN_ND_LIST(ND_WORD)),
};

const char *twin_recording_word(enum twin_record_role role, uint64_t value)
{
    if ((unsigned)role >= TWIN_RECORD_ROLES || value >= words[role].count)
        return NULL;
    return words[role].words[value];
}

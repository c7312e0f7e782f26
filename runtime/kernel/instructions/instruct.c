/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions by their numbers: the form that a kernel uses, and its decoder. */
#include <stdio.h>
#include <string.h>

#include "kernel/access.h"
#include "kernel/instructions/decoders.h"
#include "twinrt/kernel.h"
#include "twinrt/kernel_instructions.h"

typedef struct form {
    uint8_t count; /* of arguments */
    bool built;
    uint8_t types[4];
} form;

typedef struct instruction {
    const char *name;
    uint32_t first, forms;
} instruction;

static const form forms[] = {
#define TWIN_FORM(count, built, a, b, c, d) {count, built, {a, b, c, d}},
#include "instructions.inc"
#undef TWIN_FORM
};

static const instruction instructions[TWK_INSTRUCTIONS] = {
#define TWIN_INSTRUCTION(number, name, first, forms) [number] = {#name, first, forms},
#include "instructions.inc"
#undef TWIN_INSTRUCTION
};

static uint64_t (*const decoders[TWK_INSTRUCTIONS])(native_core *core,
                                                    const twk_instruction *instruction) = {
#define TWIN_DECODER(number, name) [number] = twin_instruction_##name,
#include "instructions.inc"
#undef TWIN_DECODER
};

const char *twin_native_instruction_name(uint32_t number)
{
    return number < TWK_INSTRUCTIONS ? instructions[number].name : NULL;
}

static const form *find(const instruction *of, const twk_instruction *record)
{
    for (uint32_t i = 0; i < of->forms; i++) {
        const form *candidate = &forms[of->first + i];
        if (candidate->count == record->count &&
            memcmp(candidate->types, record->types, sizeof(record->types)) == 0)
            return candidate;
    }
    return NULL;
}

/* ", FP16, FP32" and the like; "" for none. */
static void write_types(const twk_instruction *record, char *text, size_t room)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof(record->types) && used < room; i++) {
        const uint8_t type = record->types[i];
        const char *name = type == TWK_INT64    ? "INT64"
                           : type == TWK_UINT64 ? "UINT64"
                                                : twin_native_type_name(type);
        if (type != TWK_NO_TYPE)
            used += (size_t)snprintf(text + used, room - used, ", %s", name);
    }
}

static void NATIVE_COLD refuse_form(native_core *core, const twk_instruction *record,
                                    const char *name, bool known)
{
    char types[64];
    write_types(record, types, sizeof(types));
    if (known)
        twin_native_fail(core, TWIN_NATIVE_OPERATION, NULL, "instruction %s is not supported%s%s",
                         name, decoders[record->number] ? " in this form" : "",
                         decoders[record->number] ? types : "");
    twin_native_fail(core, TWIN_NATIVE_OPERATION, NULL,
                     "instruction %s has no form with %u arguments%s; compile the kernel with the "
                     "twinrt-cc of this runtime",
                     name, record->count, types);
}

uint64_t twin_native_instruct(const twk_instruction *record)
{
    const uint32_t number = record->number;
    native_core *core = native_caller((native_op)(NATIVE_OP_INSTRUCTION + number));
    if (__builtin_expect(number >= TWK_INSTRUCTIONS || !instructions[number].name, 0))
        twin_native_fail(core, TWIN_NATIVE_OPERATION, NULL,
                         "instruction %u is not known; it is 1 to %u; use a runtime as new as the "
                         "twinrt-cc that compiled the kernel",
                         number, TWK_INSTRUCTIONS - 1);
    const instruction *known = &instructions[number];
    const form *used = find(known, record);
    if (__builtin_expect(!used || !used->built, 0))
        refuse_form(core, record, known->name, used != NULL);
    return decoders[number](core, record);
}

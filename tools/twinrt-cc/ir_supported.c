/* SPDX-License-Identifier: Apache-2.0 */
#include "ir_supported.h"

#include <stdlib.h>
#include <string.h>

#include "ir_pointer.h"
#include "say.h"

/* The next line of the function that calls `name`, from *place on. */
static bool next_call(const struct ir_entity *function, struct ir_text name, size_t *place,
                      struct ir_text *out_line)
{
    char call[160];
    snprintf(call, sizeof(call), "@%.*s(", (int)name.length, name.at);
    /* A name in quotes is not seen by ir_place from before it. */
    while (ir_next_line(function->text, place, out_line))
        if (memmem(out_line->at, out_line->length, call, strlen(call)))
            return true;
    return false;
}

void ir_place_of_call(struct ir_module *module, const struct ir_kernel *kernel,
                      const char *function, char *out, size_t room)
{
    out[0] = '\0';
    ir_forget(module);
    ir_reach(module, kernel->function);
    for (size_t i = 0; i < module->count && out[0] == '\0'; i++) {
        const struct ir_entity *entity = &module->entities[i];
        struct ir_text line;
        size_t place = 0;
        if (entity->kind == IR_FUNCTION && entity->reached &&
            next_call(entity, ir_word(function), &place, &line))
            ir_location(module, line, out, room);
    }
    if (out[0])
        out[strlen(out) - strlen(": ")] = '\0';
}

#define MISSING "\"twk_missing:"

/* Returns whether the function has calls of it. */
static bool report_missing(const struct ir_module *module, const struct ir_entity *function,
                           struct ir_text name)
{
    struct ir_text line;
    size_t place = 0;
    bool found = false;
    while (next_call(function, name, &place, &line)) {
        char where[512];
        ir_location(module, line, where, sizeof(where));
        (void)cc_error("%sinstruction %.*s is not supported", where,
                       (int)(name.length - strlen(MISSING) - 1), name.at + strlen(MISSING));
        found = true;
    }
    return found;
}

/* Whether the host can run the line's inline assembly, if it has any. */
static bool runs_on_host(struct ir_text line)
{
    const size_t word = ir_place(line, " asm ");
    const struct ir_text rest = {line.at + word, line.length - word};
    const size_t quote = ir_place(rest, "\"");
    if (word == line.length || ir_place(line, "call ") > word || quote == rest.length)
        return true;
    const struct ir_text text = {rest.at + quote, rest.length - quote};
    return ir_begins(text, "\"\"") || ir_begins(text, "\"nop\"");
}

/* Assembly of the device. Returns 0, or -1 with a message. */
static int check_assembly(const struct ir_module *module, const struct ir_entity *function)
{
    struct ir_text line;
    size_t place = 0;
    int result = 0;
    while (ir_next_line(function->text, &place, &line))
        if (!runs_on_host(line)) {
            char where[512];
            ir_location(module, line, where, sizeof(where));
            result = cc_error("%sinline assembly is not supported, but for \"trap\", \"nop\" and "
                              "reading SYS_CNT; call the instruction",
                              where);
        }
    return result;
}

/* The buffer of a core that the variable is declared in; 0: it is in memory. */
static unsigned long buffer_of(const struct ir_entity *variable)
{
    static const char word[] = " addrspace(";
    const struct ir_text text = ir_until(variable->text, 0, "\n");
    const size_t place = ir_place(text, word);
    const size_t end = place < ir_place(text, " global ") ? place : ir_place(text, " constant ");
    if (place >= text.length || end < place)
        return 0;
    const unsigned long space = strtoul(text.at + place + strlen(word), NULL, 10);
    return space > IR_SPACE_FIRST && space <= IR_SPACE_LAST ? space : 0;
}

static int refuse_variable(const struct ir_module *module, const struct ir_kernel *kernel,
                           const struct ir_entity *variable, const char *what)
{
    const struct ir_text name = ir_variable_name(module, variable);
    return cc_error("kernel %.*s: variable %.*s %s", (int)kernel->source_name.length,
                    kernel->source_name.at, (int)name.length, name.at, what);
}

/* Of the variables that the kernel reaches: none is in a buffer, and none begins with what a
 * function computes, as no constructors run on the device. */
static int check_variables(struct ir_module *module, const struct ir_kernel *kernel)
{
    struct ir_entity *constructors = ir_find(module, ir_word("llvm.global_ctors"));
    bool *used = calloc(module->count + 1, sizeof(bool));
    int result = 0;
    if (!used)
        cc_no_memory();
    ir_forget(module);
    ir_reach(module, kernel->function);
    for (size_t i = 0; i < module->count; i++) {
        const struct ir_entity *entity = &module->entities[i];
        used[i] = entity->reached && entity->kind == IR_VARIABLE;
        if (used[i] && buffer_of(entity))
            result = refuse_variable(module, kernel, entity,
                                     "is in a buffer of the core; give an address there to a "
                                     "pointer instead");
    }
    ir_forget(module);
    kernel->function->reached = true; /* constructors may launch it */
    if (constructors)
        ir_reach(module, constructors);
    for (size_t i = 0; i < module->count; i++) {
        const struct ir_entity *entity = &module->entities[i];
        if (used[i] && entity->reached &&
            ir_place(entity->text, " constant ") == entity->text.length)
            result = refuse_variable(module, kernel, entity,
                                     "begins with what a function computes, which does not run on "
                                     "the device; make it constexpr, or pass it");
    }
    free(used);
    return result;
}

int ir_check_supported(struct ir_module *module, struct ir_kernel *kernel)
{
    int result = 0;
    ir_forget(module);
    ir_reach(module, kernel->function);
    for (size_t i = 0; i < module->count; i++)
        if (module->entities[i].kind == IR_FUNCTION && module->entities[i].reached &&
            check_assembly(module, &module->entities[i]) != 0)
            result = -1;
    for (size_t i = 0; i < module->count; i++) {
        const struct ir_entity *missing = &module->entities[i];
        if (missing->kind != IR_DECLARATION || !missing->reached ||
            !ir_begins(missing->name, MISSING))
            continue;
        bool found = false;
        for (size_t k = 0; k < module->count; k++)
            if (module->entities[k].kind == IR_FUNCTION && module->entities[k].reached)
                found = report_missing(module, &module->entities[k], missing->name) || found;
        result = found ? -1
                       : cc_error("kernel %.*s: instruction %.*s, whose address it takes, is not "
                                  "supported",
                                  (int)kernel->source_name.length, kernel->source_name.at,
                                  (int)(missing->name.length - strlen(MISSING) - 1),
                                  missing->name.at + strlen(MISSING));
    }
    return check_variables(module, kernel) == 0 ? result : -1;
}

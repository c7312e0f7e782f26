/* SPDX-License-Identifier: Apache-2.0 */
#include "ir_debug.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "say.h"

#define DEPTH_MOST 64 /* of types in types, and of functions in functions */

/* The value of `name: value` in a node; empty: it has none. */
static struct ir_text field(struct ir_text node, const char *name)
{
    char word[40];
    snprintf(word, sizeof(word), "%s: ", name);
    for (size_t from = 0; from < node.length;) {
        const size_t place = from + ir_place(ir_after(node, from), word);
        if (place >= node.length)
            break;
        const char before = place > 0 ? node.at[place - 1] : ' ';
        if (before == '(' || before == ' ')
            return ir_trim(ir_until(node, place + strlen(word), ",)\n"));
        from = place + 1;
    }
    return (struct ir_text){"", 0};
}

/* The node that `!12` names; empty: none. */
static struct ir_text node_of(const struct ir_module *module, struct ir_text reference)
{
    const struct ir_text none = {"", 0};
    if (reference.length < 2 || reference.at[0] != '!' || !isdigit((unsigned char)reference.at[1]))
        return none;
    const size_t number = strtoul(reference.at + 1, NULL, 10);
    if (number >= module->metadata_count || !module->metadata[number].at)
        return none;
    return module->metadata[number];
}

static struct ir_text node_at(const struct ir_module *module, struct ir_text node, const char *name)
{
    return node_of(module, field(node, name));
}

static uint64_t number_of(struct ir_text node, const char *name)
{
    const struct ir_text value = field(node, name);
    return value.length > 0 ? strtoull(value.at, NULL, 10) : 0;
}

static struct ir_text without_quotes(struct ir_text text)
{
    if (text.length >= 2 && text.at[0] == '"')
        return (struct ir_text){text.at + 1, text.length - 2};
    return text;
}

/* ---- parameters ------------------------------------------------------------------------------ */

/* The elements of `!{!1, null, !2}`, one after the other: false at the end. */
static bool next_element(struct ir_text list, size_t *place, struct ir_text *out)
{
    if (*place == 0)
        *place = ir_place(list, "!{") + 2;
    if (*place >= list.length || list.at[*place] == '}' || list.at[*place] == '\n')
        return false;
    const struct ir_text element = ir_until(list, *place, ",}");
    *place += element.length + (list.at[*place + element.length] == ',' ? 1 : 0);
    *out = ir_trim(element);
    return true;
}

static struct ir_parameter describe(const struct ir_module *module, struct ir_text type, int depth);

/* Alignment and emptiness of a structure, from its members. */
static void look_inside(const struct ir_module *module, struct ir_text type, int depth,
                        struct ir_parameter *structure)
{
    const struct ir_text list = node_at(module, type, "elements");
    struct ir_text element;
    size_t place = 0;
    structure->empty = true;
    structure->align = 1;
    while (list.length > 0 && next_element(list, &place, &element)) {
        const struct ir_text member = node_of(module, element);
        const struct ir_text tag = field(member, "tag");
        const struct ir_text flags = field(member, "flags");
        if (!(ir_is(tag, "DW_TAG_member") || ir_is(tag, "DW_TAG_inheritance")) ||
            ir_place(flags, "DIFlagStaticMember") < flags.length)
            continue;
        const struct ir_parameter part =
            describe(module, node_at(module, member, "baseType"), depth + 1);
        structure->empty = structure->empty && part.structure && part.empty;
        if (part.align > structure->align)
            structure->align = part.align;
    }
}

static struct ir_parameter describe(const struct ir_module *module, struct ir_text type, int depth)
{
    struct ir_parameter result = {.bytes = number_of(type, "size") / 8};
    const struct ir_text tag = field(type, "tag");
    const uint64_t given = number_of(type, "align") / 8;
    result.align = result.bytes > 0 && result.bytes <= 16 ? result.bytes : 8;
    if (depth > DEPTH_MOST)
        return result;
    if (ir_is(tag, "DW_TAG_structure_type") || ir_is(tag, "DW_TAG_class_type") ||
        ir_is(tag, "DW_TAG_union_type")) {
        result.structure = true;
        const struct ir_text flags = field(type, "flags");
        look_inside(module, type, depth, &result);
        result.reference = ir_place(flags, "DIFlagTypePassByReference") < flags.length;
    } else if (ir_is(tag, "DW_TAG_reference_type") || ir_is(tag, "DW_TAG_rvalue_reference_type")) {
        result.reference = true;
    } else if (ir_is(tag, "DW_TAG_array_type")) {
        result.align = describe(module, node_at(module, type, "baseType"), depth + 1).align;
    } else if (ir_is(tag, "DW_TAG_typedef") || ir_is(tag, "DW_TAG_const_type") ||
               ir_is(tag, "DW_TAG_volatile_type") || ir_is(tag, "DW_TAG_restrict_type") ||
               ir_is(tag, "DW_TAG_atomic_type") || ir_is(tag, "DW_TAG_template_alias")) {
        result = describe(module, node_at(module, type, "baseType"), depth + 1);
    }
    if (given > result.align)
        result.align = given;
    return result;
}

static struct ir_text first_line(const struct ir_entity *function)
{
    struct ir_text line = {"", 0};
    size_t place = 0;
    (void)ir_next_line(function->text, &place, &line);
    return line;
}

/* Of a `define` line. */
static struct ir_text subprogram_of(const struct ir_module *module,
                                    const struct ir_entity *function)
{
    const struct ir_text line = first_line(function);
    const size_t place = ir_place(line, "!dbg ");
    return place < line.length ? node_of(module, ir_after(line, place + strlen("!dbg ")))
                               : (struct ir_text){"", 0};
}

int ir_signature_of(const struct ir_module *module, const struct ir_entity *function,
                    struct ir_signature *out_signature)
{
    const struct ir_text program = subprogram_of(module, function);
    const struct ir_text types = node_at(module, node_at(module, program, "type"), "types");
    struct ir_text element;
    size_t place = 0;
    bool first = true; /* the result */
    *out_signature = (struct ir_signature){.count = 0};
    if (types.length == 0)
        return cc_error("kernel %.*s has no debug information", (int)function->name.length,
                        function->name.at);
    while (next_element(types, &place, &element)) {
        if (first) {
            first = false;
            continue;
        }
        if (out_signature->count == IR_PARAMETERS_MOST)
            return cc_error("kernel %.*s has more than %u parameters", (int)function->name.length,
                            function->name.at, IR_PARAMETERS_MOST);
        const struct ir_parameter parameter = describe(module, node_of(module, element), 0);
        if (parameter.bytes == 0)
            return cc_error("kernel %.*s: the size of parameter %zu is not known",
                            (int)function->name.length, function->name.at,
                            out_signature->count + 1);
        out_signature->parameters[out_signature->count++] = parameter;
    }
    return 0;
}

/* ---- places ---------------------------------------------------------------------------------- */

/* The node of the scope that has the name of a file. */
static struct ir_text file_of(const struct ir_module *module, struct ir_text scope)
{
    for (int depth = 0; depth < DEPTH_MOST && scope.length > 0; depth++) {
        const struct ir_text file = node_at(module, scope, "file");
        if (file.length > 0)
            return file;
        scope = node_at(module, scope, "scope");
    }
    return (struct ir_text){"", 0};
}

/* The folder and the name that a node of a file has; no folder before an absolute name. */
static void path_of(struct ir_text file, struct ir_text *out_folder, struct ir_text *out_name)
{
    *out_name = without_quotes(field(file, "filename"));
    *out_folder = without_quotes(field(file, "directory"));
    if (out_name->length > 0 && out_name->at[0] == '/')
        out_folder->length = 0;
}

/* Both in one. */
static void join(struct ir_text file, char *out, size_t room)
{
    struct ir_text folder, name;
    path_of(file, &folder, &name);
    snprintf(out, room, "%.*s%s%.*s", (int)folder.length, folder.at, folder.length > 0 ? "/" : "",
             (int)name.length, name.at);
}

/* The file that was compiled. */
static struct ir_text source_of(const struct ir_module *module)
{
    for (size_t i = 0; i < module->metadata_count; i++) {
        const struct ir_text node = module->metadata[i];
        if (node.at && ir_place(node, " !DICompileUnit(") < ir_place(node, "("))
            return node_at(module, node, "file");
    }
    return (struct ir_text){"", 0};
}

/* The place that is reported of one and those that it was inlined at. */
static struct ir_text place_in_source(const struct ir_module *module, struct ir_text location)
{
    char source[4096], path[4096];
    join(source_of(module), source, sizeof(source));
    for (int depth = 0; depth < DEPTH_MOST; depth++) {
        join(file_of(module, node_at(module, location, "scope")), path, sizeof(path));
        const struct ir_text outer = node_at(module, location, "inlinedAt");
        if (outer.length == 0 || strcmp(path, source) == 0)
            break;
        location = outer;
    }
    return location;
}

void ir_location(const struct ir_module *module, struct ir_text instruction, char *out, size_t room)
{
    const size_t place = ir_place(instruction, "!dbg ");
    out[0] = '\0';
    if (place >= instruction.length)
        return;
    const struct ir_text location =
        place_in_source(module, node_of(module, ir_after(instruction, place + strlen("!dbg "))));
    struct ir_text folder, name;
    char here[4096];
    path_of(file_of(module, node_at(module, location, "scope")), &folder, &name);
    const bool from_here =
        folder.length == 0 || (getcwd(here, sizeof(here)) && ir_is(folder, here));
    if (name.length > 0)
        snprintf(out, room, "%.*s%s%.*s:%llu: ", from_here ? 0 : (int)folder.length, folder.at,
                 from_here ? "" : "/", (int)name.length, name.at,
                 (unsigned long long)number_of(location, "line"));
}

struct ir_text ir_source_name(const struct ir_module *module, const struct ir_entity *function)
{
    const struct ir_text name = without_quotes(field(subprogram_of(module, function), "name"));
    return name.length > 0 ? name : function->name;
}

struct ir_text ir_variable_name(const struct ir_module *module, const struct ir_entity *variable)
{
    const size_t place = ir_place(variable->text, "!dbg ");
    const struct ir_text expression =
        place < variable->text.length
            ? node_of(module, ir_after(variable->text, place + strlen("!dbg ")))
            : (struct ir_text){"", 0};
    const struct ir_text name = without_quotes(field(node_at(module, expression, "var"), "name"));
    return name.length > 0 ? name : variable->name;
}

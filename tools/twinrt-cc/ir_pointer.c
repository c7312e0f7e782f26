/* SPDX-License-Identifier: Apache-2.0 */
#include "ir_pointer.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "ir_debug.h"
#include "say.h"

/* A function whose lines are being written. */
struct body {
    const struct ir_module *module;
    const struct ir_locals *locals;
    FILE *lines; /* rewritten */
    FILE *entry; /* what its first block begins with */
    unsigned count;
    bool on_core; /* it uses variables of the core */
    int result;
};

/* A pointer, as an operand. */
struct pointer {
    unsigned space;
    unsigned align; /* of an argument; 0: not given */
    struct ir_text value;
};

static int failed(struct body *body, struct ir_text line, const char *what)
{
    char place[512];
    ir_location(body->module, line, place, sizeof(place));
    body->result = cc_error("%s%s", place, what);
    return body->result;
}

/* ---- pieces of instructions ------------------------------------------------------------------ */

static bool in_device(unsigned space)
{
    return space == IR_SPACE_GM || (space > IR_SPACE_FIRST && space <= IR_SPACE_LAST);
}

static unsigned space_number(unsigned space)
{
    return space == IR_SPACE_GM ? 0 : space - IR_SPACE_FIRST;
}

/* How long the type at the beginning of the text is. */
static size_t type_length(struct ir_text text)
{
    if (ir_begins(text, "ptr addrspace("))
        return ir_closing(text, strlen("ptr addrspace")) + 1;
    return ir_until(text, 0, " ,\n").length;
}

static bool begins_value(struct ir_text text)
{
    static const char *const words[] = {"%",
                                        "@",
                                        "null",
                                        "undef",
                                        "poison",
                                        "zeroinitializer",
                                        "getelementptr",
                                        "inttoptr",
                                        "addrspacecast",
                                        "bitcast"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (ir_begins(text, words[i]))
            return true;
    return false;
}

/* "ptr addrspace(4) noundef align 8 %x"; false: not a pointer. */
static bool read_pointer(struct ir_text operand, struct pointer *out)
{
    operand = ir_trim(operand);
    *out = (struct pointer){0};
    if (!ir_begins(operand, "ptr"))
        return false;
    const size_t type = type_length(operand);
    if (ir_begins(operand, "ptr addrspace("))
        out->space = (unsigned)strtoul(operand.at + strlen("ptr addrspace("), NULL, 10);
    struct ir_text rest = ir_trim(ir_after(operand, type));
    while (rest.length > 0 && !begins_value(rest)) {
        if (ir_begins(rest, "align "))
            out->align = (unsigned)strtoul(rest.at + strlen("align "), NULL, 10);
        rest = ir_trim(ir_after(rest, ir_until(rest, 0, " ").length));
    }
    out->value = rest;
    return rest.length > 0;
}

/* Variables of the module are in the host's memory, whatever their space. */
static bool is_variable(const struct pointer *pointer)
{
    return ir_place(pointer->value, "@") < pointer->value.length;
}

/* "align 4" in the rest of an instruction; as much as is checked. */
static unsigned alignment(struct ir_text rest)
{
    const size_t place = ir_place(rest, "align ");
    const unsigned long value =
        place < rest.length ? strtoul(rest.at + place + strlen("align "), NULL, 10) : 1;
    return value == 0 || value > 8 ? 8 : (unsigned)value;
}

/* ", !dbg !12", or nothing. */
static struct ir_text debug_part(struct ir_text line)
{
    const size_t place = ir_place(line, ", !dbg ");
    if (place >= line.length)
        return (struct ir_text){"", 0};
    const struct ir_text rest = ir_after(line, place);
    const size_t length = 2 + ir_until(rest, 2, ",\n").length;
    return (struct ir_text){rest.at, length};
}

/* The type of elements that an access sees, as twk_type numbers it. */
static unsigned element_type(struct ir_text type)
{
    static const struct {
        const char *name;
        unsigned number;
    } types[] = {{"i8", 3}, {"i16", 4}, {"i32", 5}, {"half", 6}, {"float", 7}, {"bfloat", 8}};
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (ir_is(type, types[i].name))
            return types[i].number;
    return 255;
}

/* The bytes of a type in memory, as an operand. */
static void write_size(struct ir_text type, FILE *out)
{
    if (type.length > 1 && type.at[0] == 'i' && isdigit((unsigned char)type.at[1]))
        fprintf(out, "%lu", (strtoul(type.at + 1, NULL, 10) + 7) / 8);
    else if (ir_is(type, "half") || ir_is(type, "bfloat"))
        fputs("2", out);
    else if (ir_is(type, "float"))
        fputs("4", out);
    else
        fprintf(out, "ptrtoint (ptr getelementptr (%.*s, ptr null, i32 1) to i64)",
                (int)type.length, type.at);
}

/* ---- accesses -------------------------------------------------------------------------------- */

/* An address as a number: %twk.a<n>. */
static void write_address(struct body *body, const struct pointer *pointer, unsigned number)
{
    fprintf(body->lines, "  %%twk.a%u = ptrtoint ptr addrspace(%u) %.*s to i64\n", number,
            pointer->space, (int)pointer->value.length, pointer->value.at);
}

static void write_access(struct body *body, const char *function, const struct pointer *pointer,
                         struct ir_text type, struct ir_text line)
{
    const unsigned number = body->count;
    write_address(body, pointer, number);
    fprintf(body->lines, "  call void @%s(i32 %u, i32 %u, i32 %u, i64 %%twk.a%u, i64 ", function,
            space_number(pointer->space), element_type(type), pointer->align, number);
    write_size(type, body->lines);
    const struct ir_text debug = debug_part(line);
    fprintf(body->lines, ", ptr %%twk.s%u)%.*s\n", number, (int)debug.length, debug.at);
    fprintf(body->entry, "  %%twk.s%u = alloca %.*s, align 16\n", number, (int)type.length,
            type.at);
}

/* Past "volatile "; atomic: whether it is. */
static size_t past_marks(struct ir_text line, size_t place, bool *out_atomic)
{
    *out_atomic = ir_begins(ir_after(line, place), "atomic ");
    if (*out_atomic)
        place += strlen("atomic ");
    if (ir_begins(ir_after(line, place), "volatile "))
        place += strlen("volatile ");
    return place;
}

/* Returns whether the line was one. */
static bool write_load(struct body *body, struct ir_text line)
{
    static const char word[] = " = load ";
    const size_t at = ir_place(line, word);
    struct pointer pointer;
    bool atomic = false;
    if (at >= line.length)
        return false;
    const size_t first = past_marks(line, at + strlen(word), &atomic);
    const struct ir_text type = ir_until(line, first, ",");
    const size_t second = first + type.length + 1;
    if (second >= line.length)
        return false;
    const struct ir_text operand = ir_until(line, second, ",\n");
    if (!read_pointer(operand, &pointer) || !in_device(pointer.space) || is_variable(&pointer))
        return false;
    if (atomic) {
        (void)failed(body, line, "an atomic read through a pointer is not supported");
        return true;
    }
    pointer.align = alignment(ir_after(line, second + operand.length));
    write_access(body, "twk_pointer_load_", &pointer, type, line);
    const struct ir_text debug = debug_part(line);
    fprintf(body->lines, "%.*s%s%.*s, ptr %%twk.s%u%.*s\n", (int)at, line.at, word,
            (int)type.length, type.at, body->count, (int)debug.length, debug.at);
    body->count++;
    return true;
}

static bool write_store(struct body *body, struct ir_text line)
{
    static const char word[] = "store ";
    const struct ir_text trimmed = ir_trim(line);
    struct pointer pointer;
    bool atomic = false;
    if (!ir_begins(trimmed, word))
        return false;
    const size_t first = past_marks(trimmed, strlen(word), &atomic);
    const struct ir_text value = ir_until(trimmed, first, ",");
    const size_t second = first + value.length + 1;
    if (second >= trimmed.length)
        return false;
    const struct ir_text operand = ir_until(trimmed, second, ",\n");
    if (!read_pointer(operand, &pointer) || !in_device(pointer.space) || is_variable(&pointer))
        return false;
    if (atomic) {
        (void)failed(body, line, "an atomic write through a pointer is not supported");
        return true;
    }
    const struct ir_text type = {value.at, type_length(value)};
    pointer.align = alignment(ir_after(trimmed, second + operand.length));
    fprintf(body->lines, "  store %.*s, ptr %%twk.s%u\n", (int)value.length, value.at, body->count);
    write_access(body, "twk_pointer_store_", &pointer, type, line);
    body->count++;
    return true;
}

#define ARGUMENTS_MOST 8u

/* The arguments of the call whose function's name is at `place`. */
static size_t read_arguments(struct ir_text line, size_t place, struct ir_text *out)
{
    const size_t open = place + ir_until(line, place, "(").length;
    const struct ir_text inner = {line.at + open + 1, ir_closing(line, open) - open - 1};
    size_t count = 0;
    for (size_t at = 0; at < inner.length && count < ARGUMENTS_MOST;) {
        out[count] = ir_until(inner, at, ",");
        at += out[count].length + 1;
        out[count] = ir_trim(out[count]);
        count++;
    }
    return count;
}

static unsigned argument_align(const struct pointer *pointer)
{
    return pointer->align == 0 ? 1 : pointer->align > 8 ? 8 : pointer->align;
}

/* An end of a copy: "i32 space, i32 align, i64 address". */
static void write_end(struct body *body, const struct pointer *pointer, const char *number)
{
    fprintf(body->lines, "i32 %u, i32 %u, i64 %s", space_number(pointer->space),
            argument_align(pointer), number);
}

static void write_move(struct body *body, const struct pointer *to, const struct pointer *from,
                       struct ir_text bytes, struct ir_text line)
{
    char to_name[24], from_name[24];
    const struct ir_text debug = debug_part(line);
    snprintf(to_name, sizeof(to_name), "%%twk.a%u", body->count);
    snprintf(from_name, sizeof(from_name), "%%twk.a%u", body->count + 1);
    if (in_device(to->space))
        write_address(body, to, body->count);
    if (in_device(from->space))
        write_address(body, from, body->count + 1);
    body->count += 2;
    if (!in_device(to->space)) {
        fprintf(body->lines, "  call void @twk_pointer_load_(i32 %u, i32 255, i32 %u, i64 %s, ",
                space_number(from->space), argument_align(from), from_name);
        fprintf(body->lines, "%.*s, ptr %.*s)", (int)bytes.length, bytes.at, (int)to->value.length,
                to->value.at);
    } else if (!in_device(from->space)) {
        fprintf(body->lines, "  call void @twk_pointer_store_(i32 %u, i32 255, i32 %u, i64 %s, ",
                space_number(to->space), argument_align(to), to_name);
        fprintf(body->lines, "%.*s, ptr %.*s)", (int)bytes.length, bytes.at,
                (int)from->value.length, from->value.at);
    } else {
        fputs("  call void @twk_pointer_move_(", body->lines);
        write_end(body, to, to_name);
        fputs(", ", body->lines);
        write_end(body, from, from_name);
        fprintf(body->lines, ", %.*s)", (int)bytes.length, bytes.at);
    }
    fprintf(body->lines, "%.*s\n", (int)debug.length, debug.at);
}

static void write_fill(struct body *body, const struct pointer *to, struct ir_text value,
                       struct ir_text bytes, struct ir_text line)
{
    char name[24];
    const struct ir_text debug = debug_part(line);
    snprintf(name, sizeof(name), "%%twk.a%u", body->count);
    write_address(body, to, body->count);
    body->count++;
    fputs("  call void @twk_pointer_fill_(", body->lines);
    write_end(body, to, name);
    fprintf(body->lines, ", %.*s, %.*s)%.*s\n", (int)value.length, value.at, (int)bytes.length,
            bytes.at, (int)debug.length, debug.at);
}

/* memcpy, memmove and memset of the compiler. */
static bool write_block(struct body *body, struct ir_text line)
{
    struct ir_text arguments[ARGUMENTS_MOST];
    struct pointer to, from;
    const size_t place = ir_place(line, "@llvm.mem");
    if (place >= line.length || ir_place(line, "call ") >= line.length)
        return false;
    const bool fill = ir_begins(ir_after(line, place), "@llvm.memset");
    const size_t count = read_arguments(line, place, arguments);
    if (count < 3 || !read_pointer(arguments[0], &to))
        return false;
    if (fill) {
        if (!in_device(to.space) || is_variable(&to))
            return false;
    } else if (!read_pointer(arguments[1], &from) ||
               !((in_device(to.space) && !is_variable(&to)) ||
                 (in_device(from.space) && !is_variable(&from)))) {
        return false;
    }
    if (!ir_begins(arguments[2], "i64 "))
        return failed(body, line, "a copy through pointers has a length that is not 64 bits wide"),
               true;
    if (fill)
        write_fill(body, &to, arguments[1], arguments[2], line);
    else
        write_move(body, &to, &from, arguments[2], line);
    return true;
}

/* What the scalar unit cannot do through a pointer of the device. */
static bool refuse_atomic(struct body *body, struct ir_text line)
{
    const bool exchange = ir_place(line, " = cmpxchg ") < line.length;
    if (!exchange && ir_place(line, " = atomicrmw ") >= line.length)
        return false;
    const size_t place = ir_place(line, "ptr addrspace(");
    if (place >= line.length)
        return false;
    (void)failed(body, line,
                 "an atomic operation through a pointer is not supported; use "
                 "set_atomic_add and a copy");
    return true;
}

/* ---- variables of a core --------------------------------------------------------------------- */

void ir_find_locals(const struct ir_module *module, struct ir_locals *out_locals)
{
    *out_locals = (struct ir_locals){calloc(module->count + 1, sizeof(struct ir_entity *)), 0};
    if (!out_locals->list)
        cc_no_memory();
    for (size_t i = 0; i < module->count; i++) {
        const struct ir_entity *entity = &module->entities[i];
        const size_t section = ir_place(entity->text, "section \"" IR_LOCAL_SECTION "\"");
        if (entity->kind == IR_VARIABLE && section < entity->text.length)
            out_locals->list[out_locals->count++] = entity;
    }
}

void ir_locals_free(struct ir_locals *locals)
{
    free(locals->list);
    *locals = (struct ir_locals){0};
}

static size_t local_index(const struct ir_locals *locals, struct ir_text name)
{
    for (size_t i = 0; i < locals->count; i++)
        if (locals->list[i]->name.length == name.length &&
            memcmp(locals->list[i]->name.at, name.at, name.length) == 0)
            return i;
    return locals->count;
}

bool ir_is_local(const struct ir_locals *locals, struct ir_text name)
{
    return local_index(locals, name) < locals->count;
}

/* "ptr null" of "@x = global ptr null, section ..." */
static struct ir_text typed_value(const struct ir_entity *variable)
{
    static const char *const words[] = {" global ", " constant "};
    for (size_t i = 0; i < 2; i++) {
        const size_t place = ir_place(variable->text, words[i]);
        if (place < variable->text.length)
            return ir_trim(ir_until(variable->text, place + strlen(words[i]), ",\n"));
    }
    return (struct ir_text){"i8 0", 4};
}

void ir_write_locals(const struct ir_locals *locals, FILE *out)
{
    if (locals->count == 0)
        return;
    fputs("%twk.locals = type { ", out);
    for (size_t i = 0; i < locals->count; i++) {
        const struct ir_text value = typed_value(locals->list[i]);
        fprintf(out, "%s%.*s", i > 0 ? ", " : "", (int)type_length(value), value.at);
    }
    fputs(" }\n@twk.locals.initial = internal constant %twk.locals { ", out);
    for (size_t i = 0; i < locals->count; i++) {
        const struct ir_text value = typed_value(locals->list[i]);
        fprintf(out, "%s%.*s", i > 0 ? ", " : "", (int)value.length, value.at);
    }
    fputs(" }\n", out);
}

/* A constant expression, which cannot name what is computed. */
struct expression {
    size_t first, open, close;
};

/* The innermost one around `place`; false: none. */
static bool find_expression(struct ir_text line, size_t place, struct expression *out)
{
    static const char *const words[] = {"getelementptr", "ptrtoint", "inttoptr", "addrspacecast",
                                        "bitcast"};
    int depth = 0;
    for (size_t at = place; at-- > 0;) {
        if (line.at[at] == ')')
            depth++;
        if (line.at[at] != '(' || depth-- > 0)
            continue;
        size_t first = at; /* of the words before the parenthesis */
        while (first > 0 &&
               (isalnum((unsigned char)line.at[first - 1]) || line.at[first - 1] == ' '))
            first--;
        const struct ir_text before = {line.at + first, at - first};
        for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
            for (size_t from = before.length; from-- > 0;)
                if (ir_begins(ir_after(before, from), words[i])) {
                    *out = (struct expression){first + from, at, ir_closing(line, at)};
                    return true;
                }
        return false;
    }
    return false;
}

static void replace(char **text, size_t first, size_t end, const char *with)
{
    char *made = NULL;
    if (asprintf(&made, "%.*s%s%s", (int)first, *text, with, *text + end) < 0)
        cc_no_memory();
    free(*text);
    *text = made;
}

/* The instruction that an expression is, in the first block; the line gets its result. */
static void hoist(struct body *body, char **text, const struct expression *expression)
{
    char name[24];
    snprintf(name, sizeof(name), "%%twk.l%u", body->count++);
    fprintf(body->entry, "  %s = %.*s%.*s\n", name, (int)(expression->open - expression->first),
            *text + expression->first, (int)(expression->close - expression->open - 1),
            *text + expression->open + 1);
    replace(text, expression->first, expression->close + 1, name);
}

/* Names of a core's variables in the line become what is found on the core. */
static void place_locals(struct body *body, char **text)
{
    struct ir_text name;
    size_t place = 0;
    while (ir_next_name(ir_word(*text), &place, &name)) {
        const size_t index = local_index(body->locals, name);
        if (index == body->locals->count)
            continue;
        char local[24];
        const size_t first = (size_t)(name.at - *text) - 1;
        struct expression expression;
        body->on_core = true;
        snprintf(local, sizeof(local), "%%twk.l%u", body->count++);
        fprintf(body->entry, "  %s = getelementptr %%twk.locals, ptr %%twk.core, i32 0, i32 %zu\n",
                local, index);
        replace(text, first, first + 1 + name.length, local);
        size_t at = first;
        while (find_expression(ir_word(*text), at, &expression)) {
            hoist(body, text, &expression);
            at = expression.first;
        }
        place = 0;
    }
}

/* ---- bodies ---------------------------------------------------------------------------------- */

static bool is_debug_record(struct ir_text line)
{
    const struct ir_text trimmed = ir_trim(line);
    return ir_begins(trimmed, "#dbg_") || ir_place(line, "@llvm.dbg.") < line.length;
}

static bool names_local(const struct body *body, struct ir_text line)
{
    struct ir_text name;
    size_t place = 0;
    while (ir_next_name(line, &place, &name))
        if (ir_is_local(body->locals, name))
            return true;
    return false;
}

static void write_line(struct body *body, struct ir_text line)
{
    if (body->locals->count > 0 && names_local(body, line)) {
        if (is_debug_record(line))
            return;
        char *text = strndup(line.at, line.length);
        if (!text)
            cc_no_memory();
        place_locals(body, &text);
        ir_write(ir_word(text), body->lines);
        free(text);
        return;
    }
    if (is_debug_record(line) || !(write_load(body, line) || write_store(body, line) ||
                                   write_block(body, line) || refuse_atomic(body, line)))
        ir_write(line, body->lines);
}

/* Whether the line is the label of a block. */
static bool is_label(struct ir_text line)
{
    const struct ir_text word = ir_until(line, 0, " :\n");
    return line.length > 0 && line.at[0] != ' ' && line.at[0] != '}' && word.length < line.length &&
           line.at[word.length] == ':';
}

static void write_entry(struct body *body, struct ir_text entry, FILE *out)
{
    if (body->on_core)
        fputs("  %twk.core = call ptr @twk_core_variables_(ptr @twk.locals.initial, i64 ptrtoint "
              "(ptr getelementptr (%twk.locals, ptr null, i32 1) to i64))\n",
              out);
    ir_write(entry, out);
}

int ir_write_body(const struct ir_module *module, const struct ir_locals *locals,
                  const struct ir_entity *function, FILE *out)
{
    char *lines = NULL, *entry = NULL;
    size_t lines_length = 0, entry_length = 0, place = 0;
    struct ir_text line;
    struct body body = {.module = module,
                        .locals = locals,
                        .lines = open_memstream(&lines, &lines_length),
                        .entry = open_memstream(&entry, &entry_length)};
    if (!body.lines || !body.entry)
        cc_no_memory();
    (void)ir_next_line(function->text, &place, &line);
    if (ir_next_line(function->text, &place, &line)) {
        if (is_label(line))
            ir_write(line, out);
        else
            write_line(&body, line);
    }
    while (ir_next_line(function->text, &place, &line))
        write_line(&body, line);
    if (fclose(body.lines) != 0 || fclose(body.entry) != 0)
        cc_no_memory();
    write_entry(&body, (struct ir_text){entry, entry_length}, out);
    ir_write((struct ir_text){lines, lines_length}, out);
    free(lines);
    free(entry);
    return body.result;
}

void ir_write_pointer_calls(FILE *out)
{
    fputs("declare void @twk_pointer_load_(i32, i32, i32, i64, i64, ptr) nounwind\n"
          "declare void @twk_pointer_store_(i32, i32, i32, i64, i64, ptr) nounwind\n"
          "declare void @twk_pointer_move_(i32, i32, i64, i32, i32, i64, i64) nounwind\n"
          "declare void @twk_pointer_fill_(i32, i32, i64, i8, i64) nounwind\n"
          "declare ptr @twk_core_variables_(ptr, i64) nounwind\n",
          out);
}

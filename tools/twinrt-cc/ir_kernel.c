/* SPDX-License-Identifier: Apache-2.0 */
#include "ir_kernel.h"

#include <stdlib.h>
#include <string.h>

#include "ir_pointer.h"
#include "say.h"
#include "twinrt/kernel_image.h"

/* ---- kernels --------------------------------------------------------------------------------- */

/* The text of a variable that is `c"text\00"`. */
static struct ir_text text_of(const struct ir_module *module, struct ir_text name)
{
    const struct ir_entity *variable = ir_find(module, name);
    struct ir_text empty = {"", 0};
    if (!variable)
        return empty;
    for (size_t i = 0; i + 2 < variable->text.length; i++)
        if (variable->text.at[i] == 'c' && variable->text.at[i + 1] == '"') {
            const char *first = variable->text.at + i + 2;
            const char *end = memchr(first, '"', variable->text.length - i - 2);
            size_t length = end ? (size_t)(end - first) : 0;
            if (length >= 3 && memcmp(first + length - 3, "\\00", 3) == 0)
                length -= 3;
            return (struct ir_text){first, length};
        }
    return empty;
}

struct ir_kernel *ir_kernel_named(const struct ir_kernels *kernels, struct ir_text name)
{
    for (size_t i = 0; i < kernels->count; i++)
        if (kernels->list[i].name.length == name.length &&
            memcmp(kernels->list[i].name.at, name.at, name.length) == 0)
            return &kernels->list[i];
    return NULL;
}

static struct ir_kernel *add_kernel(struct ir_kernels *kernels, const struct ir_module *module,
                                    struct ir_entity *function)
{
    struct ir_kernel *kernel = ir_kernel_named(kernels, function->name);
    if (kernel)
        return kernel;
    struct ir_kernel *grown =
        realloc(kernels->list, (kernels->count + 1) * sizeof(struct ir_kernel));
    if (!grown)
        cc_no_memory();
    kernels->list = grown;
    kernel = &grown[kernels->count++];
    memset(kernel, 0, sizeof(*kernel));
    kernel->function = function;
    kernel->name = function->name;
    kernel->source_name = ir_source_name(module, function);
    return kernel;
}

/* The annotation of a function: __global__ and its like. `add`: only those that make kernels. */
static void take_annotation(struct ir_kernels *kernels, const struct ir_module *module,
                            struct ir_entity *function, struct ir_text mark, bool add)
{
    if (add) {
        if (ir_is(mark, "twk_kernel"))
            (void)add_kernel(kernels, module, function);
        return;
    }
    struct ir_kernel *kernel = ir_kernel_named(kernels, function->name);
    if (!kernel)
        return;
    if (ir_is(mark, "twk_vector"))
        kernel->vector_only = true;
    else if (ir_is(mark, "twk_cube"))
        kernel->cube_only = true;
    else if (ir_begins(mark, "twk_mix "))
        (void)sscanf(mark.at, "twk_mix %u:%u", &kernel->cubes, &kernel->vectors);
}

/* @llvm.global.annotations is a list of { function, text, file, line, arguments }. */
static void read_annotations(struct ir_kernels *kernels, struct ir_module *module, bool add)
{
    const struct ir_entity *list = ir_find(module, ir_word("llvm.global.annotations"));
    struct ir_text name;
    size_t place = 0;
    if (!list || !ir_next_name(list->text, &place, &name)) /* its own name */
        return;
    while (ir_next_name(list->text, &place, &name)) {
        struct ir_entity *function = ir_find(module, name);
        if (!ir_next_name(list->text, &place, &name))
            return;
        const struct ir_text mark = text_of(module, name);
        if (!ir_next_name(list->text, &place, &name)) /* the file */
            return;
        if (function && function->kind == IR_FUNCTION)
            take_annotation(kernels, module, function, mark, add);
    }
}

/* ---- arguments ------------------------------------------------------------------------------- */

static size_t split(struct ir_text list, struct ir_text *out, size_t most)
{
    size_t count = 0;
    for (size_t at = 0; at < list.length && count < most;) {
        out[count] = ir_until(list, at, ",");
        at += out[count].length + 1;
        out[count] = ir_trim(out[count]);
        count++;
    }
    return count;
}

static int cannot_pass(const struct ir_kernel *kernel, size_t parameter)
{
    return cc_error("kernel %.*s: parameter %zu cannot be passed to the device; pass a pointer, a "
                    "number, or a structure that can be copied byte by byte",
                    (int)kernel->source_name.length, kernel->source_name.at, parameter + 1);
}

static void add_piece(struct ir_kernel *kernel, struct ir_text parameter, uint64_t offset,
                      uint64_t bytes)
{
    kernel->pieces[kernel->piece_count++] = (struct ir_piece){parameter, offset, bytes};
}

/* How the compiler passes the parameters: numbers and pointers as they are, structures whole, in
 * memory, or in up to two registers. */
static int lay_out(struct ir_kernel *kernel)
{
    struct ir_text passed[2 * IR_PARAMETERS_MOST + 1];
    const size_t count =
        split(ir_parameters(kernel->function), passed, sizeof(passed) / sizeof(passed[0]));
    size_t next = 0;
    for (size_t i = 0; i < kernel->signature.count; i++) {
        const struct ir_parameter *parameter = &kernel->signature.parameters[i];
        if (parameter->reference)
            return cannot_pass(kernel, i);
        const uint64_t align = parameter->align > 8 ? 8 : parameter->align;
        const uint64_t offset = (kernel->args_bytes + align - 1) / align * align;
        kernel->offsets[i] = offset;
        kernel->args_bytes = offset + parameter->bytes;
        if (parameter->structure && parameter->empty)
            continue;
        if (next == count)
            return cannot_pass(kernel, i);
        const struct ir_text first = passed[next];
        const bool whole = ir_place(first, "byval(") < first.length ||
                           (parameter->structure && parameter->bytes > 16 && first.at[0] != '[');
        const uint64_t pieces =
            !parameter->structure || whole || first.at[0] == '[' ? 1 : (parameter->bytes + 7) / 8;
        for (uint64_t piece = 0; piece < pieces; piece++, next++) {
            if (next == count)
                return cannot_pass(kernel, i);
            add_piece(kernel, passed[next], offset + 8 * piece, whole ? parameter->bytes : 0);
        }
    }
    return next == count ? 0 : cannot_pass(kernel, kernel->signature.count - 1);
}

static bool reaches(const struct ir_module *module, const char *function)
{
    const struct ir_entity *found = ir_find(module, ir_word(function));
    return found && found->reached;
}

/* What it runs on by what it calls. */
static void find_cores(const struct ir_module *module, struct ir_kernel *kernel)
{
    kernel->uses_cube = reaches(module, IR_CUBE);
    kernel->uses_vector = reaches(module, IR_VECTOR);
    kernel->vector_only = kernel->vector_only || reaches(module, "twk_runs_on_vector_");
    kernel->cube_only = kernel->cube_only || reaches(module, "twk_runs_on_cube_");
    for (unsigned vectors = 1; vectors <= 2; vectors++)
        if (reaches(module, vectors == 1 ? "twk_runs_on_both_1_" : "twk_runs_on_both_2_"))
            kernel->cubes = 1, kernel->vectors = vectors;
}

int ir_find_kernels(struct ir_module *module, struct ir_kernels *out_kernels)
{
    *out_kernels = (struct ir_kernels){0};
    read_annotations(out_kernels, module, true);
    read_annotations(out_kernels, module, false);
    for (size_t i = 0; i < out_kernels->count; i++) {
        struct ir_kernel *kernel = &out_kernels->list[i];
        if (ir_signature_of(module, kernel->function, &kernel->signature) != 0 ||
            lay_out(kernel) != 0)
            return -1;
        ir_forget(module);
        ir_reach(module, kernel->function);
        find_cores(module, kernel);
    }
    return 0;
}

void ir_kernels_free(struct ir_kernels *kernels)
{
    free(kernels->list);
    *kernels = (struct ir_kernels){0};
}

/* ---- the device ------------------------------------------------------------------------------ */

static bool is_one_of(struct ir_text word, const char *const *words)
{
    for (; *words; words++)
        if (ir_is(word, *words))
            return true;
    return false;
}

static const char *const linkages[] = {"private",         "internal",  "available_externally",
                                       "linkonce",        "weak",      "common",
                                       "linkonce_odr",    "weak_odr",  "dso_local",
                                       "hidden",          "protected", "default",
                                       "dso_preemptable", NULL};

/* The rest of a definition after words about its linkage. */
static struct ir_text past_linkage(struct ir_text text)
{
    for (;;) {
        const struct ir_text word = ir_until(text, 0, " ");
        if (word.length == text.length || !is_one_of(word, linkages))
            return text;
        text = ir_after(text, word.length + 1);
    }
}

/* Without " comdat" or ", comdat($name)". */
static void write_without_comdat(struct ir_text text, FILE *out)
{
    size_t first = ir_place(text, ", comdat");
    size_t words = strlen(", comdat");
    if (first == text.length) {
        first = ir_place(text, " comdat");
        words = strlen(" comdat");
    }
    if (first == text.length) {
        ir_write(text, out);
        return;
    }
    size_t end = first + words;
    if (end < text.length && text.at[end] == '(')
        end = ir_closing(text, end) + 1;
    ir_write((struct ir_text){text.at, first}, out);
    ir_write(ir_after(text, end), out);
}

/* The variable of the toolkit that says where kernels put what they print; the vendor's runtime
 * sets it. */
#define PRINTS "g_sysPrintFifoSpace"

static bool write_prints(struct ir_text definition, FILE *out)
{
    static const char word[] = " null";
    const size_t place = ir_place(definition, word);
    if (place == definition.length)
        return false;
    ir_write((struct ir_text){definition.at, place}, out);
    fprintf(out, " inttoptr (i64 %llu to ptr addrspace(%u))", (unsigned long long)TWK_PRINT_BUFFER,
            IR_SPACE_GM);
    write_without_comdat(ir_after(definition, place + strlen(word)), out);
    return true;
}

static void write_variable(const struct ir_entity *variable, FILE *out)
{
    const size_t place = ir_place(variable->text, " = ") + 3;
    const struct ir_text rest = ir_after(variable->text, place);
    if (ir_begins(rest, "external ") || ir_begins(rest, "extern_weak ")) {
        ir_write(variable->text, out);
        return;
    }
    ir_write((struct ir_text){variable->text.at, place}, out);
    fputs("internal ", out);
    if (ir_is(variable->name, PRINTS) && write_prints(past_linkage(rest), out))
        return;
    write_without_comdat(past_linkage(rest), out);
}

static void write_head(const struct ir_entity *function, FILE *out)
{
    struct ir_text line;
    size_t place = 0;
    (void)ir_next_line(function->text, &place, &line);
    const struct ir_text rest = past_linkage(ir_after(line, strlen("define ")));
    const size_t parameters =
        (size_t)(function->name.at + function->name.length - rest.at); /* the parenthesis */
    const size_t end = ir_closing(rest, parameters) + 1;
    fputs("define internal ", out);
    ir_write((struct ir_text){rest.at, end}, out);
    write_without_comdat(ir_after(rest, end), out);
}

/* "i64 noundef %3": the type, and all before the name. */
static struct ir_text parameter_type(struct ir_text parameter)
{
    if (ir_begins(parameter, "ptr addrspace("))
        return (struct ir_text){parameter.at, ir_closing(parameter, strlen("ptr addrspace")) + 1};
    return ir_until(parameter, 0, " ");
}

static struct ir_text parameter_value(struct ir_text parameter)
{
    for (size_t i = parameter.length; i-- > 0;)
        if (parameter.at[i] == '%' && (i == 0 || parameter.at[i - 1] == ' '))
            return ir_after(parameter, i);
    return (struct ir_text){"", 0};
}

/* The function that the runtime calls: it reads the arguments, and calls the kernel, which is not
 * inlined here, as this function has no debug information and its lines would be lost. The block of
 * this function is not counted. */
static void write_entry(const struct ir_kernel *kernel, const char *side, size_t number, FILE *out)
{
    fprintf(out, "define hidden void @%s_run_%zu(ptr %%args) nosanitize_coverage {\n", side,
            number);
    for (size_t i = 0; i < kernel->piece_count; i++) {
        const struct ir_piece *piece = &kernel->pieces[i];
        const struct ir_text type = parameter_type(piece->parameter);
        fprintf(out, "  %%p%zu = getelementptr i8, ptr %%args, i64 %llu\n", i,
                (unsigned long long)piece->offset);
        if (piece->bytes > 0)
            continue;
        if (ir_is(type, "i1"))
            fprintf(out, "  %%b%zu = load i8, ptr %%p%zu\n  %%v%zu = trunc i8 %%b%zu to i1\n", i, i,
                    i, i);
        else
            fprintf(out, "  %%v%zu = load %.*s, ptr %%p%zu, align 1\n", i, (int)type.length,
                    type.at, i);
    }
    fprintf(out, "  call void @%.*s(", (int)kernel->name.length, kernel->name.at);
    for (size_t i = 0; i < kernel->piece_count; i++) {
        const struct ir_piece *piece = &kernel->pieces[i];
        const struct ir_text value = parameter_value(piece->parameter);
        fprintf(out, "%s%.*s %%%c%zu", i > 0 ? ", " : "",
                (int)(piece->parameter.length - value.length - (value.length > 0 ? 1 : 0)),
                piece->parameter.at, piece->bytes > 0 ? 'p' : 'v', i);
    }
    fputs(") noinline\n  ret void\n}\n", out);
}

static void reach_all(struct ir_module *module, const struct ir_kernels *kernels, const bool *used)
{
    ir_forget(module);
    for (size_t i = 0; i < kernels->count; i++)
        if (used[i])
            ir_reach(module, kernels->list[i].function);
    /* Descriptions of templates name what they were made with. */
    for (size_t i = 0; i < module->count; i++)
        if (module->entities[i].kind == IR_METADATA)
            ir_reach(module, &module->entities[i]);
}

/* A list that the compiler makes for the whole module: of what is kept, of constructors. */
static bool is_list(const struct ir_entity *entity)
{
    return ir_begins(entity->name, "llvm.") && entity->kind == IR_VARIABLE;
}

static int write_entity(const struct ir_module *module, const struct ir_locals *locals,
                        const struct ir_entity *entity, FILE *out)
{
    switch (entity->kind) {
    case IR_OTHER:
        if (!ir_begins(entity->text, "module asm"))
            ir_write(entity->text, out);
        return 0;
    case IR_METADATA:
        ir_write(entity->text, out);
        return 0;
    case IR_VARIABLE:
        if (entity->reached && !is_list(entity) && !ir_is_local(locals, entity->name))
            write_variable(entity, out);
        return 0;
    case IR_DECLARATION:
        if (entity->reached)
            ir_write(entity->text, out);
        return 0;
    case IR_FUNCTION:
        if (!entity->reached)
            return 0;
        write_head(entity, out);
        return ir_write_body(module, locals, entity, out);
    default:
        return 0;
    }
}

int ir_write_device(struct ir_module *module, const struct ir_kernels *kernels, const bool *used,
                    const char *side, FILE *out)
{
    struct ir_locals locals;
    int result = 0;
    bool types = true; /* those come first */
    ir_find_locals(module, &locals);
    reach_all(module, kernels, used);
    for (size_t i = 0; i < module->count; i++) {
        if (types && module->entities[i].kind != IR_OTHER)
            ir_write_locals(&locals, out);
        types = types && module->entities[i].kind == IR_OTHER;
        if (write_entity(module, &locals, &module->entities[i], out) != 0)
            result = -1;
    }
    ir_write_pointer_calls(out);
    for (size_t i = 0; i < kernels->count; i++)
        if (used[i])
            write_entry(&kernels->list[i], side, i, out);
    ir_locals_free(&locals);
    return result;
}

/* ---- the host -------------------------------------------------------------------------------- */

/* What a kernel is on the host: it notes its arguments, for the launch that follows. */
static void write_stub(const struct ir_kernel *kernel, size_t number, FILE *out)
{
    struct ir_text line;
    size_t place = 0;
    (void)ir_next_line(kernel->function->text, &place, &line);
    ir_write(line, out);
    fprintf(out, "  %%twk.args = call ptr @twk_launch_begin_(ptr @twk.kernel.%zu)\n", number);
    for (size_t i = 0; i < kernel->piece_count; i++) {
        const struct ir_piece *piece = &kernel->pieces[i];
        const struct ir_text type = parameter_type(piece->parameter);
        const struct ir_text value = parameter_value(piece->parameter);
        fprintf(out, "  %%twk.p%zu = getelementptr i8, ptr %%twk.args, i64 %llu\n", i,
                (unsigned long long)piece->offset);
        if (piece->bytes > 0)
            fprintf(out, "  call void @twk_launch_copy_(ptr %%twk.p%zu, ptr %.*s, i64 %llu)\n", i,
                    (int)value.length, value.at, (unsigned long long)piece->bytes);
        else if (ir_is(type, "i1"))
            fprintf(out,
                    "  %%twk.b%zu = zext i1 %.*s to i8\n  store i8 %%twk.b%zu, ptr %%twk.p%zu\n", i,
                    (int)value.length, value.at, i, i);
        else
            fprintf(out, "  store %.*s %.*s, ptr %%twk.p%zu, align 1\n", (int)type.length, type.at,
                    (int)value.length, value.at, i);
    }
    fputs("  ret void\n}\n", out);
}

/* `text`: as in a string of IR, where \\ and \22 are one character. */
static void write_string(const char *what, size_t number, struct ir_text text, FILE *out)
{
    size_t length = 1;
    for (size_t i = 0; i < text.length; length++)
        i += text.at[i] != '\\' ? 1 : i + 1 < text.length && text.at[i + 1] == '\\' ? 2 : 3;
    fprintf(out, "@twk.%s.%zu = private constant [%zu x i8] c\"%.*s\\00\"\n", what, number, length,
            (int)text.length, text.at);
}

static void write_records(const struct ir_kernels *kernels, const char *image, FILE *out)
{
    fprintf(out,
            "module asm \".pushsection .rodata.twk_image,\\22a\\22,@progbits\"\n"
            "module asm \".balign 64\"\n"
            "module asm \"twk_image_begin:\"\n"
            "module asm \".incbin \\22%s\\22\"\n"
            "module asm \"twk_image_end:\"\n"
            "module asm \".popsection\"\n"
            "@twk_image_begin = external hidden global i8\n"
            "@twk_image_end = external hidden global i8\n"
            "@twk.image = internal global { ptr, ptr, ptr, ptr } { ptr @twk_image_begin, ptr "
            "@twk_image_end, ptr null, ptr null }\n",
            image);
    for (size_t i = 0; i < kernels->count; i++) {
        const struct ir_kernel *kernel = &kernels->list[i];
        write_string("name", i, kernel->name, out);
        write_string("title", i, kernel->source_name, out);
        fprintf(out,
                "@twk.kernel.%zu = internal global { ptr, ptr, ptr, ptr, i64 } { ptr @twk.image, "
                "ptr @twk.name.%zu, ptr @twk.title.%zu, ptr null, i64 %llu }\n",
                i, i, i, (unsigned long long)kernel->args_bytes);
    }
    fputs("declare ptr @twk_launch_begin_(ptr)\n"
          "declare void @twk_launch_copy_(ptr, ptr, i64)\n",
          out);
}

/* A variable of a core, which the host has no use for: several sources may define it. */
static void write_local(const struct ir_entity *variable, FILE *out)
{
    size_t place = ir_place(variable->text, " global ");
    const struct ir_text before = {variable->text.at, place};
    const size_t space = ir_place(before, " addrspace(");
    if (place == variable->text.length || ir_place(before, "linkonce_odr") < before.length) {
        ir_write(variable->text, out);
        return;
    }
    place = space < before.length ? space : place;
    fprintf(out, "@%.*s = internal", (int)variable->name.length, variable->name.at);
    ir_write(ir_after(variable->text, place), out);
}

int ir_write_host(struct ir_module *module, const struct ir_kernels *kernels, const char *image,
                  FILE *out)
{
    struct ir_locals locals = {0};
    ir_find_locals(module, &locals);
    for (size_t i = 0; i < module->count; i++) {
        const struct ir_entity *entity = &module->entities[i];
        const struct ir_kernel *kernel =
            entity->kind == IR_FUNCTION ? ir_kernel_named(kernels, entity->name) : NULL;
        if (kernel)
            write_stub(kernel, (size_t)(kernel - kernels->list), out);
        else if (entity->kind == IR_VARIABLE && ir_is_local(&locals, entity->name))
            write_local(entity, out);
        else
            ir_write(entity->text, out);
    }
    ir_locals_free(&locals);
    if (kernels->count > 0)
        write_records(kernels, image, out);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/print.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/access.h"

#define PRINT_BYTES  1024u
#define STRING_BYTES 65536u /* of a string in global memory */
#define DIGITS_MOST  3u     /* of a width or a precision */

/* ---- texts ----------------------------------------------------------------------------------- */

void twin_native_text_add(native_text *text, const char *bytes, size_t length)
{
    if (text->room - text->length <= length) {
        const size_t room = 2 * (text->length + length + 32);
        char *grown = realloc(text->at, room);
        if (!grown) {
            text->no_memory = true;
            return;
        }
        text->at = grown;
        text->room = room;
    }
    memcpy(text->at + text->length, bytes, length);
    text->length += length;
    text->at[text->length] = '\0';
}

void twin_native_text_format(native_text *text, const char *format, ...)
{
    char piece[256];
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(piece, sizeof(piece), format, args);
    va_end(args);
    if (length > 0)
        twin_native_text_add(text, piece,
                             (size_t)length < sizeof(piece) ? (size_t)length : sizeof(piece) - 1);
}

/* ---- values ---------------------------------------------------------------------------------- */

/* "%-8.3ld" */
typedef struct conversion {
    const char *begin, *end; /* of all of it */
    char plain[16];          /* without what says how long the value is, and without the letter */
    char letter;
} conversion;

static const char *take(conversion *out, size_t *count, const char *at, const char *set,
                        size_t most)
{
    for (size_t i = 0; i < most && *at != '\0' && strchr(set, *at); i++)
        out->plain[(*count)++] = *at++;
    return at;
}

/* `at` is past the %. */
static conversion read_conversion(const char *at)
{
    static const char digits[] = "0123456789";
    conversion one = {.begin = at - 1, .plain = "%"};
    size_t count = 1;
    at = take(&one, &count, at, "-+ #0", 5);
    at = take(&one, &count, at, digits, DIGITS_MOST);
    if (*at == '.') {
        one.plain[count++] = *at++;
        at = take(&one, &count, at, digits, DIGITS_MOST);
    }
    while (*at != '\0' && strchr("hljzt", *at))
        at++;
    one.plain[count] = '\0';
    one.letter = *at;
    one.end = at + (*at != '\0');
    return one;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* made of what a conversion may have */

/* A value by the conversion's flags, width and precision, but with more flags and another end. */
static void add_formatted(native_text *text, const conversion *one, const char *flags,
                          const char *end, ...)
{
    char format[sizeof(one->plain) + 8];
    char piece[1100]; /* of the longest number, and the longest width */
    va_list values;
    snprintf(format, sizeof(format), "%%%s%s%s", flags, one->plain + 1, end);
    va_start(values, end);
    const int length = vsnprintf(piece, sizeof(piece), format, values);
    va_end(values);
    if (length > 0)
        twin_native_text_add(text, piece,
                             (size_t)length < sizeof(piece) ? (size_t)length : sizeof(piece) - 1);
}

static void add_number(native_text *text, const conversion *one, uint64_t value)
{
    const char end[] = {'l', 'l', one->letter, '\0'};
    float number;
    memcpy(&number, &value, sizeof(number));
    if (strchr("fFeEgG", one->letter))
        add_formatted(text, one, "", end + 2, (double)number);
    else
        add_formatted(text, one, "", end, (long long)value);
}

/* false: it is none. */
static bool add_string_value(native_text *text, const conversion *one, const native_values *values,
                             uint64_t index)
{
    char format[sizeof(one->plain) + 2];
    native_text string = {0};
    char *piece = NULL;
    const bool good = values->string(values, index, &string);
    snprintf(format, sizeof(format), "%ss", one->plain);
    const int length = good ? asprintf(&piece, format, string.at ? string.at : "") : 0;
    text->no_memory = text->no_memory || string.no_memory || length < 0;
    if (length > 0)
        twin_native_text_add(text, piece, (size_t)length);
    if (length >= 0)
        free(piece);
    free(string.at);
    return good;
}

#pragma GCC diagnostic pop

/* false: a string is none. */
static bool add_value(native_text *text, const conversion *one, const native_values *values,
                      uint64_t index)
{
    const uint64_t value = values->list[index];
    switch (one->letter) {
    case 's':
        return add_string_value(text, one, values, index);
    case 'c':
        add_formatted(text, one, "", "s", &(char[2]){(char)value, '\0'});
        return true;
    case 'p':
        add_formatted(text, one, "#", "llx", (unsigned long long)value);
        return true;
    default:
        add_number(text, one, value);
        return true;
    }
}

bool twin_native_text_values(native_text *text, const char *format, const native_values *values)
{
    uint64_t next = 0;
    while (*format != '\0' && text->length < NATIVE_PRINT_MOST) {
        const size_t plain = strcspn(format, "%");
        twin_native_text_add(text, format, plain);
        format += plain;
        if (*format == '\0')
            break;
        const conversion one = read_conversion(format + 1);
        const bool percent = one.letter == '%' && one.end == one.begin + 2;
        const bool known = one.letter != '\0' && strchr("diuoxXfFeEgGcsp", one.letter) != NULL;
        if (percent)
            twin_native_text_add(text, "%", 1);
        else if (!known || next == values->count)
            twin_native_text_add(text, one.begin, (size_t)(one.end - one.begin));
        else if (!add_value(text, &one, values, next++))
            return false;
        format = one.end;
    }
    return true;
}

/* "[AIV Block 0/8] ", as headers of Ascend C have it. */
static void add_core(native_text *text, const native_core *core)
{
    const twk_place *place = &core->place;
    const bool cube = place->is_cube != 0;
    twin_native_text_format(text, "[%s Block %u/%u] ", cube ? "AIC" : "AIV",
                            cube ? place->block : place->block * place->vectors + place->vector,
                            cube ? place->blocks : place->blocks * place->vectors);
}

/* ---- the output ------------------------------------------------------------------------------ */

/* Whether the core may print so many bytes; the last that it prints says that there were more. */
static bool may_print(native_core *core, size_t bytes)
{
    char text[128];
    if (bytes < NATIVE_PRINT_MOST - core->printed) {
        core->printed += (uint32_t)bytes;
        return true;
    }
    core->printed = NATIVE_PRINT_MOST;
    snprintf(text, sizeof(text), "\n(more was not printed: a core prints %u bytes of a block)\n",
             NATIVE_PRINT_MOST);
    core->run->call.print(core->run->call.user, core->block->number, core->index, text);
    return false;
}

static bool prints(const native_core *core)
{
    return core->run->call.print && core->printed < NATIVE_PRINT_MOST;
}

void twin_native_print_out(native_core *core, native_text *text)
{
    const bool whole = !text->no_memory;
    if (text->at && prints(core) && may_print(core, text->length + 1))
        core->run->call.print(core->run->call.user, core->block->number, core->index, text->at);
    free(text->at);
    *text = (native_text){0};
    if (!whole)
        twin_native_fail(core, TWIN_NATIVE_NOMEM, NULL, "no host memory");
}

/* Not inline: `twin_native_print` looks at the stack before there is this text on it. */
static void __attribute__((noinline, format(printf, 2, 0)))
print_text(native_core *core, const char *format, va_list args)
{
    char text[PRINT_BYTES], *large = NULL;
    va_list again;
    va_copy(again, args);
    const int length = vsnprintf(text, sizeof(text), format, args);
    if (length >= 0 && may_print(core, (size_t)length + 1)) {
        if ((size_t)length >= sizeof(text))
            large = malloc((size_t)length + 1);
        if (large)
            (void)vsnprintf(large, (size_t)length + 1, format, again);
        core->run->call.print(core->run->call.user, core->block->number, core->index,
                              large ? large : text);
    }
    va_end(again);
    free(large);
}

void twin_native_print(const char *format, va_list args)
{
    native_core *core = native_caller(NATIVE_OP_PRINT);
    if (prints(core))
        print_text(core, format, args);
}

/* ---- strings of the kernel ------------------------------------------------------------------- */

typedef struct object_part {
    uintptr_t kernel, address;
    bool found; /* the object of the kernel has the address */
    uintptr_t begin, end;
} object_part;

static int look_at_object(struct dl_phdr_info *info, size_t size, void *user)
{
    object_part *part = user;
    object_part found = *part;
    bool of_kernel = false;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type != PT_LOAD || (header->p_flags & PF_R) == 0)
            continue;
        const uintptr_t begin = info->dlpi_addr + header->p_vaddr;
        const uintptr_t end = begin + header->p_memsz;
        of_kernel = of_kernel || (part->kernel >= begin && part->kernel < end);
        if (part->address >= begin && part->address < end) {
            found.found = true;
            found.begin = begin;
            found.end = end;
        }
    }
    if (of_kernel)
        *part = found;
    return of_kernel;
}

const void *twin_native_constant(native_core *core, uint64_t address, uint64_t bytes)
{
    twin_native_run *run = core->run;
    if (address < run->constants_begin || address >= run->constants_end) {
        object_part part = {.kernel = (uintptr_t)core->body, .address = (uintptr_t)address};
        dl_iterate_phdr(look_at_object, &part);
        if (!part.found)
            return NULL;
        run->constants_begin = part.begin;
        run->constants_end = part.end;
    }
    return bytes <= run->constants_end - address ? (const void *)(uintptr_t)address : NULL;
}

/* Memory of the host that is the kernel's: its stack, its object, variables of the core. */
static const char *host_string(native_core *core, uint64_t address, uint64_t *out_room)
{
    const uint64_t stack = address - (uintptr_t)core->fiber.stack;
    const uint64_t variable = address - (uintptr_t)core->variables;
    if (stack < TWK_STACK_BYTES)
        *out_room = TWK_STACK_BYTES - stack;
    else if (core->variables && variable < core->variables_room)
        *out_room = core->variables_room - variable;
    else if (twin_native_constant(core, address, 1))
        *out_room = core->run->constants_end - address;
    else
        return NULL;
    return (const char *)(uintptr_t)address;
}

bool twin_native_text_string(native_text *text, native_core *core, uint64_t address)
{
    uint64_t room = 0;
    const char *string = host_string(core, address, &room);
    if (string) {
        const size_t length = strnlen(string, room);
        if (length < room)
            twin_native_text_add(text, string, length);
        return length < room;
    }
    for (uint64_t i = 0; i < STRING_BYTES; i++) {
        unsigned char byte = 0;
        if (!twin_native_memory_find(&core->run->memory, address + i, 1, false))
            return false;
        twin_native_global_read(core, TWIN_PIPE_SCALAR, NATIVE_OP_PRINT, address + i, 1, &byte);
        if (byte == '\0')
            return true;
        twin_native_text_add(text, (const char *)&byte, 1);
    }
    return false;
}

static bool string_of_kernel(const native_values *values, uint64_t index, native_text *out)
{
    return twin_native_text_string(out, values->user, values->list[index]);
}

void twin_native_print_values(bool named, const char *format, uint32_t count,
                              const uint64_t *values)
{
    native_core *core = native_caller(NATIVE_OP_PRINT);
    const native_values all = {
        .list = values, .count = count, .string = string_of_kernel, .user = core};
    native_text text = {0}, read = {0};
    if (!prints(core))
        return;
    if (named)
        add_core(&text, core);
    const bool good = twin_native_text_string(&read, core, (uintptr_t)format) &&
                      twin_native_text_values(&text, read.at ? read.at : "", &all);
    free(read.at);
    text.no_memory = text.no_memory || read.no_memory;
    if (good || text.no_memory) {
        twin_native_print_out(core, &text);
        return;
    }
    free(text.at);
    twin_native_fail(core, TWIN_NATIVE_ADDRESS, NULL,
                     "printf: the format, or the value of a %%s, is not the address of a string "
                     "that ends");
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "ir.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "say.h"

/* ---- pieces ---------------------------------------------------------------------------------- */

bool ir_is(struct ir_text text, const char *word)
{
    return text.length == strlen(word) && memcmp(text.at, word, text.length) == 0;
}

bool ir_begins(struct ir_text text, const char *start)
{
    const size_t length = strlen(start);
    return text.length >= length && memcmp(text.at, start, length) == 0;
}

struct ir_text ir_after(struct ir_text text, size_t place)
{
    return (struct ir_text){text.at + place, text.length - place};
}

/* Past the string whose quote is at `place`. */
static size_t past_string(struct ir_text text, size_t place)
{
    for (place++; place < text.length && text.at[place] != '"'; place++)
        continue;
    return place < text.length ? place + 1 : place;
}

size_t ir_place(struct ir_text text, const char *word)
{
    for (size_t place = 0; place < text.length;) {
        if (ir_begins(ir_after(text, place), word))
            return place;
        place = text.at[place] == '"' ? past_string(text, place) : place + 1;
    }
    return text.length;
}

struct ir_text ir_until(struct ir_text text, size_t place, const char *ends)
{
    const size_t first = place;
    int depth = 0;
    while (place < text.length) {
        const char c = text.at[place];
        if (depth == 0 && strchr(ends, c))
            break;
        if (strchr("([{<", c))
            depth++;
        else if (strchr(")]}>", c) && depth > 0)
            depth--;
        place = c == '"' ? past_string(text, place) : place + 1;
    }
    return (struct ir_text){text.at + first, place - first};
}

struct ir_text ir_trim(struct ir_text text)
{
    while (text.length > 0 && isspace((unsigned char)text.at[0]))
        text = ir_after(text, 1);
    while (text.length > 0 && isspace((unsigned char)text.at[text.length - 1]))
        text.length--;
    return text;
}

bool ir_next_line(struct ir_text text, size_t *place, struct ir_text *out_line)
{
    if (*place >= text.length)
        return false;
    const char *first = text.at + *place;
    const char *end = memchr(first, '\n', text.length - *place);
    out_line->at = first;
    out_line->length = end ? (size_t)(end - first) + 1 : text.length - *place;
    *place += out_line->length;
    return true;
}

void ir_write(struct ir_text text, FILE *out)
{
    fwrite(text.at, 1, text.length, out);
}

size_t ir_closing(struct ir_text text, size_t open)
{
    return open + 1 + ir_until(text, open + 1, ")").length;
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || strchr("$._-", c) != NULL;
}

/* The name after an @ or $ at `place`, with its quotes. */
static struct ir_text name_at(struct ir_text text, size_t place)
{
    size_t end = place + 1;
    if (end < text.length && text.at[end] == '"')
        end = past_string(text, end);
    else
        while (end < text.length && is_name(text.at[end]))
            end++;
    return (struct ir_text){text.at + place + 1, end - place - 1};
}

bool ir_next_name(struct ir_text text, size_t *place, struct ir_text *out_name)
{
    while (*place < text.length) {
        const char c = text.at[*place];
        if (c == '@') {
            *out_name = name_at(text, *place);
            *place += out_name->length + 1;
            if (out_name->length > 0)
                return true;
            continue;
        }
        *place = c == '"' ? past_string(text, *place) : *place + 1;
    }
    return false;
}

struct ir_text ir_parameters(const struct ir_entity *function)
{
    const size_t name = (size_t)(function->name.at - function->text.at);
    const size_t open = name + function->name.length; /* a parenthesis, always */
    const size_t close = ir_closing(function->text, open);
    return (struct ir_text){function->text.at + open + 1, close - open - 1};
}

/* ---- modules --------------------------------------------------------------------------------- */

static struct ir_entity *add(struct ir_module *module, enum ir_kind kind, struct ir_text text)
{
    if ((module->count & (module->count - 1)) == 0) {
        const size_t room = module->count > 0 ? 2 * module->count : 1;
        struct ir_entity *grown = realloc(module->entities, room * sizeof(*grown));
        if (!grown)
            cc_no_memory();
        module->entities = grown;
    }
    struct ir_entity *entity = &module->entities[module->count++];
    *entity = (struct ir_entity){.kind = kind, .text = text};
    return entity;
}

static enum ir_kind kind_of(struct ir_text line)
{
    if (ir_begins(line, "define "))
        return IR_FUNCTION;
    if (ir_begins(line, "declare "))
        return IR_DECLARATION;
    if (ir_begins(line, "@"))
        return IR_VARIABLE;
    if (ir_begins(line, "$"))
        return IR_COMDAT;
    if (line.length > 1 && line.at[0] == '!' && isdigit((unsigned char)line.at[1]))
        return IR_METADATA;
    return IR_OTHER;
}

/* The line and those after it, to the one that is a brace. */
static struct ir_text whole_function(struct ir_text all, size_t *place, struct ir_text line)
{
    struct ir_text next;
    struct ir_text whole = line;
    while (ir_next_line(all, place, &next)) {
        whole.length += next.length;
        if (ir_begins(next, "}"))
            break;
    }
    return whole;
}

static int by_name(const void *a, const void *b)
{
    const struct ir_text *x = &(*(struct ir_entity *const *)a)->name;
    const struct ir_text *y = &(*(struct ir_entity *const *)b)->name;
    const size_t least = x->length < y->length ? x->length : y->length;
    const int order = memcmp(x->at, y->at, least);
    return order != 0 ? order : (x->length > y->length) - (x->length < y->length);
}

static void index_names(struct ir_module *module)
{
    module->by_name = calloc(module->count + 1, sizeof(struct ir_entity *));
    if (!module->by_name)
        cc_no_memory();
    for (size_t i = 0; i < module->count; i++)
        if (module->entities[i].name.length > 0)
            module->by_name[module->named++] = &module->entities[i];
    qsort(module->by_name, module->named, sizeof(struct ir_entity *), by_name);
}

static void index_metadata(struct ir_module *module)
{
    for (size_t i = 0; i < module->count; i++) {
        const struct ir_entity *entity = &module->entities[i];
        if (entity->kind != IR_METADATA)
            continue;
        const size_t number = strtoul(entity->text.at + 1, NULL, 10);
        if (number > module->length) /* each takes a line */
            continue;
        if (number >= module->metadata_count) {
            const size_t count = 2 * number + 64;
            struct ir_text *grown = realloc(module->metadata, count * sizeof(*grown));
            if (!grown)
                cc_no_memory();
            memset(grown + module->metadata_count, 0,
                   (count - module->metadata_count) * sizeof(*grown));
            module->metadata = grown;
            module->metadata_count = count;
        }
        module->metadata[number] = entity->text;
    }
}

void ir_parse(struct ir_module *module, const char *text, size_t length)
{
    *module = (struct ir_module){.text = malloc(length + 1), .length = length};
    if (!module->text)
        cc_no_memory();
    memcpy(module->text, text, length);
    module->text[length] = '\0';
    const struct ir_text all = {module->text, length};
    struct ir_text line;
    size_t place = 0;
    while (ir_next_line(all, &place, &line)) {
        const enum ir_kind kind = kind_of(line);
        if (kind == IR_FUNCTION)
            line = whole_function(all, &place, line);
        struct ir_entity *entity = add(module, kind, line);
        size_t from = 0;
        if (kind == IR_FUNCTION || kind == IR_DECLARATION || kind == IR_VARIABLE)
            (void)ir_next_name(line, &from, &entity->name);
    }
    index_names(module);
    index_metadata(module);
}

int ir_read(struct ir_module *module, const char *path)
{
    FILE *file = fopen(path, "re");
    char *text = NULL;
    long length = -1;
    if (file && fseek(file, 0, SEEK_END) == 0)
        length = ftell(file);
    if (length >= 0 && fseek(file, 0, SEEK_SET) == 0)
        text = malloc((size_t)length + 1);
    const bool good =
        text && fread(text, 1, (size_t)length, file) == (size_t)length && ferror(file) == 0;
    if (good)
        ir_parse(module, text, (size_t)length);
    else
        (void)cc_error("%s cannot be read: %s", path, strerror(errno));
    free(text);
    if (file)
        fclose(file);
    return good ? 0 : -1;
}

void ir_free(struct ir_module *module)
{
    free(module->text);
    free(module->entities);
    free(module->by_name);
    free(module->metadata);
    *module = (struct ir_module){0};
}

struct ir_entity *ir_find(const struct ir_module *module, struct ir_text name)
{
    struct ir_entity wanted = {.name = name};
    struct ir_entity *key = &wanted;
    struct ir_entity **found = module->named == 0 ? NULL
                                                  : bsearch(&key, module->by_name, module->named,
                                                            sizeof(struct ir_entity *), by_name);
    return found ? *found : NULL;
}

void ir_forget(struct ir_module *module)
{
    for (size_t i = 0; i < module->count; i++)
        module->entities[i].reached = false;
}

void ir_reach(struct ir_module *module, struct ir_entity *from)
{
    if (from->reached)
        return;
    struct ir_entity **left = calloc(module->named + 1, sizeof(struct ir_entity *));
    size_t count = 0;
    if (!left)
        cc_no_memory();
    from->reached = true;
    left[count++] = from;
    while (count > 0) {
        const struct ir_entity *entity = left[--count];
        struct ir_text name;
        size_t place = 0;
        while (ir_next_name(entity->text, &place, &name)) {
            struct ir_entity *found = ir_find(module, name);
            if (found && !found->reached) {
                found->reached = true;
                left[count++] = found;
            }
        }
    }
    free(left);
}

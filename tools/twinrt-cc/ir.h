/* SPDX-License-Identifier: Apache-2.0 */
/* A module of LLVM IR as text: what is at its top, and who names whom. Texts are pieces of the
 * module's, with no end of their own. */
#ifndef TWINRT_TOOLS_CC_IR_H
#define TWINRT_TOOLS_CC_IR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct ir_text {
    const char *at;
    size_t length;
};

enum ir_kind {
    IR_OTHER,       /* a line that names nothing here: target, type, attributes, ... */
    IR_VARIABLE,    /* @name = ... */
    IR_FUNCTION,    /* define ... } */
    IR_DECLARATION, /* declare ... */
    IR_COMDAT,      /* $name = comdat ... */
    IR_METADATA     /* !12 = ... */
};

struct ir_entity {
    enum ir_kind kind;
    struct ir_text text; /* with its line ends */
    struct ir_text name; /* of variables, functions and declarations: after the @, with quotes */
    bool reached;
};

struct ir_module {
    char *text;
    size_t length;
    struct ir_entity *entities;
    size_t count;
    struct ir_entity **by_name; /* those with names, sorted */
    size_t named;
    struct ir_text *metadata; /* by number; NULL: none */
    size_t metadata_count;
};

/* Reads a file. Returns 0, or -1 with a message. Ended by ir_free. */
int ir_read(struct ir_module *module, const char *path);
/* The same from text, which is copied. */
void ir_parse(struct ir_module *module, const char *text, size_t length);
void ir_free(struct ir_module *module);

struct ir_entity *ir_find(const struct ir_module *module, struct ir_text name);
/* The next @name in the text from *place on, outside of strings; false: none. *place is past it. */
bool ir_next_name(struct ir_text text, size_t *place, struct ir_text *out_name);
/* Marks what is named by `from`, and so on. */
void ir_reach(struct ir_module *module, struct ir_entity *from);
void ir_forget(struct ir_module *module);

/* ---- pieces of lines ------------------------------------------------------------------------- */

static inline struct ir_text ir_word(const char *word)
{
    return (struct ir_text){word, __builtin_strlen(word)};
}
bool ir_is(struct ir_text text, const char *word);
bool ir_begins(struct ir_text text, const char *start);
/* Where `word` is, outside of strings; the length of the text if it is nowhere. */
size_t ir_place(struct ir_text text, const char *word);
/* From `place` up to one of the characters `ends` outside of brackets and strings. */
struct ir_text ir_until(struct ir_text text, size_t place, const char *ends);
/* Without blanks at its ends. */
struct ir_text ir_trim(struct ir_text text);
struct ir_text ir_after(struct ir_text text, size_t place);
/* A line of the text from *place on, with its end; false: none. */
bool ir_next_line(struct ir_text text, size_t *place, struct ir_text *out_line);
void ir_write(struct ir_text text, FILE *out);
/* The place of the parenthesis that closes the one at `open`. */
size_t ir_closing(struct ir_text text, size_t open);
/* The parameters of a `define` line: all between the parentheses after its name. */
struct ir_text ir_parameters(const struct ir_entity *function);

#endif

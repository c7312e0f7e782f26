/* SPDX-License-Identifier: Apache-2.0 */
#include "launches.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* A place in a text. */
typedef struct cursor {
    const char *text;
    size_t length;
} cursor;

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool at(const cursor *in, size_t place, const char *word)
{
    const size_t length = strlen(word);
    return place + length <= in->length && memcmp(in->text + place, word, length) == 0;
}

/* Past a literal that begins with a quote at `place`; it ends with its line. */
static size_t past_quoted(const cursor *in, size_t place)
{
    const char quote = in->text[place];
    for (place++; place < in->length && in->text[place] != '\n'; place++) {
        if (in->text[place] == '\\' && place + 1 < in->length)
            place++;
        else if (in->text[place] == quote)
            return place + 1;
    }
    return place;
}

/* Past R"x( ... )x", whose quote is at `place`. */
static size_t past_raw(const cursor *in, size_t place)
{
    char end[20] = ")";
    size_t length = 1;
    size_t to = place + 1;
    for (; to < in->length && in->text[to] != '(' && length < sizeof(end) - 2; to++)
        end[length++] = in->text[to];
    end[length] = '"';
    end[length + 1] = '\0';
    while (to < in->length && !at(in, to, end))
        to++;
    return to < in->length ? to + length + 1 : to;
}

static size_t past_comment(const cursor *in, size_t place)
{
    if (in->text[place + 1] == '/') {
        while (place < in->length && in->text[place] != '\n')
            place++;
        return place;
    }
    place += 2;
    while (place < in->length && !at(in, place, "*/"))
        place++;
    return place < in->length ? place + 2 : place;
}

static bool begins_comment(const cursor *in, size_t place)
{
    return at(in, place, "//") || at(in, place, "/*");
}

/* Past a word or number, and past the literal that it is a prefix of. */
static size_t past_word(const cursor *in, size_t place)
{
    const size_t first = place;
    const bool number = isdigit((unsigned char)in->text[place]) != 0;
    while (place < in->length && (is_word(in->text[place]) ||
                                  (number && (in->text[place] == '.' ||
                                              (in->text[place] == '\'' && place + 1 < in->length &&
                                               is_word(in->text[place + 1]))))))
        place++;
    if (!number && place < in->length && in->text[place] == '"' && place > first &&
        in->text[place - 1] == 'R')
        return past_raw(in, place);
    return place;
}

/* Past the token, comment or blank at `place`. */
static size_t past(const cursor *in, size_t place)
{
    const char c = in->text[place];
    if (begins_comment(in, place))
        return past_comment(in, place);
    if (c == '"' || c == '\'')
        return past_quoted(in, place);
    if (is_word(c))
        return past_word(in, place);
    return place + 1;
}

static size_t past_blanks(const cursor *in, size_t place)
{
    while (place < in->length && (isspace((unsigned char)in->text[place]) ||
                                  in->text[place] == '\\' || begins_comment(in, place)))
        place = past(in, place);
    return place;
}

/* Where `end` is, outside of brackets; the length of the text if it is nowhere in the statement. */
static size_t find_end(const cursor *in, size_t place, const char *end)
{
    int depth = 0;
    while (place < in->length) {
        const char c = in->text[place];
        if (depth == 0 && at(in, place, end))
            return place;
        if (c == '(' || c == '[' || c == '{')
            depth++;
        else if (c == ')' || c == ']' || c == '}')
            depth--;
        if (depth < 0 || (c == ';' && depth == 0))
            break;
        place = past(in, place);
    }
    return in->length;
}

static void put(const cursor *in, size_t from, size_t to, FILE *out)
{
    fwrite(in->text + from, 1, to - from, out);
}

/* Without comments, but for their line ends: a `)` follows. */
static void put_code(const cursor *in, size_t from, size_t to, FILE *out)
{
    while (from < to) {
        const size_t next = past(in, from);
        if (!begins_comment(in, from))
            put(in, from, next, out);
        else
            for (size_t i = from; i < next; i++)
                if (in->text[i] == '\n')
                    putc('\n', out);
        from = next;
    }
}

/* The launch whose `<<<` is at `place`. Returns where it ends, or `place` if it is not one. */
static size_t put_launch(const cursor *in, size_t place, FILE *out)
{
    const size_t shape = place + 3;
    const size_t shape_end = find_end(in, shape, ">>>");
    if (shape_end == in->length)
        return place;
    const size_t open = past_blanks(in, shape_end + 3);
    if (open >= in->length || in->text[open] != '(')
        return place;
    const size_t close = find_end(in, open + 1, ")");
    if (close == in->length)
        return place;
    put(in, shape_end + 3, close + 1, out);
    fputs(", ::twk_launch_(", out);
    put_code(in, shape, shape_end, out);
    putc(')', out);
    return close + 1;
}

static bool casts_to_global(const cursor *in, size_t place)
{
    if (!at(in, place, "const_cast"))
        return false;
    const size_t open = past_blanks(in, place + strlen("const_cast"));
    return at(in, open, "<") && at(in, past_blanks(in, open + 1), "__gm__");
}

/* Past the words or signs, with blanks between them; `place` if they are not there. */
static size_t past_parts(const cursor *in, size_t place, const char *const *parts, size_t count)
{
    size_t next = place;
    for (size_t i = 0; i < count; i++) {
        next = past_blanks(in, next);
        if (!at(in, next, parts[i]))
            return place;
        next += strlen(parts[i]);
    }
    return next;
}

/* The pieces of assembly that sources and headers have: asm("trap"), and those that read a register
 * into a variable. Returns where it ends, or `place` if it is none of them. */
static size_t put_assembly(const cursor *in, size_t place, FILE *out)
{
    static const char *const trap[] = {"(", "\"trap\"", ")"};
    static const struct {
        const char *parts[5];
        const char *value;
    } reads[] = {{{"(", "\"MOV %0, SYS_CNT\\n\"", ":", "\"+l\"", "("}, "::get_sys_cnt()"},
                 {{"(", "\"MOV %0, PC\\n\"", ":", "\"+l\"", "("}, "::twk_program_counter_()"}};
    static const char *const end[] = {")", ")"};
    const size_t word = at(in, place, "__asm__") ? strlen("__asm__") : strlen("asm");
    if ((!at(in, place, "asm") && !at(in, place, "__asm__")) || past(in, place) != place + word)
        return place;
    size_t next = past_blanks(in, place + word);
    if (at(in, next, "volatile"))
        next = past_blanks(in, next + strlen("volatile"));
    const size_t trapped = past_parts(in, next, trap, 3);
    if (trapped > next) {
        fputs("::trap()", out);
        return trapped;
    }
    for (size_t i = 0; i < sizeof(reads) / sizeof(reads[0]); i++) {
        const size_t variable = past_parts(in, next, reads[i].parts, 5);
        const size_t close = variable > next ? find_end(in, variable, ")") : in->length;
        const size_t ended = close < in->length ? past_parts(in, close, end, 2) : close;
        if (close == in->length || ended == close)
            continue;
        put_code(in, variable, close, out);
        fprintf(out, " = %s", reads[i].value);
        return ended;
    }
    return place;
}

/* Past [aicore] or [host, aicore], which the device's compiler takes where an attribute may be;
 * `place` if it is neither. ([host] alone is an index or a capture far more often.) */
static size_t past_side(const cursor *in, size_t place)
{
    static const char *const forms[][5] = {
        {"[", "aicore", "]"}, {"[", "host", ",", "aicore", "]"}, {"[", "aicore", ",", "host", "]"}};
    static const size_t parts[] = {3, 5, 5};
    size_t next = place;
    for (size_t i = 0; i < 3 && next == place && at(in, place, "["); i++)
        next = past_parts(in, place, forms[i], parts[i]);
    return next;
}

void cc_rewrite_launches(const char *text, size_t length, FILE *out)
{
    const cursor in = {text, length};
    bool operator_before = false; /* operator<<<type>() */
    size_t assembly_end = 0;
    size_t side_end = 0;
    for (size_t place = 0; place < length;) {
        size_t next = past(&in, place);
        if (at(&in, place, "<<<") && !operator_before) {
            const size_t end = put_launch(&in, place, out);
            next = end > place ? end : place + 3;
            if (end == place)
                put(&in, place, next, out);
        } else if ((text[place] == 'a' || text[place] == '_') &&
                   (assembly_end = put_assembly(&in, place, out)) > place) {
            next = assembly_end;
            for (size_t i = place; i < next; i++)
                if (text[i] == '\n')
                    putc('\n', out);
        } else if ((side_end = past_side(&in, place)) > place) {
            next = side_end;
            for (size_t i = place; i < next; i++)
                if (text[i] == '\n')
                    putc('\n', out);
        } else if (is_word(text[place]) && casts_to_global(&in, place)) {
            fputs("twk_const_cast_", out);
        } else {
            put(&in, place, next, out);
        }
        if (!isspace((unsigned char)text[place]) && !begins_comment(&in, place))
            operator_before = next - place == strlen("operator") && at(&in, place, "operator");
        place = next;
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "response_file.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "say.h"

#define DEPTH_MOST 16 /* of files that name files */

static int add_word(const char *word, int depth, struct cc_list *out);

/* The word that begins with `byte`; `*text` has its bytes. */
static void read_word(FILE *file, int byte, FILE *text)
{
    int quote = 0;
    for (; byte != EOF && (quote || !strchr(" \t\r\n\v\f", byte)); byte = getc(file)) {
        if (byte == quote)
            quote = 0;
        else if (!quote && (byte == '"' || byte == '\''))
            quote = byte;
        else if (byte != '\\' || (byte = getc(file)) != EOF)
            fputc(byte, text);
    }
}

static int add_file(FILE *file, int depth, struct cc_list *out)
{
    int result = 0;
    int byte = 0;
    while (result == 0 && (byte = getc(file)) != EOF) {
        char *word = NULL;
        size_t length = 0;
        FILE *text = strchr(" \t\r\n\v\f", byte) ? NULL : open_memstream(&word, &length);
        if (!text)
            continue;
        read_word(file, byte, text);
        if (fclose(text) != 0)
            cc_no_memory();
        result = add_word(word, depth, out);
        free(word);
    }
    return result;
}

static int add_word(const char *word, int depth, struct cc_list *out)
{
    FILE *file = word[0] == '@' ? fopen(word + 1, "re") : NULL;
    int result = 0;
    if (!file)
        cc_add(out, word);
    else if (depth == DEPTH_MOST)
        result =
            cc_error("%s: files of arguments name each other more than %d deep", word, DEPTH_MOST);
    else
        result = add_file(file, depth + 1, out);
    if (file)
        fclose(file);
    return result;
}

int cc_expand_arguments(int argc, char **argv, struct cc_list *out)
{
    int result = 0;
    for (int i = 0; i < argc && result == 0; i++)
        result = i == 0 ? (cc_add(out, argv[0]), 0) : add_word(argv[i], 0, out);
    return result;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "list.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "say.h"

static void take(struct cc_list *list, char *word)
{
    char **grown = realloc(list->words, (list->count + 2) * sizeof(*grown));
    if (!word || !grown)
        cc_no_memory();
    list->words = grown;
    grown[list->count++] = word;
    grown[list->count] = NULL;
}

void cc_add(struct cc_list *list, const char *word)
{
    take(list, strdup(word));
}

void cc_add_made(struct cc_list *list, const char *format, ...)
{
    char *word = NULL;
    va_list values;
    va_start(values, format);
    if (vasprintf(&word, format, values) < 0)
        word = NULL;
    va_end(values);
    take(list, word);
}

void cc_add_split(struct cc_list *list, const char *words)
{
    while (*(words += strspn(words, " \t"))) {
        const size_t length = strcspn(words, " \t");
        take(list, strndup(words, length));
        words += length;
    }
}

void cc_add_list(struct cc_list *list, const struct cc_list *other)
{
    for (size_t i = 0; i < other->count; i++)
        cc_add(list, other->words[i]);
}

void cc_list_free(struct cc_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->words[i]);
    free(list->words);
    *list = (struct cc_list){0};
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of words, as commands are made of. */
#ifndef TWINRT_TOOLS_CC_LIST_H
#define TWINRT_TOOLS_CC_LIST_H

#include <stddef.h>

/* `words` ends with NULL as soon as there is one. Zeroed: an empty one. */
struct cc_list {
    char **words;
    size_t count;
};

/* Adds a copy of a word. */
void cc_add(struct cc_list *list, const char *word);
/* Adds what the format makes. */
__attribute__((format(printf, 2, 3))) void cc_add_made(struct cc_list *list, const char *format,
                                                       ...);
/* Adds the words between the spaces. */
void cc_add_split(struct cc_list *list, const char *words);
void cc_add_list(struct cc_list *list, const struct cc_list *other);
void cc_list_free(struct cc_list *list);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and writing JSON with cJSON: files, members, and objects that one expression builds.
 *
 * Builders take over the values that they are given. When out of memory they leave something out,
 * and the next json_print() returns false. One thread at a time. */
#ifndef TWINRT_TOOLS_OUTPUT_JSON_H
#define TWINRT_TOOLS_OUTPUT_JSON_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdio.h>

/* Reads a file that holds one JSON value. NULL: errno says why; 0: the content is not JSON. */
cJSON *json_file_read(const char *path);

/* A member's number, 0 without one; its text, "" without one. */
double json_number(const cJSON *object, const char *key);
const char *json_text(const cJSON *object, const char *key);

struct json_member {
    const char *name;
    cJSON *value;
};
#define JSON_NUMBER(name, number) ((struct json_member){name, cJSON_CreateNumber((double)(number))})
#define JSON_TEXT(name, text)     ((struct json_member){name, cJSON_CreateString(text)})
#define JSON_BOOL(name, value)    ((struct json_member){name, cJSON_CreateBool(value)})
#define JSON_ITEM(name, item)     ((struct json_member){name, item})

/* json_object(JSON_TEXT("kind", "copy"), JSON_NUMBER("bytes", 64)): a new object of these members.
 * json_add(object, JSON_BOOL("clean", true)): adds members. Both return the object. */
#define json_object(...) json_add(cJSON_CreateObject(), __VA_ARGS__)
#define json_add(object, ...)                                                                      \
    json_add_members(object, (const struct json_member[]){__VA_ARGS__, {NULL, NULL}})
cJSON *json_add_members(cJSON *object, const struct json_member *members);
/* Adds to the end of a list. Returns the list. */
cJSON *json_append(cJSON *list, cJSON *item);
/* A new list of one item. */
cJSON *json_list_of(cJSON *item);
/* Prints a value and frees it. False: out of memory. */
bool json_print(cJSON *root, FILE *out);

#endif

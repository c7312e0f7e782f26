/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TWINRT_TOOLS_JSON_FILE_H
#define TWINRT_TOOLS_JSON_FILE_H

#include <cjson/cJSON.h>

/* Reads a file that holds one JSON value. NULL: errno says why; 0: the content is not JSON. */
cJSON *json_file_read(const char *path);

/* A member's number, 0 without one; its text, "" without one. */
double json_number(const cJSON *object, const char *key);
const char *json_text(const cJSON *object, const char *key);

#endif

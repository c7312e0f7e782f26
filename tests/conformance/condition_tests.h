/* SPDX-License-Identifier: Apache-2.0 */
/* What the condition suite shares: captures whose conditional tasks count what they run. */
#ifndef TWINRT_CONFORMANCE_CONDITION_TESTS_H
#define TWINRT_CONFORMANCE_CONDITION_TESTS_H

#include "capture_tests.h"

/* The instance of the stream's capture. */
aclmdlRI condition_instance(aclrtStream stream);
/* A condition for the stream's capture; *word: its word. */
aclmdlRICondHandle condition_handle(aclrtStream stream, uint64_t **word);
/* The same with a value at the begin of each run. */
aclmdlRICondHandle condition_default(aclrtStream stream, uint32_t value, uint64_t **word);
aclError condition_add(aclmdlRICondHandle handle, aclmdlRICondTaskType type, uint32_t size,
                       aclmdlRI *graphs, aclrtStream stream);
/* Captures into a graph from here on; the end. */
void condition_begin(aclrtStream stream, aclmdlRI graph);
void condition_end(aclrtStream stream, aclmdlRI graph);
/* A graph whose only task adds 1 to words[place]. */
void condition_count(capture *s, aclmdlRI graph, aclrtStream stream, unsigned place);
/* Queues words[place] += 1; word -= 1, where the word is 1 or more. */
void condition_up(capture *s, unsigned place, aclrtStream stream);
void condition_down(capture *s, uint64_t *word, aclrtStream stream);
/* Writes the word at once. */
void condition_write(uint64_t *word, uint64_t value);
/* Writes it, executes, and clears the words of `s` before. */
void condition_run(capture *s, aclmdlRI instance, uint64_t *word, uint64_t value);
void condition_open(capture *s);

/* condition_run.c */
void test_if(void);
void test_if_else(void);
void test_while(void);
void test_switch(void);
void test_default(void);
void test_inside(void);
void test_lanes(void);
void test_joined_lane(void);
void test_nested(void);
void test_nested_default(void);
void test_long(void);
void test_empty(void);
void test_aborted(void);
void test_host_function(void);

#endif

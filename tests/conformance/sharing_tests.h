/* SPDX-License-Identifier: Apache-2.0 */
/* The tests of the sharing suite; sharing_suite.c gives each its sentence. */
#ifndef TWINRT_CONFORMANCE_SHARING_TESTS_H
#define TWINRT_CONFORMANCE_SHARING_TESTS_H

#include "partner.h"
#include "suite.h"

#define KEY_BYTES 65
/* Flags of export: any process may import. */
#define ANY_PROCESS ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION

aclrtNotify sharing_notify(void);
aclrtEvent sharing_event(void);
/* The handle as a line, and back. */
void sharing_write_handle(aclrtEvent event, char line[TWIN_LINE]);
aclrtEvent sharing_open_handle(const char *line);

/* sharing_suite.c: within one process */
void test_export_arguments(void);
void test_import_arguments(void);
void test_own_whitelist(void);
void test_own_notify(void);
void test_notify_on_other_device(void);
void test_notify_handles(void);
void test_event_arguments(void);
void test_own_event(void);
void test_event_on_other_device(void);
void test_event_before_record(void);
void test_event_unsupported(void);
void test_event_handles(void);
void test_made_up_keys(void);

/* sharing_process.c: with a second process */
void test_partner_records(void);
void test_partner_answered(void);
void test_partner_whitelist(void);
void test_partner_waits_for_event(void);
void test_partner_records_event(void);
void test_partner_finds_event(void);
void test_partner_keeps_event(void);
void test_partner_ends(void);
void test_partner_killed(void);
void test_partner_killed_while_recording(void);
void test_own_deadlock_is_found(void);
extern const twin_child sharing_children[];
extern const size_t sharing_child_count;

#endif

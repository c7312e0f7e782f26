/* SPDX-License-Identifier: Apache-2.0 */
#include "core/callback/init_callback.h"

#include "core/backend/error.h"
#include "core/base/alloc.h"

typedef struct entry {
    struct entry *next; /* registered later */
    twin_registration registration;
    uint64_t round; /* of the last call; a round is one run of aclInit or aclFinalize */
} entry;

static entry *entries;
static uint64_t current_round;

/* Types are called in these orders; others are called by a late registration only. */
static const int32_t init_order[] = {TWIN_CALLBACK_MODEL, TWIN_CALLBACK_OP_EXECUTOR,
                                     TWIN_CALLBACK_DVPP, TWIN_CALLBACK_OTHER};
static const int32_t finalize_order[] = {TWIN_CALLBACK_OP_COMPILER, TWIN_CALLBACK_MODEL,
                                         TWIN_CALLBACK_DVPP, TWIN_CALLBACK_OTHER};
#define ORDER_COUNT (sizeof(init_order) / sizeof(init_order[0]))
_Static_assert(sizeof(init_order) == sizeof(finalize_order), "both orders have four types");

static int32_t check(const twin_registration *registration)
{
    if (!registration->at_init && !registration->at_finalize)
        return twin_fail(TWIN_ERR_ARG_NULL, "cbFunc is NULL; it must be a function");
    return 0;
}

static bool of_type(const entry *item, twin_moment moment, int32_t type)
{
    return item->registration.moment == moment && item->registration.type == type;
}

int32_t twin_registration_add(const twin_registration *registration)
{
    int32_t code = check(registration);
    if (code != 0)
        return code;
    entry **end = &entries;
    for (; *end; end = &(*end)->next)
        if (registration->type != TWIN_CALLBACK_OTHER &&
            of_type(*end, registration->moment, registration->type))
            return twin_fail(TWIN_ERR_REGISTRATION,
                             "type %d has a callback already; unregister it first",
                             registration->type);
    entry *item = twin_zalloc(sizeof(*item));
    if (!item)
        return twin_fail(TWIN_ERR_NOMEM, "no host memory for a callback");
    item->registration = *registration;
    *end = item;
    return 0;
}

int32_t twin_registration_remove(const twin_registration *registration)
{
    int32_t code = check(registration);
    if (code != 0)
        return code;
    for (entry **link = &entries; *link; link = &(*link)->next) {
        entry *item = *link;
        if (!of_type(item, registration->moment, registration->type) ||
            item->registration.at_init != registration->at_init ||
            item->registration.at_finalize != registration->at_finalize)
            continue;
        *link = item->next;
        twin_free(item);
        return 0;
    }
    return twin_fail(TWIN_ERR_REGISTRATION, "type %d does not have that callback",
                     registration->type);
}

void twin_registrations_begin(void)
{
    current_round++;
}

bool twin_registrations_next(twin_moment moment, bool with_file, twin_registration *out_due)
{
    const int32_t *order = moment == TWIN_AT_INIT ? init_order : finalize_order;
    for (size_t i = 0; i < ORDER_COUNT; i++) {
        if (order[i] == TWIN_CALLBACK_OP_EXECUTOR && !with_file)
            continue;
        for (entry *item = entries; item; item = item->next) {
            if (!of_type(item, moment, order[i]) || item->round == current_round)
                continue;
            item->round = current_round;
            *out_due = item->registration;
            return true;
        }
    }
    return false;
}

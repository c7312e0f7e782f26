/* SPDX-License-Identifier: Apache-2.0 */
/* Callbacks for when the process is initialised and when that ends. The list itself has no
 * lock: core/init.c guards it with its own, and calls what is listed with no lock held. */
#ifndef TWINRT_CORE_CALLBACK_INIT_CALLBACK_H
#define TWINRT_CORE_CALLBACK_INIT_CALLBACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Types, with the public values. */
#define TWIN_CALLBACK_MODEL       0
#define TWIN_CALLBACK_OP_EXECUTOR 1
#define TWIN_CALLBACK_OP_COMPILER 3
#define TWIN_CALLBACK_DVPP        6
#define TWIN_CALLBACK_LAST        7
#define TWIN_CALLBACK_OTHER       0xFFFF

typedef int32_t (*twin_init_callback)(const char *text, size_t bytes, void *user);
typedef int32_t (*twin_finalize_callback)(void *user);

typedef enum twin_moment { TWIN_AT_INIT, TWIN_AT_FINALIZE } twin_moment;

/* One registration. The function is the one of its moment. */
typedef struct twin_registration {
    twin_moment moment;
    int32_t type;
    twin_init_callback at_init;
    twin_finalize_callback at_finalize;
    void *user;
} twin_registration;

/* Adds a registration after the others of its type. 100000: no function, or an unknown type.
 * 500000: the type, other than OTHER, has one already. 207001. */
int32_t twin_registration_add(const twin_registration *registration);
/* Takes the oldest one of that moment, type and function off. 100000; 500000: there is none. */
int32_t twin_registration_remove(const twin_registration *registration);

/* A round of calls begins: every registration is due once. */
void twin_registrations_begin(void);
/* The next due one, in the order of its moment; false when none is left. `with_file`: a
 * configuration file was given, which the operator executor's callback is for. */
bool twin_registrations_next(twin_moment moment, bool with_file, twin_registration *out_due);

#endif

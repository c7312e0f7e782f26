/* SPDX-License-Identifier: Apache-2.0 */
#include "core/backend/turns.h"

#include "seam/host_time.h"

static const twin_turn_ops *turns;
static void (*table_enter)(const twin_call *call);

static void enter_in_turn(const twin_call *call)
{
    turns->call();
    table_enter(call);
}

void twin_turns_wrap(struct twin_backend *table, const twin_host_time *host_time)
{
    if (!host_time || !host_time->turns)
        return;
    turns = host_time->turns;
    table_enter = table->host.enter;
    table->host.enter = enter_in_turn;
}

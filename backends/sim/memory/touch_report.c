/* SPDX-License-Identifier: Apache-2.0 */
#include "memory/touch_report.h"

#include "wait/leader.h"

bool sim_touch_report(const twin_touch *what)
{
    static uint64_t newest_ns, newest_step; /* guarded by the model lock, as `uses` */
    static uint32_t uses;
    twin_touch touch = *what;
    touch.at_ns = twinsim_step(sim_process.sim, &touch.step);
    if (touch.at_ns != newest_ns || touch.step != newest_step)
        uses = 0;
    newest_ns = touch.at_ns;
    newest_step = touch.step;
    if ((touch.step & 1) == 0 && what->what != TWIN_TOUCH_HOST)
        touch.use = ++uses;
    /* what other processes share is memory of its own in a replay */
    return touch.shared || sim_drive_conducted() ? sim_process.touched(&touch) : touch.good;
}

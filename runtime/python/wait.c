/* SPDX-License-Identifier: Apache-2.0 */
/* Ctrl-C during a wait: twinrt's library asks the function below now and then; other libraries
 * finish the wait first. */
#include "hand.h"

#include "twinrt/interrupt.h"

#pragma weak twinrt_set_interrupt /* absent from the vendor's library */

/* Runs the handlers of signals that have come. One that raises ends the wait, and the call raises
 * what it raised. */
static int interrupted(void)
{
    PyGILState_STATE state;
    if (!twin_py_enter(&state))
        return 0;
    int raised = PyErr_CheckSignals() != 0;
    twin_py_leave(state);
    return raised;
}

void twin_py_wait_setup(void)
{
    if (twinrt_set_interrupt)
        twinrt_set_interrupt(interrupted);
}

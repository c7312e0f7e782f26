/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of the loaded backend that the public interface does not have. */
#ifndef TWIN_BENCH_DEVICE_BELOW_H
#define TWIN_BENCH_DEVICE_BELOW_H

#include <stdbool.h>
#include <stdint.h>

/* Looks up an address of the device as each call and task does. False: the device is not a
 * model. */
bool bench_look_up(uint64_t address);
/* Prints `"parameters": {"NAME": "MARK", ...}, ` for the parameters of a list that ends with
 * NULL. */
void bench_print_marks(const char *const *names);

#endif

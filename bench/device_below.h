/* SPDX-License-Identifier: Apache-2.0 */
/* What the backend that the runtime has loaded tells beyond the public interface. */
#ifndef TWIN_BENCH_DEVICE_BELOW_H
#define TWIN_BENCH_DEVICE_BELOW_H

/* Prints `"parameters": {"NAME": "MARK", ...}, ` for the parameters of a list that ends with NULL. */
void bench_print_marks(const char *const *names);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Eigenvalues of small symmetric matrices. Libraries that have this bring a Fortran runtime or
 * another licence. */
#ifndef TWINRT_CALIBRATE_EIGEN_H
#define TWINRT_CALIBRATE_EIGEN_H

#include <stddef.h>

/* `matrix` is n by n, symmetric, and is used up. Afterwards values[k] belongs to the vector in
 * column k of `vectors`: the item of row i is vectors[i * n + k]. In no order. Cyclic Jacobi
 * rotations. */
void calibrate_eigen(double *matrix, size_t n, double *values, double *vectors);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "calibrate/eigen.h"

#include <math.h>
#include <stdbool.h>

#define SWEEPS_MOST 60

/* Turns rows and columns p and q so that their common item becomes 0. */
static void rotate(double *a, size_t n, double *vectors, size_t p, size_t q)
{
    double theta = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
    double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
    double c = 1 / sqrt(t * t + 1);
    double s = t * c;
    for (size_t k = 0; k < n; k++) {
        double kp = a[k * n + p];
        double kq = a[k * n + q];
        a[k * n + p] = c * kp - s * kq;
        a[k * n + q] = s * kp + c * kq;
    }
    for (size_t k = 0; k < n; k++) {
        double pk = a[p * n + k];
        double qk = a[q * n + k];
        a[p * n + k] = c * pk - s * qk;
        a[q * n + k] = s * pk + c * qk;
    }
    for (size_t k = 0; k < n; k++) {
        double kp = vectors[k * n + p];
        double kq = vectors[k * n + q];
        vectors[k * n + p] = c * kp - s * kq;
        vectors[k * n + q] = s * kp + c * kq;
    }
}

void calibrate_eigen(double *matrix, size_t n, double *values, double *vectors)
{
    for (size_t i = 0; i < n * n; i++)
        vectors[i] = i % (n + 1) == 0;
    for (int sweep = 0; sweep < SWEEPS_MOST; sweep++) {
        double outside = 0;
        double inside = 0;
        for (size_t p = 0; p < n; p++) {
            inside += matrix[p * n + p] * matrix[p * n + p];
            for (size_t q = p + 1; q < n; q++)
                outside += matrix[p * n + q] * matrix[p * n + q];
        }
        if (outside <= 1e-30 * inside)
            break;
        for (size_t p = 0; p < n; p++)
            for (size_t q = p + 1; q < n; q++)
                if (matrix[p * n + q] != 0)
                    rotate(matrix, n, vectors, p, q);
    }
    for (size_t i = 0; i < n; i++)
        values[i] = matrix[i * n + i];
}

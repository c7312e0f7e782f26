/* SPDX-License-Identifier: Apache-2.0 */
/* tools/calibrate/eigen: the properties of eigenvectors, for matrices with known eigenvalues. */
#include "calibrate/eigen.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "support/expect.h"

enum { MOST = 24 };

/* Whether matrix * vector == value * vector for each, and the vectors are at right angles and of
 * length 1. */
static bool is_solved(const double *matrix, size_t n, const double *values, const double *vectors)
{
    for (size_t k = 0; k < n; k++) {
        for (size_t i = 0; i < n; i++) {
            double sum = 0;
            for (size_t j = 0; j < n; j++)
                sum += matrix[i * n + j] * vectors[j * n + k];
            if (fabs(sum - values[k] * vectors[i * n + k]) > 1e-9)
                return false;
        }
        for (size_t other = 0; other <= k; other++) {
            double product = 0;
            for (size_t i = 0; i < n; i++)
                product += vectors[i * n + k] * vectors[i * n + other];
            if (fabs(product - (other == k)) > 1e-9)
                return false;
        }
    }
    return true;
}

static void test_two_by_two(void)
{
    const double matrix[] = {2, 1, 1, 2}; /* eigenvalues 1 and 3 */
    double copy[4], values[2], vectors[4];
    memcpy(copy, matrix, sizeof(copy));
    calibrate_eigen(copy, 2, values, vectors);
    CU_ASSERT_DOUBLE_EQUAL(fmin(values[0], values[1]), 1, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(fmax(values[0], values[1]), 3, 1e-12);
    CU_ASSERT_TRUE(is_solved(matrix, 2, values, vectors));
}

static void test_two_equal_columns(void)
{
    const double matrix[] = {1, 1, 0, 1, 1, 0, 0, 0, 1}; /* eigenvalues 0, 2, 1 */
    double copy[9], values[3], vectors[9];
    memcpy(copy, matrix, sizeof(copy));
    calibrate_eigen(copy, 3, values, vectors);
    CU_ASSERT_TRUE(is_solved(matrix, 3, values, vectors));
    CU_ASSERT_DOUBLE_EQUAL(fmin(values[0], fmin(values[1], values[2])), 0, 1e-12);
}

static void test_random(void)
{
    uint64_t dice = 1;
    for (size_t n = 1; n <= MOST; n++) {
        double matrix[MOST * MOST], copy[MOST * MOST], values[MOST], vectors[MOST * MOST];
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j <= i; j++) {
                dice = dice * 6364136223846793005u + 1442695040888963407u;
                matrix[i * n + j] = matrix[j * n + i] = (double)(dice >> 40) / (1 << 23) - 1;
            }
        }
        memcpy(copy, matrix, sizeof(copy));
        calibrate_eigen(copy, n, values, vectors);
        CU_ASSERT_TRUE(is_solved(matrix, n, values, vectors));
    }
}

static void test_nothing(void)
{
    double zero[4] = {0}, values[2], vectors[4];
    calibrate_eigen(zero, 2, values, vectors);
    CU_ASSERT_DOUBLE_EQUAL(values[0], 0, 0);
    CU_ASSERT_DOUBLE_EQUAL(values[1], 0, 0);
}

static const twin_test tests[] = {
    {"a matrix with known eigenvalues has these", test_two_by_two},
    {"two equal columns leave a direction without length", test_two_equal_columns},
    {"random symmetric matrices are taken apart", test_random},
    {"a matrix of zeros has nothing", test_nothing},
};

int main(int argc, char **argv)
{
    return twin_run_suite("calibrate_eigen", tests, TWIN_COUNT(tests), argc, argv);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor descriptions, before aclInit and without a device. Expectations: the vendor's open graph
 * engine, its implementation (api/acl/acl_model/types) and its tests (acl_op_unittest.cpp,
 * ge_format_util_unittest.cc). */
#include <string.h>

#include "suite.h"

static aclTensorDesc *describe(aclDataType type, aclFormat format, int count, const int64_t *dims)
{
    aclTensorDesc *desc = aclCreateTensorDesc(type, count, dims, format);
    CU_ASSERT_PTR_NOT_NULL_FATAL(desc);
    return desc;
}

static void test_create(void)
{
    int64_t dims[] = {16, 32};
    aclTensorDesc *desc = describe(ACL_FLOAT16, ACL_FORMAT_NC1HWC0, 2, dims);
    dims[0] = 99; /* it was copied */
    CHECK_EQUAL(aclGetTensorDescType(desc), ACL_FLOAT16);
    CHECK_EQUAL(aclGetTensorDescFormat(desc), ACL_FORMAT_NC1HWC0);
    CHECK_EQUAL(aclGetTensorDescNumDims(desc), 2);
    CHECK_EQUAL(aclGetTensorDescDim(desc, 0), 16);
    CHECK_EQUAL(aclGetTensorDescDim(desc, 1), 32);
    int64_t dim = 0;
    CHECK_OK(aclGetTensorDescDimV2(desc, 1, &dim));
    CHECK_EQUAL(dim, 32);
    aclDestroyTensorDesc(desc);
}

static void test_scalar(void)
{
    aclTensorDesc *desc = describe(ACL_INT32, ACL_FORMAT_ND, 0, NULL);
    CHECK_EQUAL(aclGetTensorDescNumDims(desc), 0);
    CHECK_EQUAL(aclGetTensorDescElementCount(desc), 1);
    CHECK_EQUAL(aclGetTensorDescSize(desc), 4);
    aclDestroyTensorDesc(desc);
}

static void test_bad_shape(void)
{
    const int64_t dims[] = {1};
    CHECK(!aclCreateTensorDesc(ACL_FLOAT16, 1, NULL, ACL_FORMAT_ND));
    CHECK(!aclCreateTensorDesc(ACL_FLOAT16, -1, dims, ACL_FORMAT_ND));
}

static void test_size(void)
{
    static const struct {
        aclDataType type;
        size_t bytes;
    } rows[] = {{ACL_BOOL, 256}, {ACL_FLOAT16, 512}, {ACL_FLOAT, 1024}, {ACL_INT64, 2048}};
    const int64_t dims[] = {16, 16};
    for (size_t i = 0; i < TWIN_COUNT(rows); i++) {
        aclTensorDesc *desc = describe(rows[i].type, ACL_FORMAT_ND, 2, dims);
        CHECK_EQUAL(aclGetTensorDescElementCount(desc), 256);
        CHECK_EQUAL(aclGetTensorDescSize(desc), rows[i].bytes);
        aclDestroyTensorDesc(desc);
    }
}

/* A shape without a number of elements has none, and an overflow is not cut. */
static void test_no_size(void)
{
    const int64_t unknown[] = {16, -1};
    const int64_t empty[] = {16, 0};
    const int64_t huge[] = {INT64_MAX, INT64_MAX};
    const int64_t many[] = {INT64_MAX};
    const struct {
        int count;
        const int64_t *dims;
        size_t elements;
    } rows[] = {{2, unknown, 0}, {2, empty, 0}, {2, huge, 0}, {1, many, INT64_MAX}};
    for (size_t i = 0; i < TWIN_COUNT(rows); i++) {
        aclTensorDesc *desc = describe(ACL_INT64, ACL_FORMAT_NCHW, rows[i].count, rows[i].dims);
        CHECK_EQUAL(aclGetTensorDescElementCount(desc), rows[i].elements);
        CHECK_EQUAL(aclGetTensorDescSize(desc), 0);
        aclDestroyTensorDesc(desc);
    }
}

static void test_unknown_rank(void)
{
    const int64_t dims[] = {-2};
    aclTensorDesc *desc = describe(ACL_BOOL, ACL_FORMAT_NC1HWC0, 1, dims);
    CHECK(aclGetTensorDescNumDims(desc) == ACL_UNKNOWN_RANK);
    aclDestroyTensorDesc(desc);
}

static void test_dim_range(void)
{
    const int64_t dims[] = {16, -1};
    int64_t set[][ACL_TENSOR_SHAPE_RANGE_NUM] = {{16, 16}, {1, 20}};
    int64_t got[3] = {7, 7, 7};
    aclTensorDesc *desc = describe(ACL_BOOL, ACL_FORMAT_ND, 2, dims);
    CHECK_CODE(aclGetTensorDescDimRange(desc, 0, 2, got), ACL_ERROR_INVALID_PARAM); /* none set */
    CHECK_OK(aclSetTensorShapeRange(desc, 2, set));
    set[1][1] = 99; /* it was copied */
    CHECK_OK(aclGetTensorDescDimRange(desc, 1, 3, got));
    CHECK_EQUAL(got[0], 1);
    CHECK_EQUAL(got[1], 20);
    CHECK_EQUAL(got[2], 7);
    CHECK_CODE(aclGetTensorDescDimRange(desc, 2, 2, got), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclGetTensorDescDimRange(desc, 0, 1, got), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclGetTensorDescDimRange(desc, 0, 2, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclSetTensorShapeRange(desc, 0, NULL)); /* takes them away */
    CHECK_CODE(aclGetTensorDescDimRange(desc, 0, 2, got), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclSetTensorShapeRange(desc, 1, NULL), ACL_ERROR_INVALID_PARAM);
    aclDestroyTensorDesc(desc);
}

static void test_bad_index(void)
{
    const int64_t dims[] = {16, 32};
    int64_t dim = 7;
    aclTensorDesc *desc = describe(ACL_BOOL, ACL_FORMAT_ND, 2, dims);
    CHECK_EQUAL(aclGetTensorDescDim(desc, 2), -1);
    CHECK_CODE(aclGetTensorDescDimV2(desc, 2, &dim), ACL_ERROR_INVALID_PARAM);
    CHECK_EQUAL(dim, 7);
    CHECK_CODE(aclGetTensorDescDimV2(desc, 0, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK(aclGetTensorDescByIndex(desc, 0) == desc);
    CHECK(!aclGetTensorDescByIndex(desc, 1));
    CHECK(!aclGetTensorDescAddress(desc));
    aclDestroyTensorDesc(desc);
}

static void test_name(void)
{
    char name[] = "input";
    aclTensorDesc *desc = describe(ACL_BOOL, ACL_FORMAT_ND, 0, NULL);
    CU_ASSERT_STRING_EQUAL(aclGetTensorDescName(desc), "");
    aclSetTensorDescName(desc, name);
    name[0] = 'X'; /* it was copied */
    CU_ASSERT_STRING_EQUAL(aclGetTensorDescName(desc), "input");
    aclSetTensorDescName(desc, NULL);
    CU_ASSERT_STRING_EQUAL(aclGetTensorDescName(desc), "");
    aclDestroyTensorDesc(desc);
}

/* The getters return what is original; the format and shape on the device are others. */
static void test_original_and_storage(void)
{
    const int64_t dims[] = {1, 3, 224, 224};
    const int64_t storage[] = {1, 1, 224, 224, 16};
    aclTensorDesc *desc = describe(ACL_FLOAT16, ACL_FORMAT_NCHW, 4, dims);
    CHECK_OK(aclSetTensorFormat(desc, ACL_FORMAT_NC1HWC0));
    CHECK_OK(aclSetTensorShape(desc, 5, storage));
    CHECK_OK(aclSetTensorStorageFormat(desc, ACL_FORMAT_NC1HWC0));
    CHECK_OK(aclSetTensorStorageShape(desc, 5, storage));
    CHECK_EQUAL(aclGetTensorDescFormat(desc), ACL_FORMAT_NCHW);
    CHECK_EQUAL(aclGetTensorDescNumDims(desc), 4);

    const int64_t origin[] = {2, 5};
    CHECK_OK(aclSetTensorOriginFormat(desc, ACL_FORMAT_ND));
    CHECK_OK(aclSetTensorOriginShape(desc, 2, origin));
    CHECK_EQUAL(aclGetTensorDescFormat(desc), ACL_FORMAT_ND);
    CHECK_EQUAL(aclGetTensorDescNumDims(desc), 2);
    CHECK_EQUAL(aclGetTensorDescElementCount(desc), 10);
    CHECK_CODE(aclSetTensorOriginShape(desc, 0, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclSetTensorShape(desc, 0, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclSetTensorStorageShape(desc, 0, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclSetTensorOriginShape(desc, 0, origin));
    CHECK_EQUAL(aclGetTensorDescElementCount(desc), 1);
    aclDestroyTensorDesc(desc);
}

static void test_operator_inputs(void)
{
    int64_t range[][ACL_TENSOR_VALUE_RANGE_NUM] = {{16, 16}, {1, 128}};
    char data[] = "constant";
    aclTensorDesc *desc = describe(ACL_INT64, ACL_FORMAT_ND, 0, NULL);
    CHECK_OK(aclSetTensorValueRange(desc, 2, range));
    CHECK_OK(aclSetTensorValueRange(desc, 0, NULL));
    CHECK_CODE(aclSetTensorValueRange(desc, 1, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclSetTensorDynamicInput(desc, "x"));
    CHECK_CODE(aclSetTensorDynamicInput(desc, NULL), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclSetTensorConst(desc, data, sizeof(data)));
    CHECK_OK(aclSetTensorConst(desc, data, 1)); /* another one */
    CHECK_CODE(aclSetTensorConst(desc, data, 0), ACL_ERROR_INVALID_PARAM);
    CHECK_CODE(aclSetTensorConst(desc, NULL, 1), ACL_ERROR_INVALID_PARAM);
    CHECK_OK(aclSetTensorPlaceMent(desc, ACL_MEMTYPE_HOST));
    aclDestroyTensorDesc(desc);
}

static void check_converted(aclDataType type, aclFormat from, const int64_t *dims, aclFormat to,
                            size_t count, const int64_t *want)
{
    aclTensorDesc *source = describe(type, from, 4, dims);
    aclTensorDesc *made = NULL;
    if (CHECK_OK(aclTransTensorDescFormat(source, to, &made))) {
        CHECK_EQUAL(aclGetTensorDescNumDims(made), count);
        for (size_t i = 0; i < count; i++)
            CHECK_EQUAL(aclGetTensorDescDim(made, i), want[i]);
        CHECK_EQUAL(aclGetTensorDescType(made), type);
        CHECK_EQUAL(aclGetTensorDescFormat(made), from); /* as the vendor's library has it */
        CHECK_EQUAL(aclGetTensorDescNumDims(source), 4);
    }
    aclDestroyTensorDesc(made);
    aclDestroyTensorDesc(source);
}

static void test_convert_axes(void)
{
    static const struct {
        aclFormat format;
        int64_t dims[4];
    } same[] = {{ACL_FORMAT_NCHW, {2, 3, 5, 7}},
                {ACL_FORMAT_NHWC, {2, 5, 7, 3}},
                {ACL_FORMAT_HWCN, {5, 7, 3, 2}}};
    for (size_t from = 0; from < TWIN_COUNT(same); from++)
        for (size_t to = 0; to < TWIN_COUNT(same); to++)
            if (from != to)
                check_converted(ACL_FLOAT, same[from].format, same[from].dims, same[to].format, 4,
                                same[to].dims);
}

static void test_convert_blocks(void)
{
    const int64_t nchw[] = {1, 3, 224, 224};
    const int64_t nhwc[] = {2, 8, 4, 33};
    const int64_t empty[] = {2, 0, 8, 4};
    check_converted(ACL_FLOAT16, ACL_FORMAT_NCHW, nchw, ACL_FORMAT_NC1HWC0, 5,
                    (const int64_t[]){1, 1, 224, 224, 16});
    check_converted(ACL_FLOAT16, ACL_FORMAT_NHWC, nhwc, ACL_FORMAT_NC1HWC0, 5,
                    (const int64_t[]){2, 3, 8, 4, 16});
    check_converted(ACL_INT8, ACL_FORMAT_NHWC, nhwc, ACL_FORMAT_NC1HWC0, 5,
                    (const int64_t[]){2, 2, 8, 4, 32});
    check_converted(ACL_INT64, ACL_FORMAT_NCHW, empty, ACL_FORMAT_NC1HWC0, 5,
                    (const int64_t[]){2, 0, 8, 4, 16});
}

static void check_refused(aclDataType type, aclFormat from, int count, const int64_t *dims,
                          aclFormat to, aclError want)
{
    aclTensorDesc *source = describe(type, from, count, dims);
    aclTensorDesc *made = source;
    CHECK_CODE(aclTransTensorDescFormat(source, to, &made), want);
    CHECK(made == source); /* untouched */
    aclDestroyTensorDesc(source);
}

static void test_convert_refusals(void)
{
    const aclError format = (aclError)ACL_ERROR_GE_FORMAT_INVALID;
    const aclError shape = (aclError)ACL_ERROR_GE_SHAPE_INVALID;
    const int64_t good[] = {2, 3, 5, 7, 16};
    const int64_t unknown[] = {2, -1, 5, 7};
    const int64_t huge[] = {1 << 20, 1 << 20, 2, 1};
    check_refused(ACL_FLOAT, ACL_FORMAT_NCHW, 4, good, ACL_FORMAT_NCHW, format);
    check_refused(ACL_FLOAT, ACL_FORMAT_ND, 4, good, ACL_FORMAT_NCHW, format);
    check_refused(ACL_FLOAT, ACL_FORMAT_NC1HWC0, 5, good, ACL_FORMAT_NCHW, format);
    check_refused(ACL_FLOAT, ACL_FORMAT_HWCN, 4, good, ACL_FORMAT_NC1HWC0, format);
    check_refused(ACL_FLOAT, ACL_FORMAT_NCHW, 3, good, ACL_FORMAT_NHWC, shape);
    check_refused(ACL_FLOAT, ACL_FORMAT_NCHW, 4, unknown, ACL_FORMAT_NHWC, shape);
    check_refused(ACL_FLOAT, ACL_FORMAT_NCHW, 4, unknown, ACL_FORMAT_NC1HWC0, shape);
    check_refused(ACL_FLOAT, ACL_FORMAT_NCHW, 4, huge, ACL_FORMAT_NC1HWC0, shape);
    check_refused(ACL_STRING, ACL_FORMAT_NCHW, 4, good, ACL_FORMAT_NC1HWC0,
                  (aclError)ACL_ERROR_GE_DATATYPE_INVALID);
}

/* The answer of every function for an invalid description. */
static void check_no_description(aclTensorDesc *desc, aclError want, aclError format_code)
{
    const int64_t dims[] = {1};
    int64_t ranges[1][2] = {{0, 0}};
    int64_t values[2];
    char byte = 0;
    aclTensorDesc *made = NULL;
    CHECK_EQUAL(aclGetTensorDescType(desc), ACL_DT_UNDEFINED);
    CHECK_EQUAL(aclGetTensorDescFormat(desc), ACL_FORMAT_UNDEFINED);
    CHECK_EQUAL(aclGetTensorDescElementCount(desc), 0);
    CHECK_EQUAL(aclGetTensorDescSize(desc), 0);
    CHECK_EQUAL(aclGetTensorDescNumDims(desc), 0);
    CHECK_EQUAL(aclGetTensorDescDim(desc, 0), -1);
    CHECK_CODE(aclGetTensorDescDimV2(desc, 0, values), want);
    CHECK_CODE(aclGetTensorDescDimRange(desc, 0, 2, values), want);
    CU_ASSERT_STRING_EQUAL(aclGetTensorDescName(desc), "");
    aclSetTensorDescName(desc, "x");
    CHECK(!aclGetTensorDescAddress(desc));
    CHECK(!aclGetTensorDescByIndex(desc, 0));
    CHECK_CODE(aclSetTensorFormat(desc, ACL_FORMAT_ND), format_code);
    CHECK_CODE(aclSetTensorStorageFormat(desc, ACL_FORMAT_ND), format_code);
    CHECK_CODE(aclSetTensorOriginFormat(desc, ACL_FORMAT_ND), format_code);
    CHECK_CODE(aclSetTensorShape(desc, 1, dims), want);
    CHECK_CODE(aclSetTensorStorageShape(desc, 1, dims), want);
    CHECK_CODE(aclSetTensorOriginShape(desc, 1, dims), want);
    CHECK_CODE(aclSetTensorShapeRange(desc, 1, ranges), want);
    CHECK_CODE(aclSetTensorValueRange(desc, 1, ranges), want);
    CHECK_CODE(aclSetTensorDynamicInput(desc, "x"), want);
    CHECK_CODE(aclSetTensorConst(desc, &byte, 1), want);
    CHECK_CODE(aclSetTensorPlaceMent(desc, ACL_MEMTYPE_HOST), want);
    CHECK_CODE(aclTransTensorDescFormat(desc, ACL_FORMAT_NHWC, &made), want);
    CHECK(!made);
    aclDestroyTensorDesc(desc);
}

static void test_null(void)
{
    check_no_description(NULL, ACL_ERROR_INVALID_PARAM, ACL_SUCCESS);
    const int64_t dims[] = {2, 3, 5, 7};
    aclTensorDesc *desc = describe(ACL_FLOAT, ACL_FORMAT_NCHW, 4, dims);
    CHECK_CODE(aclTransTensorDescFormat(desc, ACL_FORMAT_NHWC, NULL), ACL_ERROR_INVALID_PARAM);
    aclDestroyTensorDesc(desc);
}

/* Neither a destroyed description nor an address or another handle is followed. */
static void test_stale(void)
{
    char memory[64] = {0};
    aclTensorDesc *desc = describe(ACL_FLOAT, ACL_FORMAT_ND, 0, NULL);
    aclDestroyTensorDesc(desc);
    check_no_description(desc, ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_INVALID_HANDLE);
    aclTensorDesc *next = describe(ACL_FLOAT, ACL_FORMAT_ND, 0, NULL);
    check_no_description(desc, ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_INVALID_HANDLE);
    aclDestroyTensorDesc(next);
    aclDataBuffer *buffer = aclCreateDataBuffer(memory, sizeof(memory));
    check_no_description((aclTensorDesc *)buffer, ACL_ERROR_RT_INVALID_HANDLE,
                         ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_OK(aclDestroyDataBuffer(buffer));
    check_no_description((aclTensorDesc *)memory, ACL_ERROR_RT_INVALID_HANDLE,
                         ACL_ERROR_RT_INVALID_HANDLE);
}

/* A slot that is used again remembers nothing. */
static void test_reuse(void)
{
    const int64_t dims[] = {2, 3};
    int64_t range[][2] = {{1, 2}, {3, 4}};
    int64_t got[2];
    for (int i = 0; i < 1000; i++) {
        aclTensorDesc *desc = describe(ACL_FLOAT, ACL_FORMAT_ND, 2, dims);
        CU_ASSERT_STRING_EQUAL(aclGetTensorDescName(desc), "");
        CHECK_CODE(aclGetTensorDescDimRange(desc, 0, 2, got), ACL_ERROR_INVALID_PARAM);
        aclSetTensorDescName(desc, "kept by nothing");
        CHECK_OK(aclSetTensorShapeRange(desc, 2, range));
        aclDestroyTensorDesc(desc);
    }
}

static void test_message(void)
{
    (void)aclGetRecentErrMsg();
    CHECK(!aclCreateTensorDesc(ACL_FLOAT16, -1, NULL, ACL_FORMAT_ND));
    const char *text = aclGetRecentErrMsg();
    CHECK(text && strstr(text, "aclCreateTensorDesc") && strstr(text, "numDims is -1"));
}

static const twin_test tests[] = {
    {"a tensor description has the type, format and shape that it was made with", test_create},
    {"a description without dimensions is a scalar", test_scalar},
    {"a negative number of dimensions, or none where some are counted, is refused", test_bad_shape},
    {"the size is the number of elements times the size of the type", test_size},
    {"unknown dimensions and overflow have size 0", test_no_size},
    {"a first dimension of -2 means that their number is unknown", test_unknown_rank},
    {"the range of a dimension is the one set last", test_dim_range},
    {"an index without a dimension or description is refused", test_bad_index},
    {"the name is copied, and empty at first", test_name},
    {"the getters return the original format and shape, not those of the storage",
     test_original_and_storage},
    {"value ranges, dynamic inputs, constants and placement check their arguments",
     test_operator_inputs},
    {"NCHW, NHWC and HWCN convert to each other by moving the axes", test_convert_axes},
    {"NC1HWC0 divides the channels by the block size of the type", test_convert_blocks},
    {"formats, shapes and types that do not convert are refused", test_convert_refusals},
    {"NULL for a description: 100000, the empty value, or no effect", test_null},
    {"something that is not a live description is refused and not followed", test_stale},
    {"a new description has nothing of an earlier one", test_reuse},
    {"a refusal without a code leaves a message", test_message},
};

static const twin_suite suite = {.name = "tensor", .tests = tests, .test_count = TWIN_COUNT(tests)};

int main(int argc, char **argv)
{
    return twin_suite_main(&suite, argc, argv);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Launches a kernel for each instruction that the input has: a line of its number, four types, and
 * its arguments. bench/validation/instructions.py writes the lines and reads the times. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "instruction_args.h"

#define UB_BYTES   196608u /* of a 910B */
#define MUST(call) must((call), #call)

static void must(int code, const char *what)
{
    if (code == 0)
        return;
    fprintf(stderr, "instructions: %s returned %d\n", what, code);
    exit(1);
}

/* false: the line is not understood. */
static bool parse(char *line, twk_instruction *in)
{
    char *at = line, *end = NULL;
    uint64_t numbers[5 + 20];
    uint32_t count = 0;
    for (; *at != '\n' && *at != 0 && count < 25; at = end + (*end == ' ')) {
        numbers[count++] = strtoull(at, &end, 10);
        if (end == at)
            return false;
    }
    if (count < 5 || (*at != '\n' && *at != 0))
        return false;
    memset(in, 0, sizeof(*in));
    in->number = (uint16_t)numbers[0];
    in->count = (uint8_t)(count - 5);
    for (uint32_t i = 0; i < 4; i++)
        in->types[i] = (uint8_t)numbers[1 + i];
    memcpy(in->arguments, numbers + 5, (count - 5) * sizeof(numbers[0]));
    return true;
}

int main(int argc, char **argv)
{
    aclrtStream stream = NULL;
    aclrtBinHandle binary = NULL;
    aclrtFuncHandle kernel = NULL;
    void *zeros = NULL;
    char line[1024];
    if (argc != 2) {
        fprintf(stderr, "usage: instructions KERNELS < LINES\n");
        return 2;
    }
    MUST(aclInit(NULL));
    MUST(aclrtSetDevice(0));
    MUST(aclrtCreateStream(&stream));
    MUST(aclrtBinaryLoadFromFile(argv[1], NULL, &binary));
    MUST(aclrtBinaryGetFunction(binary, "instruction", &kernel));
    MUST(aclrtMalloc(&zeros, UB_BYTES, ACL_MEM_MALLOC_HUGE_FIRST));
    MUST(aclrtMemset(zeros, UB_BYTES, 0, UB_BYTES));
    struct instruction_args args = {.zeros = (uintptr_t)zeros, .bytes = UB_BYTES};
    while (fgets(line, sizeof(line), stdin)) {
        if (!parse(line, &args.instruction)) {
            fprintf(stderr, "instructions: not a line of numbers: %s", line);
            return 2;
        }
        MUST(aclrtLaunchKernelWithHostArgs(kernel, 1, stream, NULL, &args, sizeof(args), NULL, 0));
        MUST(aclrtSynchronizeStream(stream));
    }
    MUST(aclrtFree(zeros));
    MUST(aclrtBinaryUnLoad(binary));
    MUST(aclrtDestroyStream(stream));
    MUST(aclrtResetDevice(0));
    MUST(aclFinalize());
    return 0;
}

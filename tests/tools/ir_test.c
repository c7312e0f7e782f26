/* SPDX-License-Identifier: Apache-2.0 */
/* How twinrt-cc rewrites sources in Ascend C: launches in their text; accesses through pointers and
 * kernels in the text of the IR. */
#include <stdlib.h>
#include <string.h>

#include "ir_kernel.h"
#include "ir_pointer.h"
#include "ir_supported.h"
#include "launches.h"
#include "support/cunit_main.h"

static char *made; /* what was written last */
static size_t made_length;

static FILE *begin(void)
{
    free(made);
    made = NULL;
    FILE *out = open_memstream(&made, &made_length);
    if (!out)
        abort();
    return out;
}

static bool has(const char *part)
{
    const bool found = strstr(made, part) != NULL;
    if (!found)
        printf("\n    \"%s\" is not in:\n%s\n", part, made);
    return found;
}

/* ---- launches -------------------------------------------------------------------------------- */

static void launched(const char *source, const char *expected)
{
    FILE *out = begin();
    cc_rewrite_launches(source, strlen(source), out);
    fclose(out);
    CU_ASSERT_STRING_EQUAL(made, expected);
}

static void test_launches(void)
{
    launched("k<<<8, 0, s>>>(x, y);", "k(x, y), ::twk_launch_(8, 0, s);");
    launched("n::k<3, T<U>><<<f(a, b), nullptr, s>>>();",
             "n::k<3, T<U>>(), ::twk_launch_(f(a, b), nullptr, s);");
    launched("k<<<1, // one\n 0, s>>>\n (x);", "k\n (x), ::twk_launch_(1, \n 0, s);");
    launched("#define GO(k) k<<<1, 0, s>>>(x)\n", "#define GO(k) k(x), ::twk_launch_(1, 0, s)\n");
}

static void test_other_text(void)
{
    static const char *const same[] = {"// k<<<1, 0, s>>>(x);\n",
                                       "/* k<<<1>>>(x) */",
                                       "f(\"k<<<1>>>(x)\", '<', '\"');",
                                       "R\"a(k<<<1>>>(x))a\"",
                                       "operator<<<T>(x);",
                                       "a << 1'000 << b >> c;",
                                       "#if 0\ndon't <<<\n#endif\n",
                                       "const_cast<char *>(x)",
                                       "<<<",
                                       "a[host + 1] = b[aicore_count], c[host, i];",
                                       "[host](int x) {}[0], \"[aicore]\"; // [aicore]"};
    for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
        launched(same[i], same[i]);
    launched("#define A [aicore]\n[ host , aicore ] void f();\n[aicore,\nhost] int x;",
             "#define A \n void f();\n\n int x;");
    launched("const_cast<__gm__ char *>(x)", "twk_const_cast_<__gm__ char *>(x)");
    launched("asm(\"trap\"); asm volatile ( \"trap\" );", "::trap(); ::trap();");
    launched("asm volatile(\"MOV %0, SYS_CNT\\n\"\n : \"+l\"(f(a, b)));",
             "f(a, b) = ::get_sys_cnt()\n;");
    launched("asm volatile(\"MOV %0, PC\\n\" : \"+l\"(pc));", "pc = ::twk_program_counter_();");
    launched("asm(\"nop\"); __asm__(\"f\"); asm; myasm(\"trap\"); asm(\"MOV %0, X\" : \"+l\"(a));",
             "asm(\"nop\"); __asm__(\"f\"); asm; myasm(\"trap\"); asm(\"MOV %0, X\" : \"+l\"(a));");
}

/* ---- accesses -------------------------------------------------------------------------------- */

static int result_of_body;

static void body(const char *globals, const char *lines)
{
    char text[4096];
    struct ir_module module;
    struct ir_locals locals;
    snprintf(text, sizeof(text), "%sdefine void @f(ptr addrspace(4) %%p) {\n%s  ret void\n}\n",
             globals, lines);
    ir_parse(&module, text, strlen(text));
    ir_find_locals(&module, &locals);
    FILE *out = begin();
    result_of_body = ir_write_body(&module, &locals, ir_find(&module, ir_word("f")), out);
    fclose(out);
    ir_locals_free(&locals);
    ir_free(&module);
}

static void test_accesses(void)
{
    body("", "  %1 = load i32, ptr addrspace(4) %p, align 4, !tbaa !3\n");
    CU_ASSERT(has("  %twk.s0 = alloca i32, align 16\n"));
    CU_ASSERT(has("%twk.a0 = ptrtoint ptr addrspace(4) %p to i64"));
    CU_ASSERT(has("@twk_pointer_load_(i32 0, i32 5, i32 4, i64 %twk.a0, i64 4, ptr %twk.s0)"));
    CU_ASSERT(has("  %1 = load i32, ptr %twk.s0\n"));
    body("", "  store half %h, ptr addrspace(101) inttoptr (i64 64 to ptr addrspace(101)), "
             "align 64, !dbg !9\n");
    CU_ASSERT(has("  store half %h, ptr %twk.s0\n"));
    CU_ASSERT(has("@twk_pointer_store_(i32 1, i32 6, i32 8, i64 %twk.a0, i64 2, ptr %twk.s0), "
                  "!dbg !9\n"));
    /* A pointer that is read from the stack is not an access of the device. */
    body("", "  %1 = load ptr addrspace(4), ptr %x, align 8\n");
    CU_ASSERT(has("  %1 = load ptr addrspace(4), ptr %x, align 8\n"));
    CU_ASSERT_PTR_NULL(strstr(made, "twk_"));
}

static void test_blocks(void)
{
    body("", "  call void @llvm.memcpy.p0.p4.i64(ptr align 8 %x, ptr addrspace(4) align 4 %p, "
             "i64 40, i1 false)\n");
    CU_ASSERT(has("@twk_pointer_load_(i32 0, i32 255, i32 4, i64 %twk.a1, i64 40, ptr %x)"));
    body("", "  call void @llvm.memset.p101.i64(ptr addrspace(101) align 2 %u, i8 %v, i64 %n, "
             "i1 false)\n");
    CU_ASSERT(has("@twk_pointer_fill_(i32 1, i32 2, i64 %twk.a0, i8 %v, i64 %n)"));
    body("", "  call void @llvm.memcpy.p0.p0.i64(ptr %x, ptr %y, i64 8, i1 false)\n");
    CU_ASSERT_PTR_NULL(strstr(made, "twk_"));
}

static void test_atomics(void)
{
    body("", "  %1 = atomicrmw add ptr addrspace(4) %p, i32 1 monotonic, align 4\n");
    CU_ASSERT_EQUAL(result_of_body, -1);
    body("", "  %1 = load atomic i32, ptr addrspace(4) %p monotonic, align 4\n");
    CU_ASSERT_EQUAL(result_of_body, -1);
}

static void test_core_variables(void)
{
    body("@own = linkonce_odr global [4 x i32] zeroinitializer, section \"twk_block_local\", "
         "align 4\n",
         "  %1 = load i32, ptr getelementptr inbounds ([4 x i32], ptr @own, i64 0, i64 2), "
         "align 4\n");
    CU_ASSERT(has("%twk.core = call ptr @twk_core_variables_("));
    CU_ASSERT(has("%twk.l0 = getelementptr %twk.locals, ptr %twk.core, i32 0, i32 0\n"));
    CU_ASSERT(has("%twk.l1 = getelementptr inbounds [4 x i32], ptr %twk.l0, i64 0, i64 2\n"));
    CU_ASSERT(has("  %1 = load i32, ptr %twk.l1, align 4\n"));
}

/* ---- kernels --------------------------------------------------------------------------------- */

static const char kernel_text[] =
    "@.mark = private constant [11 x i8] c\"twk_kernel\\00\"\n"
    "@.file = private constant [2 x i8] c\"f\\00\"\n"
    "@llvm.global.annotations = appending global [1 x { ptr, ptr, ptr, i32, ptr }] [{ ptr, ptr, "
    "ptr, i32, ptr } { ptr @k, ptr @.mark, ptr @.file, i32 1, ptr null }]\n"
    "define dso_local void @k(ptr addrspace(4) %0, i1 zeroext %1, i64 %2, i32 %3) !dbg !1 {\n"
    "  %5 = call i64 @twk_instruct_vector_(ptr null)\n"
    "  call void @\"twk_missing:vx\"(), !dbg !9\n"
    "  ret void\n"
    "}\n"
    "define dso_local i32 @main() {\n"
    "  ret i32 0\n"
    "}\n"
    "declare i64 @twk_instruct_vector_(ptr)\n"
    "declare i64 @twk_instruct_cube_(ptr)\n"
    "declare void @\"twk_missing:vx\"()\n"
    "!1 = distinct !DISubprogram(name: \"k\", file: !8, line: 3, type: !2)\n"
    "!2 = !DISubroutineType(types: !3)\n"
    "!3 = !{null, !4, !5, !6}\n"
    "!4 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: null, size: 64)\n"
    "!5 = !DIBasicType(name: \"bool\", size: 8, encoding: DW_ATE_boolean)\n"
    "!6 = !DICompositeType(tag: DW_TAG_structure_type, name: \"S\", size: 96, elements: !7)\n"
    "!7 = !{!10}\n"
    "!8 = !DIFile(filename: \"/k.asc\", directory: \"/\")\n"
    "!9 = !DILocation(line: 7, scope: !1)\n"
    "!10 = !DIDerivedType(tag: DW_TAG_member, name: \"a\", baseType: !11, size: 96)\n"
    "!11 = !DICompositeType(tag: DW_TAG_array_type, baseType: !12, size: 96)\n"
    "!12 = !DIBasicType(name: \"int\", size: 32, encoding: DW_ATE_signed)\n";

static void test_kernels(void)
{
    struct ir_module module;
    struct ir_kernels kernels;
    const bool used[] = {true};
    ir_parse(&module, kernel_text, strlen(kernel_text));
    CU_ASSERT_EQUAL_FATAL(ir_find_kernels(&module, &kernels), 0);
    CU_ASSERT_EQUAL_FATAL(kernels.count, 1);
    const struct ir_kernel *kernel = &kernels.list[0];
    CU_ASSERT(kernel->uses_vector && !kernel->uses_cube);
    /* A pointer at 0, a bool at 8, three integers at 12. */
    CU_ASSERT(kernel->offsets[0] == 0 && kernel->offsets[1] == 8 && kernel->offsets[2] == 12);
    CU_ASSERT_EQUAL(kernel->args_bytes, 24);
    CU_ASSERT_EQUAL(kernel->piece_count, 4);
    CU_ASSERT_EQUAL(ir_check_supported(&module, &kernels.list[0]), -1);

    FILE *out = begin();
    CU_ASSERT_EQUAL(ir_write_device(&module, &kernels, used, "side", out), 0);
    fclose(out);
    CU_ASSERT(has("define internal void @k("));
    CU_ASSERT(has("define hidden void @side_run_0(ptr %args)"));
    CU_ASSERT(has("  %p3 = getelementptr i8, ptr %args, i64 20\n"));
    CU_ASSERT_PTR_NULL(strstr(made, "@main"));

    out = begin();
    CU_ASSERT_EQUAL(ir_write_host(&module, &kernels, "image.o", out), 0);
    fclose(out);
    CU_ASSERT(has("@main"));
    CU_ASSERT(has("@twk_launch_begin_(ptr @twk.kernel.0)"));
    CU_ASSERT(has(".incbin \\22image.o\\22"));
    CU_ASSERT_PTR_NULL(strstr(made, "call i64 @twk_instruct_vector_"));
    ir_kernels_free(&kernels);
    ir_free(&module);
}

int main(int argc, char **argv)
{
    static const twin_test tests[] = {
        {"launches become calls, on the same lines", test_launches},
        {"comments, literals and shifts are not launches", test_other_text},
        {"loads and stores of the device become calls", test_accesses},
        {"copies and fills of the device become calls", test_blocks},
        {"atomic operations of the device are refused", test_atomics},
        {"variables of a core are found on the core", test_core_variables},
        {"kernels have entries on the device and launches on the host", test_kernels},
    };
    const int result = twin_run_suite("ir", tests, TWIN_COUNT(tests), argc, argv);
    free(made);
    return result;
}

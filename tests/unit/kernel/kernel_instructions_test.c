/* SPDX-License-Identifier: Apache-2.0 */
/* Random instructions of the vector unit, against a reference that does them element by element.
 * --turns=N: so many sequences of each group; --seed=N: other ones. */
#include "instructions/machine.h"
#include "kernel/access.h"
#include "kernel_rig.h"

#ifdef TWIN_SANITIZED
#define TURNS 100u
#else
#define TURNS 1000u
#endif
#define STEPS   6u
#define IMAGE   RIG_BASE
#define RESULTS (RIG_BASE + 0x8000)

static uint64_t state = 1;
static uint32_t turns = TURNS;

uint64_t random_bits(void)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    const uint64_t high = state >> 32;
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return high << 32 | state >> 32;
}

/* ---- the kernel ------------------------------------------------------------------------------ */

typedef struct step {
    program program;
    uint64_t result; /* of its last instruction */
} step;

typedef struct sequence_args {
    step *steps; /* of the host */
    uint32_t count;
} sequence_args;

TWK_VECTOR_KERNEL(sequence, sequence_args, args)
{
    twk_load(twk_ub_at(0), IMAGE, WINDOW);
    twk_barrier(TWK_ALL);
    for (uint32_t i = 0; i < args->count; i++) {
        step *s = &args->steps[i];
        for (uint32_t j = 0; j < s->program.count; j++)
            s->result = twk_slot->instruct(&s->program.list[j]);
        twk_barrier(TWK_ALL);
        twk_store(RESULTS + (uint64_t)i * WINDOW, twk_ub_at(0), WINDOW);
        twk_barrier(TWK_ALL);
    }
}

/* ---- sequences ------------------------------------------------------------------------------- */

static void add(program *p, uint32_t number, uint32_t count, uint64_t first, uint64_t second)
{
    twk_instruction *in = record(p, number, NO_TYPES);
    in->count = (uint8_t)count;
    in->arguments[0] = first;
    in->arguments[1] = second;
}

static void random_mask(machine *m, program *p)
{
    const uint32_t kind = random_below(8);
    m->count_mode = random_below(3) == 0;
    m->mask[1] = 0;
    if (m->count_mode) {
        m->mask[0] = kind < 4 ? 1 + random_below(200) : random_below(1000);
        m->mask[1] = kind == 0 ? random_bits() : 0;
    } else if (kind < 4) {
        m->mask[0] = m->mask[1] = UINT64_MAX;
    } else if (kind < 6) { /* the first elements */
        const uint32_t count = random_below(129);
        m->mask[0] = count >= 64 ? UINT64_MAX : ((uint64_t)1 << count) - 1;
        m->mask[1] = count == 128 ? UINT64_MAX : count > 64 ? ((uint64_t)1 << (count - 64)) - 1 : 0;
    } else {
        m->mask[0] = random_bits() & random_bits();
        m->mask[1] = random_bits() | random_bits();
    }
    m->saturate = random_below(4) == 0;
    m->truncate = random_below(4) == 0;
    add(p, TWK_INSTRUCTION_SET_CTRL, 1, (uint64_t)!m->saturate << 48 | (uint64_t)m->truncate << 59,
        0);
    add(p, m->count_mode ? TWK_INSTRUCTION_SET_MASK_COUNT : TWK_INSTRUCTION_SET_MASK_NORM, 0, 0, 0);
    add(p, TWK_INSTRUCTION_SET_VECTOR_MASK, 2, m->mask[1], m->mask[0]);
}

static void fill(machine *m)
{
    static const uint8_t types[] = {TWK_FP16, TWK_FP32, TWK_INT16, TWK_INT32, TWK_BF16, TWK_INT8};
    for (uint32_t at = 0; at < WINDOW; at += 512) {
        const uint32_t type = types[random_below(6)];
        for (uint32_t i = 0; i < 512; i += bytes_of(type)) {
            const uint64_t bits = random_element(type);
            memcpy(m->ub + at + i, &bits, bytes_of(type));
        }
    }
}

/* Whether the bytes at `i`, which differ, are of NaN in both. */
static bool both_nan(const machine *m, const uint8_t *got, uint32_t i)
{
    const uint32_t type = m->kind[i];
    if (type != TWK_FP16 && type != TWK_FP32 && type != TWK_BF16)
        return false;
    const uint32_t at = i / bytes_of(type) * bytes_of(type);
    return isnan(slow_get((twk_type)type, m->ub + at, 0)) &&
           isnan(slow_get((twk_type)type, got + at, 0));
}

static void print(const machine *m, const twk_instruction *in)
{
    printf("\n    %s, types %u %u %u, count mode %u, saturation %u, mask %llx %llx:\n    ",
           twin_native_instruction_name(in->number), in->types[0], in->types[1], in->types[2],
           m->count_mode, m->saturate, (unsigned long long)m->mask[1],
           (unsigned long long)m->mask[0]);
    for (uint32_t j = 0; j < in->count; j++)
        printf("%llu ", (unsigned long long)in->arguments[j]);
    printf("\n");
}

static bool agrees(const machine *m, const step *s, const uint8_t *got)
{
    const twk_instruction *in = &s->program.list[s->program.count - 1];
    if (!m->any_result && m->result != s->result) {
        print(m, in);
        printf("    its result is 0x%llx, expected 0x%llx\n", (unsigned long long)s->result,
               (unsigned long long)m->result);
        return false;
    }
    for (uint32_t i = 0; i < WINDOW; i++)
        if (m->ub[i] != got[i] && !both_nan(m, got, i)) {
            print(m, in);
            printf("    byte %u of UB is %02x, expected %02x, in an element of type %u\n", i,
                   got[i], m->ub[i], m->kind[i]);
            return false;
        }
    return true;
}

static const group *const groups[] = {&arithmetic_group, &compare_group, &convert_group,
                                      &fill_group,       &gather_group,  &reduce_group,
                                      &registers_group,  &sort_group};
#define GROUPS (sizeof(groups) / sizeof(groups[0]))

static bool refer(machine *m, const twk_instruction *in)
{
    m->result = 0;
    m->any_result = false;
    for (uint32_t i = 0; i < GROUPS; i++)
        if (groups[i]->refer(m, in))
            return true;
    printf("\n    no reference for %s\n", twin_native_instruction_name(in->number));
    return false;
}

static sequence_args random_sequence(machine *m, const group *only)
{
    static machine plan;
    static step steps[STEPS];
    memset(m, 0, sizeof(*m));
    memset(m->kind, TWK_NO_TYPE, sizeof(m->kind));
    memset(steps, 0, sizeof(steps));
    fill(m);
    memcpy(rig_host(IMAGE), m->ub, WINDOW);
    const sequence_args args = {steps, 1 + random_below(STEPS)};
    for (uint32_t i = 0; i < args.count; i++) {
        random_mask(&plan, &steps[i].program);
        const group *g = only ? only : groups[random_below(GROUPS)];
        const uint32_t masks = steps[i].program.count;
        do {
            random_failed = false;
            steps[i].program.count = masks;
            g->make(&plan, &steps[i].program);
        } while (random_failed);
    }
    return args;
}

/* One sequence. A step begins with what the model had left. */
static bool sequence_agrees(const group *only)
{
    static machine m;
    const sequence_args args = random_sequence(&m, only);
    step *steps = args.steps;
    rig_do("sequence", 1, &args, sizeof(args));
    for (uint32_t i = 0; i < args.count; i++) {
        const uint8_t *got = rig_host(RESULTS + (uint64_t)i * WINDOW);
        for (uint32_t j = 0; j < steps[i].program.count; j++)
            if (!refer(&m, &steps[i].program.list[j]))
                return false;
        if (!agrees(&m, &steps[i], got))
            return false;
        memcpy(m.ub, got, WINDOW);
    }
    return true;
}

static void run_turns(const group *only)
{
    for (uint32_t turn = 0; turn < turns; turn++) {
        const uint64_t seed = state;
        const bool good = sequence_agrees(only);
        CU_ASSERT(good);
        if (!good) {
            printf("    sequence %u, seed %llu\n", turn, (unsigned long long)seed);
            return;
        }
    }
}

/* ---- without data, with any arguments -------------------------------------------------------- */

/* Whether an instruction reads a register that depends on data, as the last of a step. */
static bool sees_data(const sequence_args *args)
{
    bool seen = false;
    for (uint32_t i = 0; i < args->count; i++) {
        const program *p = &args->steps[i].program;
        const uint32_t number = p->list[p->count - 1].number;
        seen = seen || number == TWK_INSTRUCTION_GET_ACC_VAL ||
               number == TWK_INSTRUCTION_GET_MAX_MIN_CNT || number == TWK_INSTRUCTION_GET_VMS4_SR ||
               number == TWK_INSTRUCTION_GET_RSVD_CNT;
    }
    return seen;
}

/* Steps are the same if nothing is computed; a kernel that reads results from registers fails. */
static void test_timed_only(void)
{
    static machine m;
    uint32_t failed = 0;
    for (uint32_t turn = 0; turn < turns / 4; turn++) {
        const sequence_args args = random_sequence(&m, NULL);
        rig_begin("sequence", 1, &args, sizeof(args));
        const twin_steps computed = rig_work.lists[0];
        const size_t bytes = computed.count * sizeof(*computed.steps);
        twin_step *steps = malloc(bytes);
        CU_ASSERT_PTR_NOT_NULL_FATAL(steps);
        memcpy(steps, computed.steps, bytes);
        twin_native_end(rig_run);
        rig_timing_only = true;
        rig_begin("sequence", 1, &args, sizeof(args));
        rig_timing_only = false;
        const twin_native_fault fault = twin_native_failed(rig_run)->fault;
        if (fault != TWIN_NATIVE_GOOD) {
            CU_ASSERT_EQUAL(fault, TWIN_NATIVE_UNCOMPUTED);
            CU_ASSERT(sees_data(&args));
            failed++;
        } else {
            CU_ASSERT_EQUAL(rig_work.lists[0].count, computed.count);
            CU_ASSERT_EQUAL(memcmp(rig_work.lists[0].steps, steps, bytes), 0);
        }
        twin_native_end(rig_run);
        free(steps);
    }
    CU_ASSERT(failed > 0 || turns < 400);
}

/* Arguments of any values: the kernel works or fails, and nothing else happens. */
static void test_any_arguments(void)
{
    static const uint64_t ends[] = {0,      1,          255,       256,        65535,  65536,
                                    196608, UINT32_MAX, INT64_MAX, UINT64_MAX, 196576, 1u << 20};
    static machine m;
    uint32_t good = 0, bad = 0;
    for (uint32_t turn = 0; turn < turns; turn++) {
        const sequence_args args = random_sequence(&m, NULL);
        for (uint32_t i = 0; i < args.count; i++) {
            program *p = &args.steps[i].program;
            twk_instruction *in = &p->list[random_below(p->count)];
            if (in->count == 0)
                continue;
            const uint32_t kind = random_below(4);
            in->arguments[random_below(in->count)] = kind == 0   ? random_bits()
                                                     : kind == 1 ? ends[random_below(12)]
                                                     : kind == 2 ? random_below(1000) * 32
                                                                 : random_below(256);
        }
        rig_begin("sequence", 1, &args, sizeof(args));
        *(twin_native_failed(rig_run)->fault == TWIN_NATIVE_GOOD ? &good : &bad) += 1;
        twin_native_end(rig_run);
    }
    CU_ASSERT(good > turns / 10);
    CU_ASSERT(bad > turns / 10);
}

/* ---- single ones ----------------------------------------------------------------------------- */

/* The mask, then vadd of FP32 with these arguments. */
static sequence_args one_add(step *s, uint64_t mode, uint64_t mask, const uint64_t arguments[10])
{
    memset(s, 0, sizeof(*s));
    add(&s->program, mode ? TWK_INSTRUCTION_SET_MASK_COUNT : TWK_INSTRUCTION_SET_MASK_NORM, 0, 0,
        0);
    add(&s->program, TWK_INSTRUCTION_SET_VECTOR_MASK, 2, UINT64_MAX, mask);
    twk_instruction *in = record(&s->program, TWK_INSTRUCTION_VADD, TWK_FP32, TWK_FP32, TWK_FP32);
    for (uint32_t i = 0; i < 10; i++)
        argument(in, arguments[i]);
    return (sequence_args){s, 1};
}

static void test_limits(void)
{
    static const struct {
        uint64_t mode, mask, arguments[10];
        twin_native_fault fault;
        const char *text;
    } cases[] = {
        {0,
         1,
         {16, 0, 0, 1, 1, 1, 1, 8, 8, 8},
         TWIN_NATIVE_ALIGNMENT,
         "vadd: dst is 16 in UB, not a multiple of 32"},
        {0,
         UINT64_MAX,
         {0, 196608 - 256, 0, 2, 1, 1, 1, 8, 8, 8},
         TWIN_NATIVE_BUFFER,
         "vadd: src0 needs 512 bytes at 196352 in UB, which has 196608"},
        {0, 2, {0, 0, 196608 - 32, 1, 1, 1, 8, 8, 8, 8}, TWIN_NATIVE_GOOD, NULL},
        {0,
         0x100,
         {0, 0, 196608 - 32, 1, 1, 1, 1, 8, 8, 8},
         TWIN_NATIVE_BUFFER,
         "vadd: src1 needs 36 bytes at 196576 in UB, which has 196608"},
        {0, 1, {0, 0, UINT64_MAX - 31, 1, 1, 1, 1, 8, 8, 8}, TWIN_NATIVE_BUFFER, "vadd: src1"},
        {1,
         1 << 21,
         {0, 0, 0, 1, 1, 1, 1, 0, 0, 0},
         TWIN_NATIVE_OPERATION,
         "vadd: the mask counts 2097152 elements; the maximum is 1048576"},
        {1, UINT64_MAX, {0, 0, 0, 1, 1, 1, 1, 8, 8, 8}, TWIN_NATIVE_OPERATION, "vadd: the mask"},
        {1,
         65,
         {0, 196608 - 256, 0, 1, 1, 1, 1, 8, 8, 8},
         TWIN_NATIVE_BUFFER,
         "vadd: src0 needs 260 bytes at 196352"}};
    for (size_t i = 0; i < TWIN_COUNT(cases); i++) {
        step s;
        const sequence_args args = one_add(&s, cases[i].mode, cases[i].mask, cases[i].arguments);
        if (cases[i].fault != TWIN_NATIVE_GOOD) {
            rig_fail("sequence", 1, &args, sizeof(args), cases[i].fault, cases[i].text);
            continue;
        }
        rig_begin("sequence", 1, &args, sizeof(args)); /* it reads what was not loaded */
        CU_ASSERT_EQUAL(twin_native_failed(rig_run)->fault, TWIN_NATIVE_GOOD);
        twin_native_end(rig_run);
    }
}

/* Cycles of the vector unit of a kernel that does one instruction. */
static uint64_t vector_cycles(const program *p)
{
    static step s;
    uint64_t cycles = 0;
    s.program = *p;
    const sequence_args args = {&s, 1};
    rig_begin("sequence", 1, &args, sizeof(args));
    CU_ASSERT_EQUAL(twin_native_failed(rig_run)->fault, TWIN_NATIVE_GOOD);
    for (uint64_t i = 0; i < rig_work.lists[0].count; i++) {
        const twin_step *found = &rig_work.lists[0].steps[i];
        if (found->pipe == TWIN_PIPE_VECTOR && found->kind == TWIN_STEP_WORK)
            cycles += found->amount;
    }
    twin_native_end(rig_run);
    return cycles;
}

/* A start of 10 cycles and 128 bytes in each: a repeat takes 2. */
static void test_cycles(void)
{
    static const struct {
        uint32_t number, a, b, c;
        uint64_t arguments[10];
        uint32_t count;
        uint64_t cycles;
    } cases[] = {{TWK_INSTRUCTION_VADD,
                  TWK_FP32,
                  TWK_FP32,
                  TWK_FP32,
                  {0, 4096, 8192, 4, 1, 1, 1, 8, 8, 8},
                  10,
                  10 + 4 * 2},
                 {TWK_INSTRUCTION_VEXP,
                  TWK_FP16,
                  TWK_FP16,
                  TWK_NO_TYPE,
                  {0, 4096, 4, 1, 1, 8, 8},
                  7,
                  10 + 7 + 4 * 2 * 4},
                 {TWK_INSTRUCTION_VCONV_F162F32,
                  TWK_FP32,
                  TWK_FP16,
                  TWK_NO_TYPE,
                  {0, 4096, 4, 1, 1, 8, 4},
                  7,
                  10 + 8 + 4 * 2 * 2},
                 {TWK_INSTRUCTION_VCADD,
                  TWK_FP32,
                  TWK_FP32,
                  TWK_NO_TYPE,
                  {0, 4096, 4, 1, 1, 8, 0},
                  7,
                  10 + 22 + 4 * 2 * 7},
                 {TWK_INSTRUCTION_VCGMAX,
                  TWK_FP32,
                  TWK_FP32,
                  TWK_NO_TYPE,
                  {0, 4096, 4, 1, 1, 8},
                  6,
                  10 + 7 + 4 * 2},
                 {TWK_INSTRUCTION_VREDUCEV2,
                  TWK_UINT32,
                  TWK_UINT32,
                  TWK_UINT32,
                  {0, 4096, 8192, 4, 1, 1, 8, 0},
                  8,
                  10 + 10 + 4 * 2 * 14},
                 {TWK_INSTRUCTION_VADD,
                  TWK_FP32,
                  TWK_FP32,
                  TWK_FP32,
                  {0, 4096, 8192, 0, 1, 1, 1, 8, 8, 8},
                  10,
                  0}};
    for (size_t i = 0; i < TWIN_COUNT(cases); i++) {
        program p = {.count = 0};
        twk_instruction *in = record(&p, cases[i].number, cases[i].a, cases[i].b, cases[i].c);
        for (uint32_t j = 0; j < cases[i].count; j++)
            argument(in, cases[i].arguments[j]);
        CU_ASSERT_EQUAL(vector_cycles(&p), cases[i].cycles);
    }
}

/* Operations that were counted, of that type. */
static uint64_t counted(const sequence_args *args, uint32_t type)
{
    uint64_t count = 0;
    rig_counts = true;
    rig_begin("sequence", 1, args, sizeof(*args));
    rig_counts = false;
    CU_ASSERT_EQUAL(twin_native_failed(rig_run)->fault, TWIN_NATIVE_GOOD);
    for (uint64_t i = 0; i < rig_work.lists[0].count; i++) {
        const twin_step *found = &rig_work.lists[0].steps[i];
        if (found->kind == TWIN_STEP_COUNT && found->flag == type)
            count += found->amount;
    }
    twin_native_end(rig_run);
    return count;
}

/* A sum of two elements, or of an element to others, is one; what the mask leaves out is none. */
static void test_counts(void)
{
    static const uint64_t add_4[10] = {0, 4096, 8192, 4, 1, 1, 1, 8, 8, 8};
    static const uint64_t reduce_4[7] = {0, 4096, 4, 1, 1, 8, 0};
    static const struct {
        uint64_t mode, mask, wanted;
    } cases[] = {{0, UINT64_MAX, 4 * 64}, {0, 0x8001, 4 * 2}, {1, 70, 70}};
    for (size_t i = 0; i < TWIN_COUNT(cases); i++) {
        step s;
        const sequence_args args = one_add(&s, cases[i].mode, cases[i].mask, add_4);
        CU_ASSERT_EQUAL(counted(&args, TWK_FP32), cases[i].wanted);
        s.program.count--;
        twk_instruction *in =
            record(&s.program, TWK_INSTRUCTION_VCADD, TWK_FP32, TWK_FP32, TWK_NO_TYPE);
        for (uint32_t j = 0; j < 7; j++)
            argument(in, reduce_4[j]);
        CU_ASSERT_EQUAL(counted(&args, TWK_FP32), cases[i].wanted);
    }
}

/* Loads a part, and adds it without a flag: which bytes are reported. */
TWK_VECTOR_KERNEL(early, sequence_args, args)
{
    twk_load(twk_ub_at(0), IMAGE, WINDOW);
    twk_barrier(TWK_ALL);
    twk_load(twk_ub_at(256), IMAGE, 64);
    for (uint32_t j = 0; j < args->steps[0].program.count; j++)
        (void)twk_slot->instruct(&args->steps[0].program.list[j]);
    twk_barrier(TWK_ALL);
}

/* Elements that the mask leaves out, and blocks between, are neither read nor written. */
static void test_hazards(void)
{
    static const struct {
        uint64_t mask, arguments[10];
        const char *text; /* NULL: no report */
    } cases[] = {
        {UINT64_MAX, {1024, 0, 2048, 2, 1, 1, 1, 8, 8, 8}, "vadd (V) reads UB bytes 256 to 319"},
        {1, {1024, 0, 2048, 2, 1, 1, 1, 8, 8, 8}, "vadd (V) reads UB bytes 256 to 259"},
        {UINT64_MAX, {0, 1024, 2048, 2, 1, 1, 1, 8, 8, 8}, "vadd (V) writes UB bytes 256 to 319"},
        {0x8000, {0, 1024, 2048, 2, 1, 1, 1, 8, 8, 8}, "vadd (V) writes UB bytes 316 to 319"},
        {UINT64_MAX & ~0xffffull, {0, 1024, 2048, 2, 1, 1, 1, 8, 8, 8}, NULL},
        {UINT64_MAX, {1024, 0, 2048, 2, 1, 1, 1, 8, 16, 8}, NULL},
        {0xff, {1024, 32, 2048, 2, 1, 8, 1, 8, 2, 8}, NULL}};
    for (size_t i = 0; i < TWIN_COUNT(cases); i++) {
        step s;
        const sequence_args args = one_add(&s, 0, cases[i].mask, cases[i].arguments);
        rig_begin("early", 1, &args, sizeof(args));
        CU_ASSERT_EQUAL(twin_native_failed(rig_run)->fault, TWIN_NATIVE_GOOD);
        CU_ASSERT_EQUAL(rig_hazard_count, cases[i].text ? 1 : 0);
        if (cases[i].text && rig_hazard_count > 0 && !strstr(rig_hazards[0], cases[i].text)) {
            printf("\n    %s\n", rig_hazards[0]);
            CU_FAIL("another report");
        }
        twin_native_end(rig_run);
    }
}

static void test_arithmetic(void)
{
    run_turns(&arithmetic_group);
}

static void test_compare(void)
{
    run_turns(&compare_group);
}

static void test_convert(void)
{
    run_turns(&convert_group);
}

static void test_fill(void)
{
    run_turns(&fill_group);
}

static void test_gather(void)
{
    run_turns(&gather_group);
}

static void test_reduce(void)
{
    run_turns(&reduce_group);
}

static void test_sort(void)
{
    run_turns(&sort_group);
}

static void test_any(void)
{
    run_turns(NULL);
}

/* A bit that would have no effect fails the kernel. */
static void test_bits_of_ctrl(void)
{
    step s = {0};
    const sequence_args args = {&s, 1};
    uint32_t good = 0;
    for (uint32_t bit = 0; bit < 64; bit++) {
        char text[64];
        s.program.count = 0;
        add(&s.program, TWK_INSTRUCTION_SET_CTRL, 1, (uint64_t)1 << bit, 0);
        const bool has_effect = (bit >= 6 && bit <= 10) || (bit >= 46 && bit <= 48) || bit == 51 ||
                                bit == 56 || bit == 59;
        good += has_effect;
        if (has_effect) {
            rig_begin("sequence", 1, &args, sizeof(args));
            CU_ASSERT_EQUAL(twin_native_failed(rig_run)->fault, TWIN_NATIVE_GOOD);
            twin_native_end(rig_run);
            continue;
        }
        snprintf(text, sizeof(text), "set_ctrl: bit %u of CTRL is not supported", bit);
        rig_fail("sequence", 1, &args, sizeof(args), TWIN_NATIVE_OPERATION, text);
    }
    CU_ASSERT_EQUAL(good, 11);
}

/* The count is of each repeat, unlike that of all others. */
static void test_copy_in_count_mode(void)
{
    enum { ROWS = 18, ROW = 256, BLOCK = 32, FROM = 8192, REPEATS = 2 };
    static uint8_t wanted[WINDOW];
    step s = {0};
    machine m;
    const sequence_args args = {&s, 1};
    fill(&m);
    memcpy(rig_host(IMAGE), m.ub, WINDOW);
    memcpy(wanted, m.ub, WINDOW);
    for (uint32_t repeat = 0; repeat < REPEATS; repeat++) /* a column of blocks becomes a row */
        for (uint32_t row = 0; row < ROWS; row++)
            memcpy(wanted + (repeat * ROWS + row) * BLOCK, m.ub + FROM + repeat * BLOCK + row * ROW,
                   BLOCK);
    /* not all of the last block */
    memcpy(wanted + (REPEATS * ROWS - 1) * BLOCK + 12, m.ub + (REPEATS * ROWS - 1) * BLOCK + 12,
           BLOCK - 12);
    memcpy(wanted + (ROWS - 1) * BLOCK + 12, m.ub + (ROWS - 1) * BLOCK + 12, BLOCK - 12);
    const uint64_t arguments[] = {0, FROM, REPEATS, 1, ROW / BLOCK, ROWS, 1};
    add(&s.program, TWK_INSTRUCTION_SET_MASK_COUNT, 0, 0, 0);
    add(&s.program, TWK_INSTRUCTION_SET_VECTOR_MASK, 2, 0, (ROWS - 1) * BLOCK / 4 + 3);
    twk_instruction *in =
        record(&s.program, TWK_INSTRUCTION_VCOPY, TWK_UINT32, TWK_UINT32, TWK_NO_TYPE);
    for (uint32_t i = 0; i < TWIN_COUNT(arguments); i++)
        argument(in, arguments[i]);
    rig_do("sequence", 1, &args, sizeof(args));
    CU_ASSERT_EQUAL(memcmp(rig_host(RESULTS), wanted, WINDOW), 0);
    /* 256 bytes take 2 cycles. */
    s.program.list[1].arguments[1] = 64;
    in->arguments[2] = 1;
    const uint64_t once = vector_cycles(&s.program);
    in->arguments[2] = 5;
    CU_ASSERT_EQUAL(vector_cycles(&s.program), once + 4 * 2);
    in->arguments[2] = 255;
    s.program.list[1].arguments[1] = 5000;
    rig_fail("sequence", 1, &args, sizeof(args), TWIN_NATIVE_OPERATION,
             "vcopy: 255 repeats of 5000 elements; the maximum is 1048576 elements");
}

int main(int argc, char **argv)
{
    static const twin_test tests[] = {
        {"arithmetic is that of each element", test_arithmetic},
        {"comparisons and selections are those of each element", test_compare},
        {"conversions round as their names say", test_convert},
        {"elements fill what they are to fill", test_fill},
        {"offsets, masks and addresses pick elements", test_gather},
        {"reductions are those of the elements that the mask has", test_reduce},
        {"elements are sorted, and equal ones stay in order", test_sort},
        {"instructions follow each other in any order", test_any},
        {"instructions that are only timed take the same steps", test_timed_only},
        {"arguments of any values work or fail the kernel", test_any_arguments},
        {"an instruction takes its start and its repeats", test_cycles},
        {"operations are those on elements that the mask has", test_counts},
        {"bits of CTRL that have no effect are refused", test_bits_of_ctrl},
        {"a copy in count mode counts the elements of each repeat", test_copy_in_count_mode},
        {"what is not in UB, misaligned or too much fails the kernel", test_limits},
        {"hazards are those of the elements that are read and written", test_hazards},
    };
    int kept = 1;
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--turns=", 8) == 0)
            turns = (uint32_t)strtoul(argv[i] + 8, NULL, 10);
        else if (strncmp(argv[i], "--seed=", 7) == 0)
            state = strtoull(argv[i] + 7, NULL, 10);
        else
            argv[kept++] = argv[i];
    }
    return twin_run_suite("kernel_instructions", tests, TWIN_COUNT(tests), kept, argv);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* seeds image|settings|table FOLDER: writes the first inputs of a fuzzer. The first byte of each
 * file selects the entry point. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/object.h"
#include "support/kernel_object.h"

enum { AIC = 2, AIV = 3, MIX_AIC = 4, MIX_AIV = 5 };
enum {
    TYPE = 1,
    CROSS_CORE = 2,
    LOADER = 4,
    UB = 7,
    STACK = 8,
    EARLY = 11,
    KINDS = 12,
    SCHEDULE = 18
};

static const char *folder;
static unsigned written;

static void put(unsigned char way, const void *data, size_t bytes)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s/%03u", folder, written++);
    FILE *file = fopen(path, "wbe");
    if (!file || fputc(way, file) == EOF || fwrite(data, 1, bytes, file) != bytes ||
        fclose(file) != 0) {
        fprintf(stderr, "seeds: %s cannot be written\n", path);
        exit(1);
    }
}

static void put_text(unsigned char way, const char *text)
{
    put(way, text, strlen(text));
}

/* ---- images ---------------------------------------------------------------------------------- */

static kernel_object object;
static object_meta meta;
static const unsigned char code[96] = {1, 2, 3};

static void begin(bool big_endian)
{
    object_begin(&object, big_endian);
    object_add_section(&object, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, code,
                       sizeof(code));
    meta_begin(&meta, big_endian);
}

/* As often as there are ways to read it. */
static void finish(void)
{
    size_t bytes = 0;
    unsigned char *file = object_write(&object, &bytes);
    for (unsigned char way = 0; way < 16; way += 5)
        put(way, file, bytes);
    free(file);
    object_end(&object);
}

static void add(const char *name, uint32_t type, uint64_t value)
{
    meta_begin(&meta, object.big_endian);
    meta_word(&meta, TYPE, type);
    if (type >= MIX_AIC)
        meta_ratio(&meta, 1, 2);
    object_add_meta(&object, name, &meta);
    object_add_kernel(&object, name, value, 16);
}

static void write_images(void)
{
    for (unsigned order = 0; order < 2; order++) {
        begin(order == 1);
        object_add_kernel(&object, "plain_7", 0, 16);
        finish();
        begin(order == 1);
        add("cube", AIC, 0);
        add("vector", AIV, 16);
        add("mix_mix_aic", MIX_AIC, 32);
        add("mix_mix_aiv", MIX_AIC, 48);
        add("other_mix_aic", MIX_AIV, 64);
        add("other_mix_aiv", MIX_AIV, 80);
        object_add_symbol(&object, "table", ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), 1, 64, 32);
        finish();
    }
    begin(false);
    meta_word(&meta, TYPE, AIV);
    meta_word(&meta, CROSS_CORE, 1);
    meta_word(&meta, UB, 4096);
    meta_word(&meta, STACK, 20480);
    meta_word(&meta, EARLY, 1);
    meta_word(&meta, KINDS, 2);
    meta_word(&meta, SCHEDULE, 1);
    meta_key(&meta, 0, 77);
    meta_params(&meta, 3, 24);
    meta_param(&meta, 2, 16, 4);
    meta_param(&meta, 0, 0, 8);
    meta_param(&meta, 1, 8, 2);
    object_add_meta(&object, "all", &meta);
    object_add_kernel(&object, "all", 0, 32);
    meta_begin(&meta, false);
    meta_word(&meta, LOADER, 0x1f);
    object_add_meta(&object, NULL, &meta);
    object_add_symbol(&object, "g_sysFftsAddr", ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), 1, 32, 8);
    finish();
}

/* As twinrt-cc lays them out; the fuzzer makes the header right but for the place of the shared
 * object. */
static void write_native(void)
{
    static unsigned char head[160];
    static const unsigned char shared[48] = "no shared object";
    for (unsigned round = 0; round < 2; round++) { /* its place is known once it has been written */
        size_t bytes = 0;
        object_begin(&object, false);
        object_add_section(&object, ".text", SHT_PROGBITS, SHF_ALLOC, head, sizeof(head));
        const uint16_t native = object_add_section(&object, TWIN_NATIVE_SECTION, SHT_PROGBITS, 0,
                                                   shared, sizeof(shared));
        add("vector", AIV, 64);
        add("cube", AIC, 96);
        unsigned char *file = object_write(&object, &bytes);
        twin_native_header header = {.library_place = (uint32_t)object.sections[native].offset,
                                     .library_bytes = sizeof(shared)};
        memcpy(head, &header, sizeof(header));
        if (round == 1)
            put(0xd0, file, bytes);
        free(file);
        object_end(&object);
    }
}

static void write_beside(void)
{
    put_text(0xe0, "{\"magic\": \"RT_DEV_BINARY_MAGIC_ELF_AIVEC\", \"intercoreSync\": 1}");
    put_text(0xe0, "{\"magic\": \"RT_DEV_BINARY_MAGIC_ELF_AICUBE\", \"intercoreSync\": \"1\"}");
    put_text(0xe0, "{\"magic\": 3, \"debugOptions\": \"printf,assert\"}");
    put_text(0xe0, "{\"debugOptions\": [1, 2], \"blockDim\": 8}");
    put_text(0xf0,
             "{\"Add\": {\"opInfo\": {\"functionName\": \"RunAdd\", \"kernelSo\": \"a.so\"}},"
             " \"Sub\": {\"opInfo\": {\"functionName\": \"RunSub\", \"kernelSo\": \"a.so\"}}}");
    put_text(
        0xf1,
        "{\"Add\": {\"opInfo\": {\"functionName\": \"RunAdd\", \"kernelSo\": \"list.json\"}}}");
    put_text(0xf0, "{\"Add\": {\"opInfo\": {\"functionName\": \"\", \"kernelSo\": 5}}}");
}

/* ---- settings -------------------------------------------------------------------------------- */

/* Of each kind of table one; with quotes, missing cells, both ends of lines, a mark in front. */
static void write_tables(void)
{
    put_text(1,
             "\xef\xbb\xbf"
             "Device_id,Op Name,Task Duration(us),Block Dim,aic_mac_time(us),aiv_vec_time(us)\r\n"
             "0,\"a, \"\"b\"\"\",12.5\t,8,N/A,3.25\r\n\r\n0,a,0.5,1,,\r\n");
    put_text(1, "Device_id,kernel_name,kernel_type,stream_id,task_id,task_time(us),task_start(us)\n"
                "0,a,AI_CORE,1,2,3.5,100\n");
    put_text(1, "Op Name,Op Type,Task Duration(us),Block Dim,Mix Block Dim,Current Freq,\n"
                "a,vector,155.740005,1,NA,1800,\n");
    put_text(0, "block_id,sub_block_id,aiv_time(us),aiv_total_cycles,aiv_vec_time(us)\n"
                "0,vector0,1.5,2700,0.25\n0,vector1,1.5,2700,0.25\n");
    put_text(1, "Device_id,Stream ID,Task ID,Op Name,Task Start Time(us),Block Dim,block_id,"
                "sub_block_id,aic_cube_time(us)\n0,1,1,a,5.5,2,0,cube0,1\n0,1,2,a,6,1,0,cube0,2\n");
}

static void write_settings(void)
{
    put_text(0,
             "{\"faults\": [{\"kind\": \"engine_error\", \"task\": \"sdma\", \"first\": 2},"
             "{\"kind\": \"memory\", \"address\": \"0x124000000000\", \"bytes\": 64, \"times\": 0,"
             " \"access\": \"both\"},"
             "{\"kind\": \"completion_lost\", \"task\": \"event_record\", \"stream\": 3,"
             " \"duration_ns\": 2000000}]}");
    put_text(0, "{\"faults\": [{\"kind\": \"engine_slow\", \"task\": \"kernel\", \"factor\": 2.5,"
                " \"device\": 1, \"comment\": \"x\"}, {\"kind\": \"record_lost\", \"id\": 7},"
                " {\"kind\": \"engine_error\", \"status\": \"0x217\"}]}");
    put_text(0, "{\"faults\": []}");
    put_text(1, "{\"err_msg_mode\": \"1\", \"defaultDevice\": {\"default_device\": \"0\"}}");
    put_text(
        1, "{\"acl_graph\": {\"event_mode\": \"1\"}, \"StackSize\": {\"aicore_stack_size\": 32768},"
           " \"simd_printf_fifo_size_per_core\": 1048576}");
    put_text(1, "");
    put_text(2, "0,1,7");
    put_text(2, "15");
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "seeds image|settings|table FOLDER\n");
        return 2;
    }
    folder = argv[2];
    if (strcmp(argv[1], "image") == 0) {
        write_images();
        write_native();
        write_beside();
    } else if (strcmp(argv[1], "table") == 0) {
        write_tables();
    } else {
        write_settings();
    }
    return 0;
}

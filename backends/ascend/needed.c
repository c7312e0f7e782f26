/* SPDX-License-Identifier: Apache-2.0 */
/* What the vendor's library needs. It names libraries without a path and has no RUNPATH, while this
 * runtime's folder, which has a libplatform.so and a libascend_dump.so too, comes first in
 * LD_LIBRARY_PATH. So each is opened by its path before the one that needs it: a name that is
 * loaded already is not searched. */
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "linking.h"

#define NAMES_MOST   256 /* libraries of one toolkit that need each other */
#define NAME_BYTES   96
#define FOLDERS_MOST 5
#define DEEPEST      32

/* The driver's, below the folder that it was installed in, which a line of the file names. */
static const char *const driver_folders[] = {"driver/lib64", "driver/lib64/common",
                                             "driver/lib64/driver"};
#define DRIVER_FILE "/etc/ascend_install.info"
#define DRIVER_KEY  "Driver_Install_Path_Param="
#define DRIVER_HOME "/usr/local/Ascend"

typedef struct walk {
    char folders[FOLDERS_MOST][PATH_MAX];
    size_t folder_count;
    char seen[NAMES_MOST][NAME_BYTES];
    size_t seen_count;
    char *taken;
    size_t taken_bytes;
} walk;

/* A file that is mapped to be read. */
typedef struct image {
    const unsigned char *bytes;
    size_t size;
} image;

static bool map_image(const char *path, image *out_image)
{
    struct stat about;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    void *bytes = MAP_FAILED;
    if (fstat(file, &about) == 0 && S_ISREG(about.st_mode) &&
        about.st_size >= (off_t)sizeof(ElfW(Ehdr)))
        bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (bytes == MAP_FAILED)
        return false;
    *out_image = (image){.bytes = bytes, .size = (size_t)about.st_size};
    return true;
}

/* `count` things of `size` bytes at `offset`; NULL: the file does not have them. */
static const void *part(const image *in, uint64_t offset, uint64_t count, size_t size)
{
    if (offset > in->size || count > (in->size - offset) / size ||
        ((uintptr_t)in->bytes + offset) % sizeof(uint32_t) != 0)
        return NULL;
    return in->bytes + offset;
}

static bool is_of_this_machine(const ElfW(Ehdr) * head)
{
#if UINTPTR_MAX == UINT64_MAX
    const unsigned char class = ELFCLASS64;
#else
    const unsigned char class = ELFCLASS32;
#endif
    return memcmp(head->e_ident, ELFMAG, SELFMAG) == 0 && head->e_ident[EI_CLASS] == class &&
           head->e_phentsize == sizeof(ElfW(Phdr));
}

/* Offset in the file of the byte at `address` in memory; 0: in no segment. */
static uint64_t place_of(const ElfW(Phdr) * parts, size_t count, uint64_t address)
{
    for (size_t i = 0; i < count; i++)
        if (parts[i].p_type == PT_LOAD && address >= parts[i].p_vaddr &&
            address - parts[i].p_vaddr < parts[i].p_filesz)
            return parts[i].p_offset + (address - parts[i].p_vaddr);
    return 0;
}

/* The dynamic section of a library, and its names. */
typedef struct dynamic {
    const ElfW(Dyn) * entries;
    size_t count;
    const char *names;
    size_t names_bytes; /* the last one is 0 */
} dynamic;

static bool read_dynamic(const image *in, dynamic *out)
{
    const ElfW(Ehdr) *head = (const void *)in->bytes;
    if (!is_of_this_machine(head))
        return false;
    const ElfW(Phdr) *parts = part(in, head->e_phoff, head->e_phnum, sizeof(*parts));
    uint64_t names = 0;
    *out = (dynamic){0};
    for (size_t i = 0; parts && i < head->e_phnum; i++)
        if (parts[i].p_type == PT_DYNAMIC) {
            out->count = parts[i].p_filesz / sizeof(*out->entries);
            out->entries = part(in, parts[i].p_offset, out->count, sizeof(*out->entries));
        }
    for (size_t i = 0; out->entries && i < out->count; i++) {
        if (out->entries[i].d_tag == DT_STRTAB)
            names = place_of(parts, head->e_phnum, out->entries[i].d_un.d_ptr);
        if (out->entries[i].d_tag == DT_STRSZ)
            out->names_bytes = out->entries[i].d_un.d_val;
    }
    if (names == 0 || names >= in->size || out->names_bytes == 0 ||
        out->names_bytes > in->size - names)
        return false;
    out->names = (const char *)in->bytes + names;
    return out->names[out->names_bytes - 1] == '\0';
}

/* False: it was seen before, or there are too many. */
static bool see(walk *on, const char *name)
{
    for (size_t i = 0; i < on->seen_count; i++)
        if (strcmp(on->seen[i], name) == 0)
            return false;
    if (on->seen_count == NAMES_MOST || strlen(name) >= NAME_BYTES)
        return false;
    memcpy(on->seen[on->seen_count++], name, strlen(name) + 1);
    return true;
}

/* Reports when the name leads to another loaded file than the one that is meant. */
static void look_who_has(walk *on, const char *name, const char *path)
{
    struct link_map *map = NULL;
    struct stat has, meant;
    void *handle = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
    if (!handle)
        return;
    if (on->taken[0] == '\0' && dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 &&
        stat(map->l_name, &has) == 0 && stat(path, &meant) == 0 &&
        (has.st_dev != meant.st_dev || has.st_ino != meant.st_ino))
        snprintf(on->taken, on->taken_bytes, "%s as %s", map->l_name, name);
    (void)dlclose(handle);
}

static void open_all(walk *on, const char *path, int depth);

/* Opens it and what it needs. The linker reports what does not load when the library itself is
 * opened. */
static void open_one(walk *on, const char *name, int depth)
{
    for (size_t i = 0; i < on->folder_count; i++) {
        char path[PATH_MAX + NAME_BYTES];
        struct stat about;
        snprintf(path, sizeof(path), "%s/%s", on->folders[i], name);
        if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
            continue;
        open_all(on, path, depth + 1);
        /* Never closed. Bound at once if possible: what is missing is reported when the library
         * itself loads. */
        if (!dlopen(path, RTLD_NOW | RTLD_LOCAL) && !dlopen(path, RTLD_LAZY | RTLD_LOCAL))
            (void)dlerror();
        look_who_has(on, name, path);
        return;
    }
}

/* What the library at `path` needs, each after what it needs itself. */
static void open_all(walk *on, const char *path, int depth)
{
    image file;
    dynamic table;
    if (depth > DEEPEST || !map_image(path, &file))
        return;
    bool good = read_dynamic(&file, &table);
    for (size_t i = 0; good && i < table.count && table.entries[i].d_tag != DT_NULL; i++) {
        if (table.entries[i].d_tag != DT_NEEDED || table.entries[i].d_un.d_val >= table.names_bytes)
            continue;
        const char *name = table.names + table.entries[i].d_un.d_val;
        if (!strchr(name, '/') && see(on, name))
            open_one(on, name, depth);
    }
    (void)munmap((void *)(uintptr_t)file.bytes, file.size);
}

static void add_folder(walk *on, const char *folder, size_t length)
{
    if (length == 0 || length >= PATH_MAX || on->folder_count == FOLDERS_MOST)
        return;
    memcpy(on->folders[on->folder_count], folder, length);
    on->folders[on->folder_count++][length] = '\0';
}

static void find_driver(char home[PATH_MAX])
{
    char line[PATH_MAX];
    FILE *file = fopen(DRIVER_FILE, "re");
    snprintf(home, PATH_MAX, DRIVER_HOME);
    while (file && fgets(line, sizeof(line), file))
        if (strncasecmp(line, DRIVER_KEY, sizeof(DRIVER_KEY) - 1) == 0) {
            line[strcspn(line, " \t\r\n")] = '\0';
            snprintf(home, PATH_MAX, "%s", line + sizeof(DRIVER_KEY) - 1);
        }
    if (file)
        (void)fclose(file);
}

void ascend_open_needed(const char *path, const char *folder, char *out_taken, size_t bytes)
{
    static walk on; /* large, and init is one thread */
    char home[PATH_MAX];
    const char *slash = strrchr(path, '/');
    out_taken[0] = '\0';
    if (!slash)
        return;
    on.folder_count = on.seen_count = 0;
    on.taken = out_taken;
    on.taken_bytes = bytes;
    add_folder(&on, path, (size_t)(slash - path));
    add_folder(&on, folder, strlen(folder));
    find_driver(home);
    for (size_t i = 0; i < sizeof(driver_folders) / sizeof(driver_folders[0]); i++) {
        char driver[PATH_MAX + 64];
        snprintf(driver, sizeof(driver), "%s/%s", home, driver_folders[i]);
        add_folder(&on, driver, strlen(driver));
    }
    (void)see(&on, slash + 1); /* the library itself, which the caller opens */
    open_all(&on, path, 0);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "loader.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "linking.h"
#include "process.h"
#include "twinrt/inner.h"

#define INNER_MARK "twinrt_be_inner"
#define NAMES_MOST 4 /* missing functions that a message names */

struct ascend_vendor vendor;
ascend_library ascend_library_found;

#define REQUIRED true
#define OPTIONAL false
static ascend_symbol symbols[] = {
#define VENDOR(need, since, name, function) {#function, since, need, false},
#include "symbols.def"
};
#undef REQUIRED
#undef OPTIONAL
static void *library;

/* Below a toolkit's folder. libascendcl.so may be one that needs libacl_rt.so, and the linker would
 * take ours for that: so that one comes first. */
static const char *const files[] = {"lib64/libacl_rt.so",
                                    "lib64/libascendcl.so",
                                    "runtime/lib64/libacl_rt.so",
                                    "runtime/lib64/libascendcl.so",
                                    "fwkacllib/lib64/libascendcl.so",
                                    "acllib/lib64/libascendcl.so"};
/* Folders of toolkits: variables that name one, then below where root and others install. */
static const char *const variables[] = {"ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME"};
static const char *const usual_homes[] = {"Ascend/cann", "Ascend/ascend-toolkit/latest",
                                          "Ascend/latest", "Ascend/nnae/latest",
                                          "Ascend/nnrt/latest"};
#define SYSTEM "/usr/local"

#if defined(__aarch64__)
#define TOOLKIT_INFO "aarch64-linux/ascend_toolkit_install.info"
#else
#define TOOLKIT_INFO "x86_64-linux/ascend_toolkit_install.info"
#endif

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* Whether two paths are one file, under whatever names. */
static bool same_file(const char *a, const char *b)
{
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

/* Path of the runtime that loaded this plug-in: two folders up, or the one below it in an
 * installation. */
static bool is_own_runtime(const char *path, const twin_services *services)
{
    static const char *const own[] = {"../libacl_rt.so", "../libascendcl.so",
                                      "../../lib/libacl_rt.so", "../../lib64/libacl_rt.so"};
    for (size_t i = 0; i < COUNT(own); i++) {
        char name[PATH_MAX + 64];
        snprintf(name, sizeof(name), "%s/%s", services->plugin_folder, own[i]);
        if (same_file(name, path))
            return true;
    }
    return false;
}

static void read_toolkit_version(ascend_library *found)
{
    /* The first ones say how the release is called, the others may have the number of a part. */
    static const char *const places[] = {TOOLKIT_INFO,
                                         "ascend_toolkit_install.info",
                                         "ascend_nnae_install.info",
                                         "ascend_nnrt_install.info",
                                         "version.info",
                                         "version.cfg",
                                         "share/info/runtime/version.info",
                                         "share/info/cann/version.info",
                                         "runtime/version.info",
                                         "compiler/version.info"};
    for (size_t i = 0; i < COUNT(places); i++) {
        char path[PATH_MAX + 64];
        char line[256];
        snprintf(path, sizeof(path), "%s/%s", found->home, places[i]);
        FILE *file = fopen(path, "re");
        if (!file)
            continue;
        while (fgets(line, sizeof(line), file)) {
            char *value = strncasecmp(line, "version=", 8) == 0 ? line + 8 : NULL;
            if (!value || found->toolkit[0] != '\0')
                continue;
            value[strcspn(value, " \t\r\n")] = '\0';
            snprintf(found->toolkit, sizeof(found->toolkit), "%.*s",
                     (int)sizeof(found->toolkit) - 1, value);
        }
        (void)fclose(file);
        if (found->toolkit[0] != '\0')
            return;
    }
}

/* What one folder has. UNAVAILABLE: no library; SETUP: one that cannot be used, which `reason`
 * says. */
typedef struct search {
    const twin_services *services;
    char *reason;
    size_t bytes;
    bool any; /* the folder named by the setting that is for this alone may hold a copy of ours */
} search;

static void refuse_own(const search *asked, const char *path)
{
    snprintf(asked->reason, asked->bytes,
             "%s is this runtime itself, not the vendor's; set TWINRT_ASCEND_HOME to the folder of "
             "the vendor's toolkit",
             path);
}

/* The symbol must be of the file that was asked for: the loader returns a library that is already
 * loaded under the same soname. */
static bool comes_from(void *symbol, const char *path)
{
    Dl_info info;
    return dladdr(symbol, &info) && info.dli_fname && same_file(info.dli_fname, path);
}

/* `folder`: where it was found, which may hold links to files of several folders. */
static void *load(const search *asked, const char *path, const char *folder)
{
    char taken[PATH_MAX + NAME_MAX];
    ascend_open_needed(path, folder, taken, sizeof(taken));
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle)
        return handle;
    const char *cause = dlerror();
    cause = cause ? cause : "unknown cause";
    if (taken[0] != '\0')
        snprintf(asked->reason, asked->bytes,
                 "%s does not load: %s; the program has loaded %s before, in the place of the "
                 "toolkit's: source the toolkit's set_env.sh and then this runtime's, or do not "
                 "link with it",
                 path, cause, taken);
    else
        snprintf(asked->reason, asked->bytes,
                 "%s does not load: %s; source the set_env.sh of the toolkit, and install the "
                 "driver, whose libraries it needs",
                 path, cause);
    return NULL;
}

static twin_status open_file(const search *asked, const char *path, const char *folder,
                             void **out_handle)
{
    const size_t before = ascend_objects_loaded();
    void *handle = load(asked, path, folder);
    if (!handle)
        return TWIN_E_SETUP;
    void *count = dlsym(handle, symbols[0].function);
    if (count && !comes_from(count, path)) {
        snprintf(asked->reason, asked->bytes,
                 "%s gives the functions of another library of that name, which is loaded already; "
                 "set TWINRT_ASCEND_HOME to a folder with a libacl_rt.so of the vendor",
                 path);
        (void)dlclose(handle);
        return TWIN_E_SETUP;
    }
    void *mark = dlsym(handle, INNER_MARK);
    if (mark && comes_from(mark, path)) {
        __typeof__(twinrt_be_inner) *be_inner;
        if (!asked->any || is_own_runtime(path, asked->services)) {
            refuse_own(asked, path);
            (void)dlclose(handle);
            return TWIN_E_UNAVAILABLE;
        }
        memcpy(&be_inner, &mark, sizeof(be_inner));
        if (be_inner() != 0) {
            snprintf(asked->reason, asked->bytes, "%s is in use already", path);
            return TWIN_E_SETUP;
        }
        ascend_library_found.inner = true;
    }
    ascend_bind_inner(handle, before, ascend_library_found.stub, sizeof(ascend_library_found.stub));
    *out_handle = handle;
    return TWIN_OK;
}

/* The vendor's runtime looks below ASCEND_HOME_PATH for what it sends to devices. Our set_env.sh
 * has put our folder there, in its place. */
static void lend_home(const char *home)
{
    static const char *const names[] = {"ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME"};
    for (size_t i = 0; i < COUNT(names); i++) {
        char mark[PATH_MAX + 64];
        const char *now = getenv(names[i]);
        snprintf(mark, sizeof(mark), "%s/lib64/twinrt", now ? now : "");
        if (now && access(mark, F_OK) == 0)
            (void)setenv(names[i], home, 1);
    }
}

static twin_status try_home(const search *asked, const char *home, void **out_handle)
{
    for (size_t i = 0; i < COUNT(files); i++) {
        char path[PATH_MAX];
        char joined[PATH_MAX + 64];
        snprintf(joined, sizeof(joined), "%s/%s", home, files[i]);
        if (!realpath(joined, path))
            continue;
        if (is_own_runtime(path, asked->services)) {
            refuse_own(asked, path);
            continue;
        }
        *strrchr(joined, '/') = '\0';
        lend_home(home);
        twin_status status = open_file(asked, path, joined, out_handle);
        if (status == TWIN_E_UNAVAILABLE)
            continue;
        if (status == TWIN_OK) {
            snprintf(ascend_library_found.path, sizeof(ascend_library_found.path), "%s", path);
            snprintf(ascend_library_found.home, sizeof(ascend_library_found.home), "%s", home);
        }
        return status;
    }
    return TWIN_E_UNAVAILABLE;
}

/* The folder that is looked into as number `index`, "" when it is not named. False: there are no
 * more. */
static bool candidate(size_t index, char home[PATH_MAX])
{
    const char *value = NULL;
    home[0] = '\0';
    if (index < COUNT(variables)) {
        value = getenv(variables[index]);
        if (value)
            snprintf(home, PATH_MAX, "%s", value);
        return true;
    }
    index -= COUNT(variables);
    value = index < COUNT(usual_homes) ? SYSTEM : getenv("HOME");
    if (value && *value)
        snprintf(home, PATH_MAX, "%s/%s", value, usual_homes[index % COUNT(usual_homes)]);
    return index < 2 * COUNT(usual_homes);
}

static twin_status find(const search *asked, void **out_handle)
{
    const char *given = asked->services->setting("TWINRT_ASCEND_HOME");
    if (*given) {
        search here = *asked;
        here.any = true;
        twin_status status = try_home(&here, given, out_handle);
        if (status == TWIN_E_UNAVAILABLE) {
            if (here.reason[0] == '\0')
                snprintf(here.reason, here.bytes,
                         "TWINRT_ASCEND_HOME is %s, which has neither lib64/libacl_rt.so nor "
                         "lib64/libascendcl.so",
                         given);
            return TWIN_E_SETUP; /* a folder that is set must contain it */
        }
        return status;
    }
    char home[PATH_MAX];
    for (size_t i = 0; candidate(i, home); i++) {
        twin_status status = home[0] ? try_home(asked, home, out_handle) : TWIN_E_UNAVAILABLE;
        if (status != TWIN_E_UNAVAILABLE)
            return status;
    }
    if (asked->reason[0] == '\0')
        snprintf(
            asked->reason, asked->bytes,
            "the vendor's toolkit is not installed: no libacl_rt.so or libascendcl.so in the "
            "lib64 of ASCEND_HOME_PATH, ASCEND_TOOLKIT_HOME, %s/%s, %s/%s or the same below the "
            "home of the user; install it with its driver, or set TWINRT_ASCEND_HOME",
            SYSTEM, usual_homes[0], SYSTEM, usual_homes[1]);
    return TWIN_E_UNAVAILABLE;
}

static void *resolve(void *handle, size_t index)
{
    void *address = dlsym(handle, symbols[index].function);
    symbols[index].found = address != NULL;
    return address;
}

static void resolve_all(void *handle)
{
    size_t index = 0;
    void *address;
#define VENDOR(need, since, name, function)                                                        \
    address = resolve(handle, index++);                                                            \
    memcpy(&vendor.name, &address, sizeof(address));
#include "symbols.def"
}

/* False: a required function is not there, which `reason` says. */
static bool check_symbols(const search *asked)
{
    char names[512] = "";
    uint32_t absent = 0;
    const char *newest = "";
    for (size_t i = 0; i < COUNT(symbols); i++) {
        if (symbols[i].found)
            continue;
        if (!symbols[i].required) {
            ascend_library_found.missing++;
            continue;
        }
        if (absent++ < NAMES_MOST) {
            size_t used = strlen(names);
            snprintf(names + used, sizeof(names) - used, "%s%s", used ? ", " : "",
                     symbols[i].function);
        }
        if (strcmp(symbols[i].since, newest) > 0)
            newest = symbols[i].since;
    }
    if (absent == 0)
        return true;
    snprintf(asked->reason, asked->bytes,
             "%s (toolkit %s) has no %s%s, which this backend needs; install a newer toolkit%s%s",
             ascend_library_found.path,
             ascend_library_found.toolkit[0] ? ascend_library_found.toolkit : "of unknown version",
             names, absent > NAMES_MOST ? " and more" : "", *newest ? ", at least " : "", newest);
    return false;
}

/* The interface that the backend was written against, and the library's, have one major version. */
static bool check_version(const search *asked)
{
    int32_t *version = ascend_library_found.version;
    aclError code = vendor.version(&version[0], &version[1], &version[2]);
    if (code == ACL_SUCCESS && version[0] == ACL_MAJOR_VERSION)
        return true;
    if (code != ACL_SUCCESS)
        snprintf(asked->reason, asked->bytes, "%s does not report its version: it returned %d",
                 ascend_library_found.path, (int)code);
    else
        snprintf(asked->reason, asked->bytes,
                 "%s has version %d.%d.%d of the interface, and this backend knows version %d; "
                 "install a toolkit whose runtime has that, or a newer release of this one",
                 ascend_library_found.path, (int)version[0], (int)version[1], (int)version[2],
                 ACL_MAJOR_VERSION);
    return false;
}

twin_status ascend_library_load(const twin_services *services, char *reason, size_t bytes)
{
    const search asked = {.services = services, .reason = reason, .bytes = bytes};
    reason[0] = '\0';
    if (library)
        return TWIN_OK;
    void *handle = NULL;
    ascend_library_found =
        (ascend_library){.symbols = symbols, .symbol_count = (uint32_t)COUNT(symbols)};
    twin_status status = find(&asked, &handle);
    if (status != TWIN_OK)
        return status;
    read_toolkit_version(&ascend_library_found);
    resolve_all(handle);
    if (!check_symbols(&asked) || !check_version(&asked))
        return TWIN_E_SETUP; /* stays open: threads that it started may still run in it */
    library = handle;
    return TWIN_OK;
}

/* ---- what `twinrt info` shows of it ---- */

static void put_fact(void (*take)(void *context, const twin_fact *fact), void *context,
                     const char *name, const char *value, const char *source)
{
    const twin_fact fact = {
        .name = name, .value = value, .unit = "", .mark = "", .source = source, .base = ""};
    take(context, &fact);
}

void ascend_diag_facts(void (*take)(void *context, const twin_fact *fact), void *context)
{
    const ascend_library *found = &ascend_library_found;
    char text[64];
    put_fact(take, context, "vendor.library", found->path, "");
    put_fact(take, context, "vendor.device", found->inner ? "model" : "board",
             found->inner ? "the library is a second copy of this runtime" : "");
    put_fact(take, context, "vendor.home", found->home, "of the toolkit");
    put_fact(take, context, "vendor.toolkit", found->toolkit[0] ? found->toolkit : "unknown",
             "version.info of the toolkit");
    snprintf(text, sizeof(text), "%d.%d.%d", (int)found->version[0], (int)found->version[1],
             (int)found->version[2]);
    put_fact(take, context, "vendor.interface", text, "what the library says");
    snprintf(text, sizeof(text), "%u of %u", found->symbol_count - found->missing,
             found->symbol_count);
    put_fact(take, context, "vendor.functions", text, "found, of those that are used");
    for (uint32_t i = 0; i < found->symbol_count; i++) {
        const ascend_symbol *symbol = &found->symbols[i];
        if (symbol->found)
            continue;
        char source[96];
        snprintf(source, sizeof(source), "what rests on it is not supported%s%s",
                 *symbol->since ? "; toolkit " : "", *symbol->since ? symbol->since : "");
        char advice[128];
        snprintf(advice, sizeof(advice), "%s%s", source, *symbol->since ? " or newer has it" : "");
        put_fact(take, context, "vendor.missing", symbol->function, advice);
    }
}

/** @file
 * See dwarf_lookup.h. libdwfl finds separate debug files: by build id, and by .gnu_debuglink with its
 * checksum.
 */
#include "cli/symbols/dwarf_lookup.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "counters/util/array_size.h"
#include "counters/util/fd.h"

#define SYSTEM_FOLDER "/usr/lib/debug"

/* The answer about one file. */
enum fit { FITS, OTHER_BUILD, CHANGED, NO_ELF };

static void
build_id_text(char *text, size_t size, const unsigned char *id, ssize_t len)
{
    *text = '\0';
    for (ssize_t i = 0; i < len && 2 * (size_t)i + 2 < size; i++)
        snprintf(text + 2 * i, 3, "%02x", id[i]);
}

/* Is this file the one that the application had loaded? */
static enum fit
look_at(int fd, const struct pp_saved_module *module, const struct pp_debug_places *places)
{
    const void *id = NULL;
    char text[256];
    struct stat st;
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    bool is_elf = elf && elf_kind(elf) == ELF_K_ELF;
    ssize_t len = is_elf ? dwelf_elf_gnu_build_id(elf, &id) : -1;
    build_id_text(text, sizeof(text), id, len);
    if (elf)
        elf_end(elf);
    if (!is_elf)
        return NO_ELF;
    if (*module->build_id || *text)
        return strcmp(text, module->build_id) == 0 ? FITS : OTHER_BUILD;
    return fstat(fd, &st) == 0 && (double)st.st_mtim.tv_sec <= places->recorded_s ? FITS : CHANGED;
}

/* Let libdwfl read a file; fd belongs to it on success. */
static bool
report(struct pp_debug_file *file, const char *path, int fd)
{
    dwfl_report_begin(file->dwfl);
    file->module = dwfl_report_elf(file->dwfl, "module", path, fd, 0, true);
    (void)dwfl_report_end(file->dwfl, NULL, NULL);
    return file->module;
}

static bool
has_lines(struct pp_debug_file *file)
{
    Dwarf_Addr bias = 0;
    return file->module && dwfl_module_getdwarf(file->module, &bias);
}

static void
close_dwfl(struct pp_debug_file *file)
{
    if (file->dwfl)
        dwfl_end(file->dwfl);
    file->dwfl = NULL;
    file->module = NULL;
}

/* Begin a library session that looks in the folders of the user, then in that of the system. */
static bool
begin(struct pp_debug_file *file, const struct pp_debug_places *places)
{
    static char *paths;
    static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf,
                                             .find_debuginfo = dwfl_standard_find_debuginfo,
                                             .section_address = dwfl_offline_section_address,
                                             .debuginfo_path = &paths};
    size_t size = 64;
    for (size_t i = 0; i < places->folders; i++)
        size += strlen(places->folder[i]) + 2;
    char *text = malloc(size);
    if (!text)
        return false;
    /* "+": checksums of .gnu_debuglink must fit. "": the folder of the file */
    size_t used = (size_t)snprintf(text, size, "+:.debug");
    for (size_t i = 0; i < places->folders; i++)
        used += (size_t)snprintf(text + used, size - used, ":%s", places->folder[i]);
    snprintf(text + used, size - used, ":" SYSTEM_FOLDER);
    free(file->paths);
    paths = file->paths = text;
    file->dwfl = dwfl_begin(&callbacks);
    return file->dwfl;
}

/* Try one file. @param best What the files before it gave. @return The better of both. */
static enum pp_module_state
try_file(const char *path, const struct pp_saved_module *module, const struct pp_debug_places *places,
         struct pp_debug_file *best_file, enum pp_module_state best)
{
    struct pp_debug_file file = {.dwfl = NULL};
    if (best == PP_MODULE_LINES)
        return best;
    int fd = pp_open_regular(AT_FDCWD, path, O_RDONLY);
    if (fd < 0)
        return best;
    enum fit fit = look_at(fd, module, places);
    if (fit != FITS || !begin(&file, places) || !report(&file, path, fd)) {
        close(fd);
        pp_debug_file_close(&file);
        return best == PP_MODULE_NO_LINES  ? best
               : fit == OTHER_BUILD        ? PP_MODULE_OTHER
               : fit == CHANGED            ? PP_MODULE_NO_ID
               : best == PP_MODULE_NO_FILE ? PP_MODULE_BROKEN
                                           : best;
    }
    bool lines = has_lines(&file);
    if (!lines && best == PP_MODULE_NO_LINES) { /* not better than the file before */
        pp_debug_file_close(&file);
        return best;
    }
    pp_debug_file_close(best_file);
    *best_file = file;
    return lines ? PP_MODULE_LINES : PP_MODULE_NO_LINES;
}

/* Try the files that a folder may have for the module. */
static enum pp_module_state
try_folder(const char *folder, const struct pp_saved_module *module, const struct pp_debug_places *places,
           struct pp_debug_file *file, enum pp_module_state best)
{
    char path[2 * PATH_MAX];
    const char *slash = strrchr(module->path, '/');
    const char *name = slash ? slash + 1 : module->path;
    if (*module->build_id) {
        snprintf(path, sizeof(path), "%s/.build-id/%.2s/%s.debug", folder, module->build_id,
                 module->build_id + 2);
        best = try_file(path, module, places, file, best);
        snprintf(path, sizeof(path), "%s/.build-id/%.2s/%s", folder, module->build_id, module->build_id + 2);
        best = try_file(path, module, places, file, best);
    }
    if (strcmp(folder, SYSTEM_FOLDER) == 0)
        return best;
    static const char *const end[] = {".debug", ""};
    for (size_t i = 0; i < PP_ARRAY_SIZE(end); i++) {
        snprintf(path, sizeof(path), "%s/%s%s", folder, name, end[i]);
        best = try_file(path, module, places, file, best);
        snprintf(path, sizeof(path), "%s%s%s", folder, module->path, end[i]);
        best = try_file(path, module, places, file, best);
    }
    return best;
}

/* Ask debuginfod for a file that is not here. */
static enum pp_module_state
ask_servers(const struct pp_saved_module *module, const struct pp_debug_places *places,
            struct pp_debug_file *file)
{
    unsigned char id[128];
    size_t len = strlen(module->build_id) / 2;
    if (!len || len > sizeof(id) || module->start < module->load_bias || module->end <= module->start)
        return PP_MODULE_NO_FILE;
    for (size_t i = 0; i < len; i++) {
        char pair[3] = {module->build_id[2 * i], module->build_id[2 * i + 1], '\0'};
        id[i] = (unsigned char)strtoul(pair, NULL, 16);
    }
    pp_debug_file_close(file);
    if (!begin(file, places))
        return PP_MODULE_NO_FILE;
    dwfl_report_begin(file->dwfl);
    file->module = dwfl_report_module(file->dwfl, "module", module->start - module->load_bias,
                                      module->end - module->load_bias);
    if (file->module)
        (void)dwfl_module_report_build_id(file->module, id, len, 0);
    (void)dwfl_report_end(file->dwfl, NULL, NULL);
    Dwarf_Addr bias = 0;
    if (!file->module || !dwfl_module_getelf(file->module, &bias))
        return PP_MODULE_NO_FILE;
    return has_lines(file) ? PP_MODULE_LINES : PP_MODULE_NO_LINES;
}

enum pp_module_state
pp_debug_file_open(const struct pp_saved_module *module, const struct pp_debug_places *places,
                   struct pp_debug_file *ret)
{
    enum pp_module_state state = PP_MODULE_NO_FILE;
    *ret = (struct pp_debug_file){.dwfl = NULL};
    (void)elf_version(EV_CURRENT);
    if (*module->path != '/')
        return PP_MODULE_NO_FILE; /* "[vdso]", "[anon]" */
    state = try_file(module->path, module, places, ret, state);
    for (size_t i = 0; i < places->folders; i++)
        state = try_folder(places->folder[i], module, places, ret, state);
    state = try_folder(SYSTEM_FOLDER, module, places, ret, state);
    if (places->debuginfod && state != PP_MODULE_LINES && state != PP_MODULE_NO_LINES) {
        enum pp_module_state asked = ask_servers(module, places, ret);
        state = asked == PP_MODULE_NO_FILE ? state : asked;
    }
    return state;
}

void
pp_debug_file_close(struct pp_debug_file *file)
{
    close_dwfl(file);
    free(file->paths);
    file->paths = NULL;
}

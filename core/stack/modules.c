/** @file
 * See modules.h. Loaded objects;
 *
 * Wine maps the head of an image from its file, and often copies the sections into anonymous
 * memory after it; the head says where the image ends. Source: Microsoft, "PE Format". */
#include "core/stack/modules.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "core/stack/unwind_table.h"
#include "core/util/heap.h"
#include "core/util/process.h"
#include "counters/util/array_size.h"
#include "counters/util/monotonic.h"
#include "counters/util/own_fd.h"
#include "counters/util/sandbox.h"

#define NOTE_ALIGN 4U

/* What dl_iterate_phdr() looks for, and finds. */
struct search {
    const struct link_map *object; /* NULL: only the counts */
    uint64_t epoch;
    struct pp_module *module;
};

/* A file name begins so that belongs to passprobe, or to a library between the application and passprobe that
 * only forwards calls. */
static bool
has_own_name(const char *path)
{
    static const char *const begin[] = {
        "libpassprobe-", "libVkLayer_passprobe", "libvulkan.so", "libGL.so",
        "libGLX.so",     "libOpenGL.so",         "libEGL.so",    "libGLESv",
    };
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < PP_ARRAY_SIZE(begin); i++)
        if (strncmp(name, begin[i], strlen(begin[i])) == 0)
            return true;
    return false;
}

/* Take the build id from a segment of notes. Source: ELF, "Note Section"; binutils, NT_GNU_BUILD_ID. */
static void
read_notes(struct pp_module *module, const uint8_t *at, size_t size)
{
    ElfW(Nhdr) note;
    while (size >= sizeof(note)) {
        memcpy(&note, at, sizeof(note));
        size_t name = ((size_t)note.n_namesz + NOTE_ALIGN - 1) & ~(size_t)(NOTE_ALIGN - 1);
        size_t data = ((size_t)note.n_descsz + NOTE_ALIGN - 1) & ~(size_t)(NOTE_ALIGN - 1);
        if (name > size - sizeof(note) || data > size - sizeof(note) - name)
            return;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && note.n_descsz <= PP_BUILD_ID_BYTES &&
            memcmp(at + sizeof(note), "GNU", 4) == 0) {
            memcpy(module->build_id, at + sizeof(note) + name, note.n_descsz);
            module->build_id_bytes = note.n_descsz;
            return;
        }
        at += sizeof(note) + name + data;
        size -= sizeof(note) + name + data;
    }
}

/* Does the object have the memory that one of its headers names? Tools that pack programs may leave others.
 */
static bool
has_memory(const struct dl_phdr_info *info, const ElfW(Phdr) * part)
{
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *load = &info->dlpi_phdr[i];
        if (load->p_type == PT_LOAD && (load->p_flags & PF_R) && part->p_vaddr >= load->p_vaddr &&
            part->p_memsz <= load->p_filesz &&
            part->p_vaddr - load->p_vaddr <= load->p_filesz - part->p_memsz)
            return true;
    }
    return false;
}

static int
visit(struct dl_phdr_info *info, size_t size, void *user)
{
    struct search *search = user;
    (void)size;
    search->epoch = (uint64_t)info->dlpi_adds + (uint64_t)info->dlpi_subs;
    if (!search->object)
        return 1;
    if (info->dlpi_addr != search->object->l_addr ||
        strcmp(info->dlpi_name ? info->dlpi_name : "", search->object->l_name) != 0)
        return 0;
    for (unsigned i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_NOTE && search->module->build_id_bytes == 0 &&
            has_memory(info, &info->dlpi_phdr[i]))
            read_notes(search->module,
                       (const uint8_t *)(info->dlpi_addr + /* NOLINT(performance-no-int-to-ptr) */
                                         info->dlpi_phdr[i].p_vaddr),
                       info->dlpi_phdr[i].p_memsz);
    return 1;
}

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 35)

extern int _dl_find_object(void *address, struct dl_find_object *result) __attribute__((weak));

/* Find the object at an address. @return false: there is none. */
static bool
find_object(uintptr_t address, struct pp_module *found)
{
    struct dl_find_object object;
    if (!_dl_find_object || _dl_find_object((void *)address, &object)) /* NOLINT(performance-no-int-to-ptr) */
        return false;
    found->start = (uintptr_t)object.dlfo_map_start;
    found->end = (uintptr_t)object.dlfo_map_end;
    found->identity = object.dlfo_link_map;
    return object.dlfo_link_map != NULL;
}

#else

static bool
find_object(uintptr_t address, struct pp_module *found)
{
    (void)address;
    (void)found;
    return false;
}

#endif

int
pp_modules_init(struct pp_modules *modules)
{
    ssize_t length = readlink("/proc/self/exe", modules->executable, sizeof(modules->executable) - 1);
    modules->executable[length > 0 ? length : 0] = '\0';
    return -pthread_mutex_init(&modules->lock, NULL);
}

void
pp_modules_finish(struct pp_modules *modules)
{
    for (uint32_t i = 0; i < modules->count; i++)
        free(modules->module[i].path);
    free(modules->module);
    memset(modules, 0, sizeof(*modules));
}

/* Is this entry the object, and still loaded? */
static bool
is_object(const struct pp_module *module, const struct pp_module *found)
{
    return module->unloaded_ns == 0 && module->identity == found->identity && module->start == found->start &&
           module->end == found->end;
}

/* Note which objects are not loaded any more. */
static void
note_unloaded(struct pp_modules *modules)
{
    pthread_mutex_lock(&modules->lock);
    for (uint32_t i = 0; i < modules->count; i++) {
        struct pp_module *module = &modules->module[i], found;
        if (module->unloaded_ns || !module->identity || /* the loader does not know Windows images */
            (find_object(module->start, &found) && is_object(module, &found)))
            continue;
        module->unloaded_ns = pp_monotonic_ns();
        atomic_fetch_add(&modules->changes, 1);
    }
    pthread_mutex_unlock(&modules->lock);
}

void
pp_modules_look(struct pp_modules *modules)
{
    struct search search = {.object = NULL};
    (void)dl_iterate_phdr(visit, &search);
    if (atomic_exchange(&modules->epoch, search.epoch) != search.epoch)
        note_unloaded(modules);
}

/* The path of an object as the loader knows it. @return NULL: no memory. */
static char *
find_path(const struct pp_modules *modules, const struct link_map *object)
{
    if (*object->l_name == '\0')
        return strdup(modules->executable);
    if (strncmp(object->l_name, "linux-vdso.", 11) == 0 || strncmp(object->l_name, "linux-gate.", 11) == 0)
        return strdup("[vdso]");
    if (*object->l_name != '/' && strchr(object->l_name, '/') && !pp_sandbox_entered()) {
        char *path = realpath(object->l_name, NULL);
        if (path)
            return path;
    }
    return strdup(object->l_name);
}

static uint32_t
add_locked(struct pp_modules *modules, const struct pp_module *found)
{
    const struct link_map *object = found->identity;
    if (pp_array_grow(&modules->module, &modules->cap, modules->count + 1, sizeof(*modules->module)))
        return PP_NO_MODULE;
    struct pp_module *module = &modules->module[modules->count];
    *module = *found;
    module->path = find_path(modules, object);
    if (!module->path)
        return PP_NO_MODULE;
    module->load_bias = object->l_addr;
    module->is_own = has_own_name(module->path);
    module->loaded_ns = pp_monotonic_ns();
    struct search search = {.object = object, .module = module};
    (void)dl_iterate_phdr(visit, &search);
    atomic_fetch_add(&modules->changes, 1);
    return modules->count++;
}

uint32_t
pp_modules_find(struct pp_modules *modules, uintptr_t address, uintptr_t *ret_bias, bool *ret_is_own)
{
    struct pp_module found = {0};
    uint32_t number = 0;
    if (!find_object(address, &found))
        return PP_NO_MODULE;
    pthread_mutex_lock(&modules->lock);
    while (number < modules->count && !is_object(&modules->module[number], &found))
        number++;
    if (number == modules->count)
        number = add_locked(modules, &found);
    if (number != PP_NO_MODULE) {
        *ret_bias = modules->module[number].load_bias;
        *ret_is_own = modules->module[number].is_own;
    }
    pthread_mutex_unlock(&modules->lock);
    return number;
}

/* The number of a known image; the count: it is new. */
static uint32_t
known_image(const struct pp_modules *modules, const struct pp_pe_image *image)
{
    for (uint32_t i = 0; i < modules->count; i++) {
        const struct pp_module *module = &modules->module[i];
        if (!module->identity && module->start == image->start && module->end == image->end &&
            strcmp(module->path, image->path) == 0)
            return i;
    }
    return modules->count;
}

uint32_t
pp_modules_find_image(struct pp_modules *modules, uintptr_t address, uintptr_t *ret_bias)
{
    struct pp_pe_image image;
    if (!pp_pe_image_find(address, &image))
        return PP_NO_MODULE;
    pthread_mutex_lock(&modules->lock);
    uint32_t number = known_image(modules, &image);
    if (number == modules->count &&
        pp_array_grow(&modules->module, &modules->cap, modules->count + 1, sizeof(*modules->module))) {
        number = PP_NO_MODULE;
    } else if (number == modules->count) {
        modules->module[modules->count++] = (struct pp_module){.path = image.path,
                                                               .load_bias = image.start,
                                                               .start = image.start,
                                                               .end = image.end,
                                                               .loaded_ns = pp_monotonic_ns()};
        image.path = NULL; /* the module has it */
        atomic_fetch_add(&modules->changes, 1);
    }
    pthread_mutex_unlock(&modules->lock);
    free(image.path);
    *ret_bias = image.start;
    return number;
}

#define HEAD_BYTES 4096U
#define LINE_BYTES (PATH_MAX + 128)
/* Offsets. */
#define DOS_NEW_HEAD  0x3cU
#define PE_OPTIONAL   24U /* after "PE\0\0" and the file header */
#define PE_IMAGE_SIZE (PE_OPTIONAL + 56U)

/* A pe_search. It is not on the stack, which may be small. */
struct pe_search {
    uintptr_t start; /* of the last mapped file; its mappings follow each other */
    char path[PATH_MAX];
    char line[LINE_BYTES];
    unsigned char head[HEAD_BYTES];
};

/* Read memory that another thread may unmap. @return false: it is not there. */
static bool
read_memory(uintptr_t address, void *bytes, size_t len)
{
    const struct iovec to = {bytes, len};
    const struct iovec from = {(void *)address, len}; /* NOLINT(performance-no-int-to-ptr) */
    return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)len;
}

/* The size of the image that the mapped file is; 0: it is none. */
static uint32_t
image_size(struct pe_search *s)
{
    const unsigned char *head = s->head;
    uint32_t new_head = 0, size = 0;
    if (!read_memory(s->start, s->head, sizeof(s->head)) || head[0] != 'M' || head[1] != 'Z')
        return 0;
    memcpy(&new_head, head + DOS_NEW_HEAD, sizeof(new_head));
    if (new_head > sizeof(s->head) - PE_IMAGE_SIZE - sizeof(size) || memcmp(head + new_head, "PE\0", 4) != 0)
        return 0;
    memcpy(&size, head + new_head + PE_IMAGE_SIZE, sizeof(size));
    return size;
}

/* Read a line of /proc/self/maps. @return true: this mapping contains the address. */
static bool
read_line(struct pe_search *s, const char *line, uintptr_t address)
{
    unsigned long start = 0, end = 0;
    int path_at = 0;
    if (sscanf(line, "%lx-%lx %*s %*s %*s %*s %n", &start, &end, &path_at) < 2 || !path_at)
        return false;
    if (line[path_at] == '/' && strcmp(line + path_at, s->path) != 0) {
        s->start = start;
        snprintf(s->path, sizeof(s->path), "%s", line + path_at);
    }
    return address >= start && address < end;
}

/* Find the last mapped file at or in front of an address. */
static bool
find_mapped(struct pe_search *s, uintptr_t address)
{
    int fd = pp_fd_keep(open("/proc/self/maps", O_RDONLY | O_CLOEXEC));
    size_t used = 0;
    bool found = false;
    for (ssize_t got = 1; fd >= 0 && !found && got > 0;) {
        got = read(fd, s->line + used, sizeof(s->line) - 1 - used);
        used += got > 0 ? (size_t)got : 0;
        s->line[used] = '\0';
        char *at = s->line;
        for (char *end; !found && (end = strchr(at, '\n')); at = end + 1) {
            *end = '\0';
            found = read_line(s, at, address);
        }
        used -= (size_t)(at - s->line);
        memmove(s->line, at, used);
    }
    if (fd >= 0)
        close(fd);
    return found && *s->path;
}

bool
pp_pe_image_find(uintptr_t address, struct pp_pe_image *ret)
{
    if (!pp_process_has_wine() || pp_sandbox_entered())
        return false;
    struct pe_search *s = calloc(1, sizeof(*s));
    uint32_t size = s && find_mapped(s, address) ? image_size(s) : 0;
    char *path = size && address - s->start < size ? strdup(s->path) : NULL;
    if (path)
        *ret = (struct pp_pe_image){.start = s->start, .end = s->start + size, .path = path};
    free(s);
    return path;
}

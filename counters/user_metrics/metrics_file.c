/** @file
 * Reading a metrics file, choosing what applies to a GPU, compiling it; see metrics_file.h. */
#include "counters/user_metrics/metrics_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "counters/user_metrics/metrics_gpu.h"
#include "counters/user_metrics/metrics_lines.h"
#include "counters/user_metrics/metrics_parts.h"
#include "counters/user_metrics/metrics_text.h"
#include "counters/util/fd.h"
#include "counters/util/printable.h"
#include "pp_texts.h"

enum {
    MAX_BYTES = 4 << 20,
};

int
pp_metrics_file_error(const struct pp_metrics_file *file, int code, const struct pp_metrics_item *item,
                      const struct pp_metric_error *why, struct pp_metrics_error *error)
{
    return pp_metrics_fail(file, code, item->line, item->column + why->offset, why->length, error, "%s",
                           why->message);
}

void
pp_metrics_file_destroy(struct pp_metrics_file *file)
{
    if (!file)
        return;
    pp_metrics_free_gpus(file);
    free(file->sections.data);
    free(file->entries.data);
    free(file->counters.data);
    free(file->name);
    free(file->text);
    free(file->cells);
    free(file);
}

/* Copy bytes, and one more for the terminator of the last string. */
static char *
copy_bytes(const char *bytes, size_t size)
{
    char *copy = malloc(size + 1);
    if (!copy)
        return NULL;
    if (size)
        memcpy(copy, bytes, size);
    copy[size] = 0;
    return copy;
}

int
pp_metrics_file_parse(const char *name, const char *text, size_t size, struct pp_metrics_file **ret_file,
                      struct pp_metrics_error *error)
{
    if (size > MAX_BYTES) {
        if (error) {
            *error = (struct pp_metrics_error){.line = 0};
            snprintf(error->text, sizeof(error->text), PP_FORMAT_METRICS_LARGE, name, MAX_BYTES);
            pp_printable_clean(error->text, ' ');
        }
        return -EFBIG;
    }
    struct pp_metrics_file *file = calloc(1, sizeof(*file));
    if (!file)
        return -ENOMEM;
    file->name = copy_bytes(name, strlen(name));
    file->text = copy_bytes(text, size);
    file->cells = copy_bytes(text, size);
    file->size = size;
    int r = file->name && file->text && file->cells ? 0 : -ENOMEM;
    if (!r)
        r = pp_metrics_parse_lines(file, error);
    if (!r)
        r = pp_metrics_make_gpus(file, error);
    if (r)
        pp_metrics_file_destroy(file);
    else
        *ret_file = file;
    return r;
}

/* Read all bytes of a file, at most one more than is allowed. */
static int
read_all(int fd, char **ret, size_t *ret_size)
{
    size_t size = 0, capacity = 0;
    char *bytes = NULL;
    for (;;) {
        if (size == capacity) {
            capacity = capacity ? capacity * 2 : 4096;
            char *more = realloc(bytes, capacity);
            if (!more) {
                free(bytes);
                return -ENOMEM;
            }
            bytes = more;
        }
        ssize_t n = read(fd, bytes + size, capacity - size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            int r = -errno;
            free(bytes);
            return r;
        }
        size += (size_t)n;
        if (n == 0 || size > MAX_BYTES)
            break;
    }
    *ret = bytes;
    *ret_size = size;
    return 0;
}

static int
fail_system(const char *path, int code, struct pp_metrics_error *error)
{
    char reason[128] = "";
    if (!error)
        return code;
    *error = (struct pp_metrics_error){.line = 0};
    const char *text = strerror_r(-code, reason, sizeof(reason));
    snprintf(error->text, sizeof(error->text), "%.400s: %s", path, text);
    pp_printable_clean(error->text, ' ');
    return code;
}

int
pp_metrics_file_load(const char *path, struct pp_metrics_file **ret_file, struct pp_metrics_error *error)
{
    char *bytes = NULL;
    size_t size = 0;
    int fd = pp_open_regular(AT_FDCWD, path, O_RDONLY);
    if (fd < 0)
        return fail_system(path, fd, error);
    int r = read_all(fd, &bytes, &size);
    close(fd);
    if (r)
        return fail_system(path, r, error);
    r = pp_metrics_file_parse(path, bytes, size, ret_file, error);
    free(bytes);
    return r == -ENOMEM ? fail_system(path, r, error) : r;
}

int
pp_metrics_file_builtin(struct pp_metrics_file **ret_file)
{
    return pp_metrics_file_parse("generic.metrics", pp_metrics_generic_text, strlen(pp_metrics_generic_text),
                                 ret_file, NULL);
}

int
pp_metrics_file_open(const char *text, struct pp_metrics_file **ret_file, struct pp_metrics_error *error)
{
    if (strcmp(text, "generic") == 0)
        return pp_metrics_file_builtin(ret_file);
    return pp_metrics_file_load(text, ret_file, error);
}

const struct pp_metrics_item *
pp_metrics_file_at(const struct pp_metrics_file *file, size_t index, const char **ret_gpu)
{
    if (index >= file->entries.length)
        return NULL;
    const struct pp_metrics_entry *entry = &pp_metrics_entries(file)[index];
    *ret_gpu = pp_metrics_sections(file)[entry->section].gpu;
    return &entry->item;
}

int
pp_metrics_file_select(const struct pp_metrics_file *file, const char *gpu, bool sections,
                       const struct pp_metrics_item ***ret_item, size_t *ret_items)
{
    const struct pp_metrics_entry *entry = file->entries.data;
    const struct pp_metrics_item **item = calloc(file->entries.length + 1, sizeof(void *));
    size_t items = 0;
    if (!item)
        return -ENOMEM;
    bool applies = false;
    for (size_t i = 0; i < file->entries.length; i++) {
        bool same = i > 0 && entry[i].section == entry[i - 1].section;
        if (!same)
            applies = (!sections || entry[i].section > 0) &&
                      pp_metrics_section_applies(&pp_metrics_sections(file)[entry[i].section], gpu);
        if (applies)
            item[items++] = &entry[i].item;
    }
    *ret_item = item;
    *ret_items = items;
    return 0;
}

static int
compile_selected(const struct pp_metrics_file *file, const struct pp_metrics_item *const *item, size_t items,
                 const struct pp_metric_scope *scope, unsigned flags, struct pp_metric_program **ret_program,
                 struct pp_metrics_error *error)
{
    struct pp_metric_error why = {.message = ""};
    struct pp_metric_def *def = calloc(items + 1, sizeof(*def));
    for (size_t i = 0; i < items && def; i++)
        def[i] = (struct pp_metric_def){
            .name = item[i]->name, .formula = item[i]->formula, .lang = PP_METRIC_INFIX};
    int r = def ? pp_metric_compile(scope, def, items, flags, ret_program, &why) : -ENOMEM;
    if (r == -EINVAL || r == -ENOENT || r == -ELOOP)
        pp_metrics_file_error(file, r, item[why.def], &why, error);
    free(def);
    return r;
}

int
pp_metrics_file_compile(const struct pp_metrics_file *file, const char *gpu,
                        const struct pp_metric_scope *scope, unsigned flags,
                        struct pp_metric_program **ret_program, struct pp_metrics_error *error)
{
    const struct pp_metrics_item **item;
    size_t items;
    int r = pp_metrics_file_select(file, gpu, false, &item, &items);
    if (r)
        return r;
    r = compile_selected(file, item, items, scope, flags, ret_program, error);
    free(item);
    return r;
}

int
pp_metrics_file_check(const struct pp_metrics_file *file, const struct pp_metric_scope *scope, unsigned flags,
                      struct pp_metrics_error *error)
{
    int r = 0;
    for (size_t i = 0; i < file->sections.length && !r; i++) {
        const struct pp_metrics_section *section = &pp_metrics_sections(file)[i];
        struct pp_metric_program *program = NULL;
        if (section->like)
            continue; /* the names belong to a GPU */
        r = pp_metrics_file_compile(file, i ? section->gpu : "", scope,
                                    i ? flags | PP_METRIC_MISSING_OK : flags, &program, error);
        pp_metric_destroy(program);
    }
    return r;
}

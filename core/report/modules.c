/** @file
 * modules.csv: one row for each loaded object in which a call stack has a frame (option --call-graph); the
 * columns of docs/formats/session.md. A row changes when its object is unloaded, so the file is replaced as a
 * whole, which is seldom. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/engine/session_private.h"
#include "core/report/csv_write.h"
#include "core/report/writer.h"
#include "core/util/replace_file.h"
#include "counters/util/array_size.h"

struct modules {
    struct pp_replaced file;
    struct pp_modules *modules; /* NULL: no stacks are recorded */
    unsigned written;           /* pp_modules.changes of the file */
};

static bool
modules_wanted(const struct pp_config *config)
{
    return config->call_graph != PP_CALL_GRAPH_OFF;
}

static void
modules_end(void *self)
{
    struct modules *modules = self;
    if (!modules)
        return;
    pp_replaced_end(&modules->file);
    free(modules);
}

static void
end_row(struct pp_csv *csv)
{
    char *to = pp_csv_reserve(csv, 2);
    if (!to)
        return;
    to[0] = '\r';
    to[1] = '\n';
    pp_csv_advance(csv, to + 2, 0);
    csv->cells = 0;
}

static void
write_header(struct pp_csv *csv)
{
    static const char *const column[] = {"module", "path",      "build_id",    "load_bias", "start",
                                         "end",    "loaded_ns", "unloaded_ns", "debuglink"};
    for (size_t i = 0; i < PP_ARRAY_SIZE(column); i++)
        pp_csv_text(csv, column[i]);
    end_row(csv);
}

static void
write_address(struct pp_csv *csv, uintptr_t address)
{
    char text[32];
    snprintf(text, sizeof(text), "0x%" PRIxPTR, address);
    pp_csv_text(csv, text);
}

static void
write_module(struct pp_csv *csv, uint32_t number, const struct pp_module *module)
{
    char id[2 * PP_BUILD_ID_BYTES + 1] = "";
    for (uint32_t i = 0; i < module->build_id_bytes; i++)
        snprintf(id + 2 * (size_t)i, 3, "%02x", module->build_id[i]);
    pp_csv_u64(csv, number);
    pp_csv_text(csv, module->path);
    pp_csv_text(csv, id);
    write_address(csv, module->load_bias);
    write_address(csv, module->start);
    write_address(csv, module->end);
    pp_csv_u64(csv, module->loaded_ns);
    pp_csv_number_or(csv, module->unloaded_ns, PP_WHY_NO_NAME);
    pp_csv_text(csv, ""); /* the command reads it from the file */
    end_row(csv);
}

/* The whole file as text. The caller frees csv->buffer. */
static void
make_text(struct modules *modules, struct pp_csv *csv)
{
    memset(csv, 0, sizeof(*csv));
    write_header(csv);
    if (!modules->modules)
        return;
    pthread_mutex_lock(&modules->modules->lock);
    modules->written = atomic_load(&modules->modules->changes);
    for (uint32_t i = 0; i < modules->modules->count; i++)
        write_module(csv, i, &modules->modules->module[i]);
    pthread_mutex_unlock(&modules->modules->lock);
}

static int
modules_begin(const struct pp_writer_place *place, void **ret_self)
{
    struct pp_stacks *stacks = place->session->stacks;
    struct modules *modules = calloc(1, sizeof(*modules));
    struct pp_csv csv;
    if (!modules)
        return -ENOMEM;
    modules->file.fd = modules->file.spare_fd = -1;
    modules->modules = stacks ? pp_stacks_modules(stacks) : NULL;
    make_text(modules, &csv);
    int rc = csv.error;
    if (rc == 0)
        rc = pp_replaced_begin(&modules->file, place->dir_fd, "modules.csv", "modules.csv.new", csv.buffer,
                               csv.len);
    free(csv.buffer);
    if (rc) {
        free(modules);
        return rc;
    }
    *ret_self = modules;
    return 0;
}

/* Write the file if a module is new or unloaded. */
static int
modules_flush(void *self)
{
    struct modules *modules = self;
    struct pp_csv csv;
    if (!modules->modules || modules->written == atomic_load(&modules->modules->changes))
        return 0;
    make_text(modules, &csv);
    int rc = csv.error ? csv.error : pp_replaced_write(&modules->file, csv.buffer, csv.len);
    free(csv.buffer);
    return rc;
}

/* A module has its row before a stack that names it is named by others. */
static int
modules_frame(void *self, const struct pp_frame_row *frame)
{
    (void)frame;
    return modules_flush(self);
}

static uint64_t
modules_size(const void *self)
{
    return ((const struct modules *)self)->file.bytes;
}

const struct pp_writer_ops pp_writer_modules = {
    .takes_drafts = true,
    .wanted = modules_wanted,
    .begin = modules_begin,
    .frame = modules_frame,
    .flush = modules_flush,
    .size = modules_size,
    .end = modules_end,
};

/** @file
 * See text_cells.h. Rendered text cells; A cell is the bytes that pp_csv_text() made of its text, copied out
 * of the row.
 *
 * Render targets as text; */
#include "core/report/text_cells.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pp_text_cell {
    size_t length;
    char bytes[];
};

bool
pp_cells_write(const struct pp_cells *cells, uint32_t id, struct pp_csv *csv)
{
    if (id == 0) {
        pp_csv_rendered(csv, "", 0);
        return true;
    }
    if (id >= cells->cap || !cells->cell[id])
        return false;
    pp_csv_rendered(csv, cells->cell[id]->bytes, cells->cell[id]->length);
    return true;
}

static bool
reserve(struct pp_cells *cells, uint32_t id)
{
    uint32_t cap = cells->cap ? cells->cap : 64;
    if (id < cells->cap)
        return true;
    while (cap <= id && cap <= UINT32_MAX / 2)
        cap *= 2;
    struct pp_text_cell **bigger =
        cap > id ? realloc(cells->cell, cap * sizeof(struct pp_text_cell *)) : NULL;
    if (!bigger)
        return false;
    memset(bigger + cells->cap, 0, (cap - cells->cap) * sizeof(struct pp_text_cell *));
    cells->cell = bigger;
    cells->cap = cap;
    return true;
}

void
pp_cells_add(struct pp_cells *cells, uint32_t id, const char *text, struct pp_csv *csv)
{
    size_t from = csv->len + (csv->cells > 0);
    pp_csv_text(csv, text);
    if (csv->error || !reserve(cells, id) || cells->cell[id])
        return;
    size_t length = csv->len - from;
    struct pp_text_cell *cell = malloc(sizeof(*cell) + length);
    if (!cell)
        return;
    cell->length = length;
    memcpy(cell->bytes, csv->buffer + from, length);
    cells->cell[id] = cell;
}

void
pp_cells_finish(struct pp_cells *cells)
{
    for (uint32_t i = 0; i < cells->cap; i++)
        free(cells->cell[i]);
    free(cells->cell);
    *cells = (struct pp_cells){0};
}

struct text {
    char *out;
    size_t size;
    size_t len;
};

__attribute__((format(printf, 2, 3))) static void
append(struct text *text, const char *format, ...)
{
    va_list args;
    if (text->len >= text->size)
        return;
    va_start(args, format);
    int len = vsnprintf(text->out + text->len, text->size - text->len, format, args);
    va_end(args);
    if (len > 0)
        text->len += (size_t)len;
}

static const char *
op_name(uint8_t op)
{
    static const char *const name[] = {
        [PP_OP_UNKNOWN] = "",        [PP_OP_KEEP] = "keep", [PP_OP_CLEAR] = "clear",
        [PP_OP_DISCARD] = "discard", [PP_OP_NONE] = "none",
    };
    return op <= PP_OP_NONE ? name[op] : "";
}

void
pp_render_target_attachments_text(const struct pp_render_target *render_target, const struct pp_pass_row *row,
                                  char *out, size_t size)
{
    struct text text = {.out = out, .size = size};
    out[0] = '\0';
    for (uint32_t i = 0; render_target && i < render_target->attachments && i < PP_MAX_ATTACHMENTS; i++) {
        const struct pp_attachment *a = &render_target->attachment[i];
        uint32_t bit = 1U << i;
        uint8_t load = row->cleared & bit     ? (uint8_t)PP_OP_CLEAR
                       : row->undefined & bit ? (uint8_t)PP_OP_DISCARD
                                              : a->load;
        uint8_t store = row->discarded & bit ? (uint8_t)PP_OP_DISCARD : a->store;
        append(&text, "%s%s=%s", i ? " " : "", a->role, a->format);
        if (load != PP_OP_UNKNOWN || store != PP_OP_UNKNOWN)
            append(&text, ":%s/%s", op_name(load), op_name(store));
    }
}

void
pp_pass_name_text(const struct pp_render_target *render_target, enum pp_pass_kind kind, char *out,
                  size_t size)
{
    struct text text = {.out = out, .size = size};
    if (render_target && render_target->name[0]) {
        append(&text, "%s", render_target->name);
        return;
    }
    for (uint32_t i = 0; render_target && i < render_target->attachments && i < PP_MAX_ATTACHMENTS; i++) {
        if (render_target->attachment[i].name[0]) {
            append(&text, "%s", render_target->attachment[i].name);
            return;
        }
    }
    append(&text, "%s", pp_pass_kind_name(kind));
    if (render_target && (render_target->width || render_target->attachments))
        append(&text, " %ux%u", render_target->width, render_target->height);
    for (uint32_t i = 0; render_target && i < render_target->attachments && i < PP_MAX_ATTACHMENTS; i++)
        append(&text, "%s%s", i ? "+" : " ", render_target->attachment[i].format);
}

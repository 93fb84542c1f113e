/** @file
 * Rendered text cells; see text_cells.h. A cell is the bytes that pp_csv_text() made of its text, copied out
 * of the row. */
#include "core/report/text_cells.h"

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

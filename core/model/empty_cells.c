/** @file
 * Reasons of empty cells; see empty_cells.h. */
#include "core/model/empty_cells.h"

#include <stdlib.h>
#include <string.h>

#include "core/util/heap.h"
#include "core/util/log.h"

_Static_assert(PP_WHY_COUNT <= 32, "a column's reasons are the bits of a word");

static const char *const text[PP_WHY_COUNT] = {
    [PP_DIV_BY_ZERO] = PP_TEXT_CELL_ZERO,
    [PP_WRAPPED] = PP_TEXT_CELL_WRAPPED,
    [PP_NOT_AVAILABLE] = PP_TEXT_CELL_LATE,
    [PP_REJECTED] = PP_TEXT_CELL_REJECTED,
    [PP_LOST] = PP_TEXT_CELL_LOST,
    [PP_COUNTED_EARLIER] = PP_TEXT_CELL_COUNTED_EARLIER,
    [PP_DISABLED] = PP_TEXT_CELL_DISABLED,
    [PP_UNSUPPORTED] = PP_TEXT_CELL_UNSUPPORTED,
    [PP_WHY_FRAME_LEVEL] = PP_TEXT_CELL_FRAME_LEVEL,
    [PP_WHY_ONE_BRACKET] = PP_TEXT_CELL_ONE_BRACKET,
    [PP_WHY_NO_ACTION] = PP_TEXT_CELL_NO_ACTION,
    [PP_WHY_NO_FRAME] = PP_TEXT_CELL_NO_FRAME,
    [PP_WHY_INCOMPLETE] = PP_TEXT_CELL_INCOMPLETE,
    [PP_WHY_CLOCKS] = PP_TEXT_CELL_CLOCKS,
    [PP_WHY_NO_TARGET] = PP_TEXT_CELL_NO_TARGET,
    [PP_WHY_NO_LABEL] = PP_TEXT_CELL_NO_LABEL,
    [PP_WHY_NO_PIPELINE] = PP_TEXT_CELL_NO_PIPELINE,
    [PP_WHY_NO_NAME] = PP_TEXT_CELL_NO_NAME,
    [PP_WHY_ARGUMENT] = PP_TEXT_CELL_ARGUMENT,
    [PP_WHY_STACK] = PP_TEXT_CELL_STACK,
    [PP_WHY_NO_MODEL] = PP_TEXT_CELL_NO_MODEL,
    [PP_WHY_SHARED] = PP_TEXT_CELL_SHARED,
    [PP_WHY_APP] = PP_TEXT_CELL_APP,
    [PP_WHY_FORMULA] = PP_TEXT_CELL_FORMULA,
    [PP_WHY_NO_TIME] = PP_TEXT_CELL_NO_TIME,
};

static void
empty_finish(struct pp_empty *empty)
{
    for (uint32_t i = 0; i < empty->columns; i++)
        free(empty->column[i].name);
    free(empty->column);
    *empty = (struct pp_empty){.file = NULL};
}

struct pp_empty *
pp_empty_begin(struct pp_empty_cells *all, const char *file)
{
    for (uint32_t i = 0; i < PP_EMPTY_FILES; i++) {
        struct pp_empty *empty = &all->file[i];
        if (empty->file && strcmp(empty->file, file) != 0)
            continue;
        empty_finish(empty);
        empty->file = file;
        empty->all = all;
        return empty;
    }
    return NULL;
}

void
pp_empty_column(struct pp_empty *empty, const char *name)
{
    char *copy = empty ? strdup(name) : NULL;
    if (!copy)
        return;
    if (pp_array_grow(&empty->column, &empty->cap, (size_t)empty->columns + 1, sizeof(*empty->column))) {
        free(copy);
        return;
    }
    empty->column[empty->columns++] = (struct pp_empty_column){.name = copy};
}

static void
write_reason(const struct pp_empty *empty, uint32_t why, struct pp_json *json)
{
    bool any = false;
    for (uint32_t i = 0; i < empty->columns && !any; i++)
        any = (empty->column[i].why >> why & 1) != 0;
    if (!any || !text[why])
        return;
    pp_json_open(json, NULL, '{');
    pp_json_text(json, "file", empty->file);
    pp_json_text(json, "reason", text[why]);
    pp_json_open(json, "columns", '[');
    for (uint32_t i = 0; i < empty->columns; i++)
        if (empty->column[i].why >> why & 1)
            pp_json_text(json, NULL, empty->column[i].name);
    pp_json_close(json, ']');
    pp_json_close(json, '}');
}

void
pp_empty_json(const struct pp_empty_cells *all, struct pp_json *json)
{
    pp_json_open(json, "empty_cells", '[');
    for (uint32_t i = 0; i < PP_EMPTY_FILES; i++)
        for (uint32_t why = 0; why < PP_WHY_COUNT; why++)
            write_reason(&all->file[i], why, json);
    pp_json_close(json, ']');
}

bool
pp_empty_has_unreported(const struct pp_empty_cells *all)
{
    for (uint32_t i = 0; i < PP_EMPTY_FILES; i++)
        for (uint32_t c = 0; c < all->file[i].columns; c++)
            if (all->file[i].column[c].why & ~all->file[i].column[c].reported)
                return true;
    return all->lacks_surface;
}

void
pp_empty_report(const struct pp_empty *empty)
{
    const struct pp_empty_cells *all = empty ? empty->all : NULL;
    if (all && all->report && pp_empty_has_unreported(all))
        all->report(all->context);
}

void
pp_empty_set_reported(struct pp_empty_cells *all)
{
    for (uint32_t i = 0; i < PP_EMPTY_FILES; i++)
        for (uint32_t c = 0; c < all->file[i].columns; c++)
            all->file[i].column[c].reported = all->file[i].column[c].why;
    all->lacks_surface = false;
}

void
pp_empty_finish(struct pp_empty_cells *all)
{
    for (uint32_t i = 0; i < PP_EMPTY_FILES; i++)
        empty_finish(&all->file[i]);
}

/** @file
 * See symbols_file.h. */
#include "cli/symbols/symbols_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/session/csv_read.h"
#include "cli/symbols/symbol_table.h"
#include "pp_texts.h"

enum { MODULE, OFFSET, FUNCTION, SOURCE, LINE, COLUMN, INLINED, FUNCTION_START, COLUMNS };

static const char *const column_name[COLUMNS] = {"module", "offset", "function", "file",
                                                 "line",   "column", "inlined",  "start"};

struct reading {
    struct pp_call_stacks *stacks;
    size_t at[COLUMNS];
    uint64_t row;
    size_t address; /* of the row before; SIZE_MAX: none */
    bool ended;     /* that row was the last one of its address */
    char *why;
    int error;
};

static bool
on_header(void *data, const struct pp_cell *cell, size_t cells)
{
    struct reading *r = data;
    r->row = 1;
    for (size_t c = 0; c < COLUMNS; c++) {
        r->at[c] = SIZE_MAX;
        for (size_t i = cells; i-- > 0;)
            if (pp_cell_is(&cell[i], column_name[c]))
                r->at[c] = i;
        if (r->at[c] != SIZE_MAX || c == FUNCTION_START) /* older files do not have it */
            continue;
        snprintf(r->why, PP_CALL_STACKS_WHY, PP_FORMAT_STACKS_NO_COLUMN, PP_SYMBOLS_FILE, column_name[c]);
        r->error = -EINVAL;
        return false;
    }
    return true;
}

/* Read a number below 2^32, or 0 from an empty cell. */
static bool
take_number(struct reading *r, const struct pp_cell *cell, size_t column, uint64_t most, uint64_t *ret)
{
    *ret = 0;
    if (r->at[column] == SIZE_MAX)
        return true;
    const struct pp_cell *at = &cell[r->at[column]];
    if (at->len == 0 && (column >= LINE || column == MODULE))
        return true;
    if (pp_call_stacks_number(at->text, at->len, ret) && *ret <= most)
        return true;
    snprintf(r->why, PP_CALL_STACKS_WHY, PP_FORMAT_STACKS_WRONG, PP_SYMBOLS_FILE, (unsigned long long)r->row,
             column_name[column], at->text);
    r->error = -EINVAL;
    return false;
}

static bool
on_row(void *data, const struct pp_cell *cell, size_t cells)
{
    struct reading *r = data;
    struct pp_call_stacks *s = r->stacks;
    uint64_t number = 0, offset = 0, line = 0, column = 0, inlined = 0, start = 0;
    size_t module = PP_SAVED_NO_MODULE, address = 0, known = s->addresses;
    (void)cells;
    r->row++;
    if (!take_number(r, cell, MODULE, UINT64_MAX, &number) ||
        !take_number(r, cell, OFFSET, UINT64_MAX, &offset) ||
        !take_number(r, cell, LINE, UINT32_MAX, &line) ||
        !take_number(r, cell, COLUMN, UINT32_MAX, &column) || !take_number(r, cell, INLINED, 1, &inlined) ||
        !take_number(r, cell, FUNCTION_START, UINT64_MAX, &start))
        return false;
    if (cell[r->at[MODULE]].len) {
        module = pp_call_stacks_module(s, number);
        if (module == PP_SAVED_NO_MODULE)
            return true; /* of a module that no stack has */
    }
    r->error = pp_call_stacks_address(s, module, offset, &address);
    if (r->error)
        return false;
    bool follows = address == r->address && !r->ended;
    if (address >= known || (s->address[address].symbols && !follows)) {
        r->address = SIZE_MAX;
        return true; /* of no stack, or this address had its rows before */
    }
    const struct pp_symbol symbol = {.function = cell[r->at[FUNCTION]].text,
                                     .file = cell[r->at[SOURCE]].text,
                                     .start = start,
                                     .line = (uint32_t)line,
                                     .column = (uint32_t)column,
                                     .inlined = inlined == 1};
    r->address = address;
    r->ended = !inlined;
    r->error = pp_symbols_add(s, address, &symbol);
    return r->error == 0;
}

int
pp_symbols_read(const struct pp_stack_files *files, struct pp_call_stacks *stacks, char *why)
{
    struct reading r = {.stacks = stacks, .address = SIZE_MAX, .why = why};
    const struct pp_csv_reader reader = {.header = on_header, .row = on_row, .data = &r};
    int rc = files->in_memory ? pp_csv_read_text(files->symbols, files->symbols_len, &reader)
                              : pp_csv_read(files->dir_fd, PP_SYMBOLS_FILE, &reader);
    if (rc == -ENOENT)
        return 0;
    if (rc)
        snprintf(why, PP_CALL_STACKS_WHY, "%s: %s", PP_SYMBOLS_FILE, strerror(-rc));
    else if (r.error == -ENOMEM)
        snprintf(why, PP_CALL_STACKS_WHY, "%s", PP_TEXT_OUT_OF_MEMORY);
    return rc ? rc : r.error;
}

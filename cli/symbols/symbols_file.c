/** @file
 * See symbols_file.h. */
#include "cli/symbols/symbols_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/session/csv_read.h"
#include "cli/session/csv_write.h"
#include "cli/text/print.h"
#include "pp_texts.h"

/* Name of the file. */
#define PP_SYMBOLS_FILE "symbols.csv"

/* The file's header row. */
#define PP_SYMBOLS_HEADER "module,offset,function,file,line,column,inlined,start"

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

#define SPARE PP_SYMBOLS_FILE ".new"

static void
print_symbol(FILE *out, const struct pp_call_stacks *s, const struct pp_address *address,
             const struct pp_symbol *symbol)
{
    if (address->module != PP_SAVED_NO_MODULE)
        pp_print(out, "%" PRIu64, s->module[address->module].number);
    pp_print(out, ",0x%" PRIx64 ",", address->offset);
    pp_csv_write(out, symbol->function, strlen(symbol->function), true);
    pp_print_char(out, ',');
    pp_csv_write(out, symbol->file, strlen(symbol->file), true);
    pp_print_char(out, ',');
    if (symbol->line)
        pp_print(out, "%" PRIu32, symbol->line);
    pp_print_char(out, ',');
    if (symbol->column)
        pp_print(out, "%" PRIu32, symbol->column);
    pp_print(out, ",%d,", symbol->inlined);
    if (symbol->start)
        pp_print(out, "0x%" PRIx64, symbol->start);
    pp_print_char(out, '\n');
}

int
pp_symbols_write(int dir_fd, const struct pp_call_stacks *s)
{
    int fd = openat(dir_fd, SPARE, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
    if (!out) {
        int rc = -errno;
        if (fd >= 0)
            close(fd);
        return rc;
    }
    pp_print(out, PP_SYMBOLS_HEADER "\n");
    for (size_t i = 0; i < s->addresses; i++)
        for (size_t k = 0; k < s->address[i].symbols; k++)
            print_symbol(out, s, &s->address[i], &s->symbol[s->address[i].symbol + k]);
    errno = 0;
    int rc = fflush(out) || ferror(out) ? errno ? -errno : -EIO : 0;
    if (fclose(out) && rc == 0)
        rc = errno ? -errno : -EIO;
    if (rc == 0 && renameat(dir_fd, SPARE, dir_fd, PP_SYMBOLS_FILE))
        rc = -errno;
    if (rc)
        (void)unlinkat(dir_fd, SPARE, 0);
    return rc;
}

/* Bytes of a place. */
#define MAX_PLACE 8192U

/* Write where the innermost call of a stack is. @return false: the stack has no calls. */
static bool
write_place(const struct pp_call_stacks *s, uint32_t id, char *text, size_t size)
{
    const struct pp_call_stack *stack = pp_call_stacks_find(s, id);
    if (!stack || !stack->frames)
        return false;
    const struct pp_address *address = &s->address[s->frame[stack->frame]];
    const struct pp_symbol *symbol = address->symbols ? &s->symbol[address->symbol] : NULL;
    if (symbol && *symbol->file && symbol->line)
        snprintf(text, size, "%s:%" PRIu32, symbol->file, symbol->line);
    else if (symbol && *symbol->function)
        snprintf(text, size, "%s", symbol->function);
    else if (address->module == PP_SAVED_NO_MODULE)
        snprintf(text, size, "0x%" PRIx64, address->offset);
    else
        snprintf(text, size, "%s+0x%" PRIx64, s->module[address->module].path,
                 symbol && symbol->start ? symbol->start : address->offset);
    return true;
}

/* Find the place of the first stack, and look if another one differs. @retval 0, -ENOMEM. */
static int
find(const struct pp_call_stacks *s, struct pp_saved_calls *calls)
{
    char text[MAX_PLACE];
    for (uint32_t i = 0; i < calls->stacks; i++) {
        if (!write_place(s, calls->stack[i], text, sizeof(text)))
            continue;
        if (calls->at) {
            calls->several = calls->several || strcmp(calls->at, text) != 0;
            continue;
        }
        calls->at = strdup(text);
        if (!calls->at)
            return -ENOMEM;
    }
    return 0;
}

int
pp_call_places_find(struct pp_saved_session *rec)
{
    char why[PP_CALL_STACKS_WHY];
    struct pp_call_stacks stacks = {.modules = 0};
    const struct pp_stack_files files = {.dir_fd = rec->dir_fd};
    int rc = pp_call_stacks_read(&files, &stacks, why);
    if (rc == 0)
        rc = pp_symbols_read(&files, &stacks, why);
    for (size_t i = 0; rc == 0 && i < rec->passes; i++)
        rc = find(&stacks, &rec->pass[i].calls);
    for (size_t i = 0; rc == 0 && i < rec->draws; i++)
        rc = find(&stacks, &rec->draw[i].calls);
    pp_call_stacks_finish(&stacks);
    return rc == -ENOMEM ? rc : 0;
}

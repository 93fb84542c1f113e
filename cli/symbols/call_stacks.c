/** @file
 * See call_stacks.h. */
#include "cli/symbols/call_stacks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/session/row_reader.h"
#include "counters/util/grow_array.h"
#include "counters/util/printable.h"
#include "pp_texts.h"

#define MAX_PER_ADDRESS 256U

int
pp_symbols_add(struct pp_call_stacks *s, size_t address, const struct pp_symbol *symbol)
{
    struct pp_address *a = &s->address[address];
    char text[2][PP_SYMBOL_TEXT + 1];
    const char *from[2] = {symbol->function, symbol->file};
    const char *pooled[2];
    if (a->symbols == MAX_PER_ADDRESS)
        return 0;
    for (size_t i = 0; i < 2; i++) {
        snprintf(text[i], sizeof(text[i]), "%.*s", PP_SYMBOL_TEXT, from[i]); /* reads no more than it takes */
        pp_printable_clean(text[i], '?');
        pooled[i] = pp_text_pool_add(&s->texts, text[i], strlen(text[i]));
    }
    if (!pooled[0] || !pooled[1] ||
        pp_grow_array(&s->symbol, &s->symbol_cap, s->symbols + 1, sizeof(*s->symbol)))
        return -ENOMEM;
    s->symbol[s->symbols] = *symbol;
    s->symbol[s->symbols].function = pooled[0];
    s->symbol[s->symbols].file = pooled[1];
    if (!a->symbols)
        a->symbol = s->symbols;
    a->symbols++;
    s->symbols++;
    return 0;
}

#define MAX_MODULES   65536U
#define MAX_STACKS    (1U << 20)
#define MAX_FRAMES    1024U /* of a stack */
#define MAX_ADDRESSES (1U << 22)

enum { NUMBER, PATH, BUILD_ID, LOAD_BIAS, START, END, MODULE_COLUMNS };
enum { STACK, TRUNCATED, FRAMES, STACK_COLUMNS };

/* A file being read. */
struct reading {
    struct pp_call_stacks *stacks;
    const char *file;
    const char *const *column; /* names */
    size_t columns;
    size_t at[MODULE_COLUMNS]; /* SIZE_MAX: the file has none */
    uint64_t row;              /* the header is row 1 */
    char *why;
    int error;
};

/* Note what is wrong in the current row. @return false. */
static bool
wrong(struct reading *r, size_t column, const char *text)
{
    snprintf(r->why, PP_CALL_STACKS_WHY, PP_FORMAT_STACKS_WRONG, r->file, (unsigned long long)r->row,
             r->column[column], text);
    r->error = -EINVAL;
    return false;
}

static bool
fail(struct reading *r, int error)
{
    r->error = error;
    return false;
}

bool
pp_call_stacks_number(const char *text, size_t len, uint64_t *ret)
{
    bool hex = len > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    unsigned base = hex ? 16 : 10;
    uint64_t value = 0;
    for (size_t i = hex ? 2 : 0; i < len; i++) {
        char c = text[i];
        unsigned digit = c >= '0' && c <= '9'          ? (unsigned)(c - '0')
                         : hex && c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                         : hex && c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
                                                       : base;
        if (digit == base || value > (UINT64_MAX - digit) / base)
            return false;
        value = value * base + digit;
    }
    *ret = value;
    return len > 0;
}

static bool
on_header(void *data, const struct pp_cell *cell, size_t cells)
{
    struct reading *r = data;
    r->row = 1;
    for (size_t c = 0; c < r->columns; c++) {
        r->at[c] = SIZE_MAX;
        for (size_t i = cells; i-- > 0;)
            if (pp_cell_is(&cell[i], r->column[c]))
                r->at[c] = i;
        if (r->at[c] == SIZE_MAX) {
            snprintf(r->why, PP_CALL_STACKS_WHY, PP_FORMAT_STACKS_NO_COLUMN, r->file, r->column[c]);
            return fail(r, -EINVAL);
        }
    }
    return true;
}

/* The number in a column. @param empty Its value where the cell is empty; UINT64_MAX: it must not be. */
static bool
take_number(struct reading *r, const struct pp_cell *cell, size_t column, uint64_t empty, uint64_t *ret)
{
    const struct pp_cell *at = &cell[r->at[column]];
    *ret = empty;
    if (at->len == 0 && empty != UINT64_MAX)
        return true;
    return pp_call_stacks_number(at->text, at->len, ret) || wrong(r, column, at->text);
}

static bool
take_text(struct reading *r, const struct pp_cell *cell, size_t column, const char **ret)
{
    *ret = pp_text_pool_add(&r->stacks->texts, cell[r->at[column]].text, cell[r->at[column]].len);
    return *ret || fail(r, -ENOMEM);
}

static bool
on_module(void *data, const struct pp_cell *cell, size_t cells)
{
    struct reading *r = data;
    struct pp_call_stacks *s = r->stacks;
    struct pp_saved_module module = {.number = 0};
    (void)cells;
    r->row++;
    if (!take_number(r, cell, NUMBER, UINT64_MAX, &module.number) ||
        !take_number(r, cell, LOAD_BIAS, 0, &module.load_bias) ||
        !take_number(r, cell, START, 0, &module.start) || !take_number(r, cell, END, 0, &module.end) ||
        !take_text(r, cell, PATH, &module.path) || !take_text(r, cell, BUILD_ID, &module.build_id))
        return false;
    if (module.build_id[strspn(module.build_id, "0123456789abcdef")] || strlen(module.build_id) % 2)
        return wrong(r, BUILD_ID, module.build_id);
    if (s->modules == MAX_MODULES)
        return wrong(r, NUMBER, PP_TEXT_STACKS_TOO_MANY);
    if (pp_grow_array(&s->module, &s->module_cap, s->modules + 1, sizeof(*s->module)))
        return fail(r, -ENOMEM);
    s->module[s->modules++] = module;
    return true;
}

static size_t
hash_of(size_t module, uint64_t offset)
{
    /* Source: MurmurHash3's fmix64 by Appleby */
    uint64_t h = offset ^ (uint64_t)module << 48;
    h = (h ^ h >> 33) * UINT64_C(0xff51afd7ed558ccd);
    h = (h ^ h >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return (size_t)(h ^ h >> 33);
}

/* The slot of an address, or the free one where it belongs. */
static size_t *
slot_of(const struct pp_call_stacks *s, size_t module, uint64_t offset)
{
    size_t i = hash_of(module, offset) & (s->slots - 1);
    while (s->slot[i] &&
           (s->address[s->slot[i] - 1].module != module || s->address[s->slot[i] - 1].offset != offset))
        i = (i + 1) & (s->slots - 1);
    return &s->slot[i];
}

static int
grow_slots(struct pp_call_stacks *s)
{
    if (2 * s->addresses < s->slots)
        return 0;
    size_t slots = s->slots ? 2 * s->slots : 256;
    size_t *slot = calloc(slots, sizeof(*slot));
    if (!slot)
        return -ENOMEM;
    free(s->slot);
    s->slot = slot;
    s->slots = slots;
    for (size_t i = 0; i < s->addresses; i++)
        *slot_of(s, s->address[i].module, s->address[i].offset) = i + 1;
    return 0;
}

int
pp_call_stacks_address(struct pp_call_stacks *s, size_t module, uint64_t offset, size_t *ret)
{
    if (s->addresses == MAX_ADDRESSES || grow_slots(s) ||
        pp_grow_array(&s->address, &s->address_cap, s->addresses + 1, sizeof(*s->address)))
        return -ENOMEM;
    size_t *slot = slot_of(s, module, offset);
    if (!*slot) {
        s->address[s->addresses] = (struct pp_address){.module = module, .offset = offset};
        *slot = ++s->addresses;
    }
    *ret = *slot - 1;
    return 0;
}

size_t
pp_call_stacks_module(const struct pp_call_stacks *s, uint64_t number)
{
    size_t low = 0, high = s->modules;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->module[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < s->modules && s->module[low].number == number ? low : PP_SAVED_NO_MODULE;
}

/* Read a frame, "MODULE+0xOFFSET" or "?0xADDRESS". @return false: it is none. */
static bool
parse_frame(const struct pp_call_stacks *s, const char *text, size_t len, size_t *ret_module,
            uint64_t *ret_offset)
{
    uint64_t number = 0;
    *ret_module = PP_SAVED_NO_MODULE;
    if (len > 1 && *text == '?')
        return pp_call_stacks_number(text + 1, len - 1, ret_offset);
    const char *plus = memchr(text, '+', len);
    if (!plus || !pp_call_stacks_number(text, (size_t)(plus - text), &number) ||
        !pp_call_stacks_number(plus + 1, len - (size_t)(plus + 1 - text), ret_offset))
        return false;
    *ret_module = pp_call_stacks_module(s, number);
    return *ret_module != PP_SAVED_NO_MODULE;
}

/* Add the frames of a row to the last stack. */
static bool
take_frames(struct reading *r, const struct pp_cell *cell, struct pp_call_stack *stack)
{
    struct pp_call_stacks *s = r->stacks;
    const char *at = cell[r->at[FRAMES]].text;
    for (const char *end = at + cell[r->at[FRAMES]].len; at < end;) {
        char frame[64];
        size_t module = 0, len = strcspn(at, ";");
        uint64_t offset = 0;
        snprintf(frame, sizeof(frame), "%.*s", (int)(len < sizeof(frame) ? len : sizeof(frame) - 1), at);
        if (stack->frames == MAX_FRAMES)
            return wrong(r, FRAMES, PP_TEXT_STACKS_TOO_MANY);
        if (!parse_frame(s, at, len, &module, &offset))
            return wrong(r, FRAMES, frame);
        if (pp_grow_array(&s->frame, &s->frame_cap, s->frames + 1, sizeof(*s->frame)) ||
            pp_call_stacks_address(s, module, offset, &s->frame[s->frames]))
            return fail(r, -ENOMEM);
        s->frames++;
        stack->frames++;
        at += len + (at[len] == ';');
    }
    return true;
}

static bool
on_stack(void *data, const struct pp_cell *cell, size_t cells)
{
    struct reading *r = data;
    struct pp_call_stacks *s = r->stacks;
    struct pp_call_stack stack = {.frame = s->frames};
    (void)cells;
    r->row++;
    if (s->stacks == MAX_STACKS)
        return wrong(r, STACK, PP_TEXT_STACKS_TOO_MANY);
    if (!take_number(r, cell, STACK, UINT64_MAX, &stack.id) ||
        !take_text(r, cell, TRUNCATED, &stack.truncated) || !take_frames(r, cell, &stack))
        return false;
    if (pp_grow_array(&s->stack, &s->stack_cap, s->stacks + 1, sizeof(*s->stack)))
        return fail(r, -ENOMEM);
    s->stack[s->stacks++] = stack;
    return true;
}

static int
by_number(const void *a, const void *b)
{
    const struct pp_saved_module *x = a;
    const struct pp_saved_module *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

static int
by_id(const void *a, const void *b)
{
    const struct pp_call_stack *x = a;
    const struct pp_call_stack *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

/* Sort what was read, and refuse a number that is twice. */
static int
sort_modules(struct pp_call_stacks *s, const char *file, char *why)
{
    if (s->modules)
        qsort(s->module, s->modules, sizeof(*s->module), by_number);
    for (size_t i = 1; i < s->modules; i++)
        if (s->module[i].number == s->module[i - 1].number) {
            snprintf(why, PP_CALL_STACKS_WHY, PP_FORMAT_STACKS_TWICE, file,
                     (unsigned long long)s->module[i].number);
            return -EINVAL;
        }
    return 0;
}

static int
sort_stacks(struct pp_call_stacks *s, char *why)
{
    if (s->stacks)
        qsort(s->stack, s->stacks, sizeof(*s->stack), by_id);
    for (size_t i = 1; i < s->stacks; i++)
        if (s->stack[i].id == s->stack[i - 1].id) {
            snprintf(why, PP_CALL_STACKS_WHY, PP_FORMAT_STACKS_TWICE, "stacks.csv",
                     (unsigned long long)s->stack[i].id);
            return -EINVAL;
        }
    return 0;
}

/* Read a file. @param text Its text, if it is in memory. */
static int
read_file(struct reading *r, const struct pp_stack_files *files, const char *text, size_t len,
          bool (*row)(void *, const struct pp_cell *, size_t))
{
    const struct pp_csv_reader reader = {.header = on_header, .row = row, .data = r};
    int rc = files->in_memory ? pp_csv_read_text(text, len, &reader)
                              : pp_csv_read(files->dir_fd, r->file, &reader);
    if (rc)
        snprintf(r->why, PP_CALL_STACKS_WHY, "%s: %s", r->file, strerror(-rc));
    else if (r->error == -ENOMEM)
        snprintf(r->why, PP_CALL_STACKS_WHY, "%s", PP_TEXT_OUT_OF_MEMORY);
    return rc ? rc : r->error;
}

/* Read stacks.csv, and the modules from a file of this name. */
static int
read_both(const struct pp_stack_files *files, const char *modules, struct pp_call_stacks *ret, char *why)
{
    static const char *const module_column[MODULE_COLUMNS] = {"module",    "path",  "build_id",
                                                              "load_bias", "start", "end"};
    static const char *const stack_column[STACK_COLUMNS] = {"stack", "truncated", "frames"};
    struct pp_call_stacks read = {.modules = 0};
    struct reading m = {
        .stacks = &read, .file = modules, .column = module_column, .columns = MODULE_COLUMNS, .why = why};
    struct reading s = {
        .stacks = &read, .file = "stacks.csv", .column = stack_column, .columns = STACK_COLUMNS, .why = why};
    int rc = read_file(&m, files, files->modules, files->modules_len, on_module);
    rc = rc ? rc : sort_modules(&read, modules, why);
    rc = rc ? rc : read_file(&s, files, files->stacks, files->stacks_len, on_stack);
    rc = rc ? rc : sort_stacks(&read, why);
    if (rc)
        pp_call_stacks_finish(&read);
    else
        *ret = read;
    return rc;
}

int
pp_call_stacks_read(const struct pp_stack_files *files, struct pp_call_stacks *ret, char *why)
{
    char spare_why[PP_CALL_STACKS_WHY];
    int rc = read_both(files, "modules.csv", ret, why);
    /* after a kill, the newer one of two files may have the name of the spare */
    if (rc && rc != -ENOMEM && !files->in_memory && read_both(files, "modules.csv.new", ret, spare_why) == 0)
        return 0;
    return rc;
}

const struct pp_call_stack *
pp_call_stacks_find(const struct pp_call_stacks *s, uint64_t id)
{
    const struct pp_call_stack wanted = {.id = id};
    return s->stacks ? bsearch(&wanted, s->stack, s->stacks, sizeof(*s->stack), by_id) : NULL;
}

void
pp_call_stacks_finish(struct pp_call_stacks *s)
{
    free(s->module);
    free(s->address);
    free(s->stack);
    free(s->frame);
    free(s->symbol);
    free(s->slot);
    pp_text_pool_finish(&s->texts);
    memset(s, 0, sizeof(*s));
}

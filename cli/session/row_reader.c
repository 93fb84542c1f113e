/** @file
 * See row_reader.h. */
#include "cli/session/row_reader.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "counters/util/array_size.h"

struct column {
    const char *name;
    enum pp_column_kind kind;
};

static const struct column read_by_name[PP_SAVED_COLUMNS] = {
    [COL_FRAME] = {"frame", PP_COLUMN_WHOLE},
    [COL_API] = {"api", PP_COLUMN_TEXT},
    [COL_DEVICE] = {"device", PP_COLUMN_PLACE},
    [COL_SURFACE] = {"surface", PP_COLUMN_PLACE},
    [COL_LEVEL] = {"level", PP_COLUMN_TEXT},
    [COL_CPU_START] = {"cpu_start_ns", PP_COLUMN_WHOLE},
    [COL_FRAME_TIME] = {"frame_time_ns", PP_COLUMN_WHOLE},
    [COL_CPU_BUSY] = {"cpu_busy_ns", PP_COLUMN_WHOLE},
    [COL_CPU_WAIT] = {"cpu_wait_ns", PP_COLUMN_WHOLE},
    [COL_GPU_START] = {"gpu_start_ns", PP_COLUMN_WHOLE},
    [COL_GPU_TIME] = {"gpu_time_ns", PP_COLUMN_WHOLE},
    [COL_GPU_BUSY] = {"gpu_busy_ns", PP_COLUMN_WHOLE},
    [COL_GPU_WAIT] = {"gpu_wait_ns", PP_COLUMN_WHOLE},
    [COL_BOUND_BY] = {"bound_by", PP_COLUMN_TEXT},
    [COL_PASS] = {"pass", PP_COLUMN_WHOLE},
    [COL_PASS_ID] = {"pass_id", PP_COLUMN_TEXT},
    [COL_NAME] = {"name", PP_COLUMN_TEXT},
    [COL_LABEL] = {"label", PP_COLUMN_TEXT},
    [COL_KIND] = {"kind", PP_COLUMN_TEXT},
    [COL_QUEUE] = {"queue", PP_COLUMN_TEXT},
    [COL_WIDTH] = {"width", PP_COLUMN_WHOLE},
    [COL_HEIGHT] = {"height", PP_COLUMN_WHOLE},
    [COL_LAYERS] = {"layers", PP_COLUMN_WHOLE},
    [COL_SAMPLES] = {"samples", PP_COLUMN_WHOLE},
    [COL_ATTACHMENTS] = {"attachments", PP_COLUMN_TEXT},
    [COL_DRAW] = {"draw", PP_COLUMN_WHOLE},
    [COL_DRAW_ID] = {"draw_id", PP_COLUMN_TEXT},
    [COL_CALL] = {"call", PP_COLUMN_TEXT},
    [COL_PIPELINE] = {"pipeline", PP_COLUMN_TEXT},
    [COL_VERTICES] = {"vertices", PP_COLUMN_WHOLE},
    [COL_INSTANCES] = {"instances", PP_COLUMN_WHOLE},
    [COL_DRAWS] = {"draws", PP_COLUMN_WHOLE},
    [COL_DISPATCHES] = {"dispatches", PP_COLUMN_WHOLE},
    [COL_COPIES] = {"copies", PP_COLUMN_WHOLE},
    [COL_BY_PLACE] = {"id:by_place", PP_COLUMN_WHOLE},
    [COL_INCLUSIVE] = {"gpu_inclusive_ns", PP_COLUMN_WHOLE},
    [COL_EXCLUSIVE] = {"gpu_exclusive_ns", PP_COLUMN_WHOLE},
    [COL_PASSES] = {"passes", PP_COLUMN_WHOLE},
    [COL_STACK] = {"stack", PP_COLUMN_WHOLE},
    [COL_PID] = {"pid", PP_COLUMN_WHOLE},
    [COL_PIPELINES] = {"pipelines_created", PP_COLUMN_WHOLE},
    [COL_PIPELINE_TIME] = {"pipeline_create_ns", PP_COLUMN_WHOLE},
};

/* Columns that are copied only, and those of call stacks, in which addresses are hexadecimal. */
static const struct column others[] = {
    {"app", PP_COLUMN_TEXT},           {"depth", PP_COLUMN_WHOLE},    {"groups", PP_COLUMN_WHOLE},
    {"submit_stack", PP_COLUMN_WHOLE}, {"truncated", PP_COLUMN_TEXT}, {"frames", PP_COLUMN_TEXT},
    {"path", PP_COLUMN_TEXT},          {"build_id", PP_COLUMN_TEXT},  {"load_bias", PP_COLUMN_TEXT},
    {"start", PP_COLUMN_TEXT},         {"end", PP_COLUMN_TEXT},       {"debuglink", PP_COLUMN_TEXT},
    {"offset", PP_COLUMN_TEXT},        {"function", PP_COLUMN_TEXT},  {"file", PP_COLUMN_TEXT},
    {"module", PP_COLUMN_WHOLE},       {"line", PP_COLUMN_WHOLE},     {"column", PP_COLUMN_WHOLE},
    {"inlined", PP_COLUMN_WHOLE},
};

/* Counters are real numbers, so that a quotient of two of them is one, too; but those of these sources are
 * always whole numbers. */
static enum pp_column_kind
counter_kind(const char *name)
{
    static const char *const whole[] = {"pipeline:", "id:", "serialize:", "estimate:", "runs:"};
    for (size_t i = 0; i < PP_ARRAY_SIZE(whole); i++)
        if (strncmp(name, whole[i], strlen(whole[i])) == 0)
            return PP_COLUMN_WHOLE;
    return PP_COLUMN_REAL;
}

enum pp_column_kind
pp_column_kind(const char *name)
{
    static const char unit[] = "_ns";
    size_t len = strlen(name), unit_len = strlen(unit);
    if (strchr(name, ':'))
        return counter_kind(name);
    for (size_t i = 0; i < PP_ARRAY_SIZE(read_by_name); i++)
        if (strcmp(name, read_by_name[i].name) == 0)
            return read_by_name[i].kind;
    for (size_t i = 0; i < PP_ARRAY_SIZE(others); i++)
        if (strcmp(name, others[i].name) == 0)
            return others[i].kind;
    return len > unit_len && strcmp(name + len - unit_len, unit) == 0 ? PP_COLUMN_WHOLE : PP_COLUMN_ANY;
}

static size_t
find(const struct pp_cell *cell, size_t cells, const char *name)
{
    for (size_t i = 0; name && i < cells; i++)
        if (pp_cell_is(&cell[i], name))
            return i;
    return SIZE_MAX;
}

void
pp_columns_find(const struct pp_cell *cell, size_t cells, const char *const *name, size_t names,
                size_t *ret_at)
{
    for (size_t i = 0; i < names; i++)
        ret_at[i] = find(cell, cells, name[i]);
}

/* Find all columns that are read by name. @param ret_at PP_SAVED_COLUMNS places, as of pp_columns_find(). */
static void
columns_find_all(const struct pp_cell *cell, size_t cells, size_t *ret_at)
{
    for (size_t i = 0; i < PP_SAVED_COLUMNS; i++)
        ret_at[i] = find(cell, cells, read_by_name[i].name);
}

static size_t
hash_of(struct pp_saved_key key)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ key.number; /* FNV-1a */
    for (const char *text = key.text; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    for (const char *text = key.more ? key.more : ""; *text; text++)
        hash = (hash ^ (unsigned char)*text ^ 0x100U) * UINT64_C(0x100000001b3);
    return (size_t)(hash ^ (hash >> 32));
}

static bool
same_key(struct pp_saved_key a, struct pp_saved_key b)
{
    return a.number == b.number && strcmp(a.text, b.text) == 0 &&
           strcmp(a.more ? a.more : "", b.more ? b.more : "") == 0;
}

uint32_t *
pp_row_index_find(const struct pp_row_index *places, const void *array, struct pp_saved_key wanted)
{
    for (size_t slot = hash_of(wanted) % places->slots;; slot = (slot + 1) % places->slots) {
        if (!places->at[slot] || same_key(places->key(array, places->at[slot] - 1), wanted))
            return &places->at[slot];
    }
}

int
pp_row_index_reserve(struct pp_row_index *places, const void *array, size_t len)
{
    struct pp_row_index grown = {.key = places->key, .slots = places->slots ? 2 * places->slots : 256};
    if (2 * len < places->slots)
        return 0;
    grown.at = calloc(grown.slots, sizeof(*grown.at));
    if (!grown.at)
        return -ENOMEM;
    for (size_t i = 0; i < len; i++)
        *pp_row_index_find(&grown, array, places->key(array, i)) = (uint32_t)i + 1;
    free(places->at);
    *places = grown;
    return 0;
}

/* Find the surface of a row's frame. This is quick if the previous row has the same frame. */
static void
set_frame(struct pp_row_reader *r, double frame)
{
    if (r->begun && r->last >= frame && r->last <= frame)
        return;
    r->begun = true;
    r->last = frame;
    r->last_surface = pp_saved_surface_of(r->rec, frame);
    r->last_level = r->last_surface == PP_SAVED_NO_SURFACE
                        ? PP_SAVED_FRAME
                        : r->rec->frame[pp_saved_place_of(r->rec, frame)].level;
    r->last_first = pp_saved_is_first(r->rec, frame);
}

bool
pp_row_frame(const struct pp_cell *cell, double *ret)
{
    double frame = 0;
    if (!pp_cell_number(cell, &frame) || !(frame >= 0 && frame < 9e15))
        return false;
    *ret = frame;
    return true;
}

bool
pp_row_reader_frame(struct pp_row_reader *r, const struct pp_cell *cell, double *ret_frame)
{
    struct pp_saved_session *rec = r->rec;
    *ret_frame = -1;
    const struct pp_cell *frame = pp_row_reader_cell(r, cell, COL_FRAME);
    if (frame->present && !pp_row_frame(frame, ret_frame)) {
        rec->bad_rows++;
        return false;
    }
    set_frame(r, *ret_frame);
    if (r->blocks && frame->present && pp_row_blocks_add(r->blocks, *ret_frame)) {
        pp_row_blocks_finish(r->blocks); /* no memory: rows will be searched for in the whole file */
        r->blocks = NULL;
    }
    if (rec->window.any && (!frame->present || pp_saved_is_outside(rec, *ret_frame)))
        return false; /* work of no frame has no place in time */
    bool known = frame->present && r->last_surface != PP_SAVED_NO_SURFACE;
    r->framed += known;
    if (!frame->present || !rec->frames || known)
        return true;
    rec->early_rows++;
    return false;
}

bool
pp_row_reader_other_level(const struct pp_row_reader *r)
{
    return r->last_level != PP_SAVED_FRAME && r->last_level != r->rec->surface[r->last_surface].pass_level;
}

uint64_t
pp_row_place(const struct pp_cell *cell)
{
    double place = 0;
    return pp_cell_number(cell, &place) && place >= 0 && place < 1e15 ? (uint64_t)place : 0;
}

const struct pp_cell *
pp_row_reader_cell(const struct pp_row_reader *r, const struct pp_cell *cell, enum pp_saved_column column)
{
    static const struct pp_cell absent = {.text = "", .len = 0, .present = false};
    return r->at[column] == SIZE_MAX ? &absent : &cell[r->at[column]];
}

double
pp_row_reader_number(const struct pp_row_reader *r, const struct pp_cell *cell, enum pp_saved_column column)
{
    return r->at[column] == SIZE_MAX ? (double)NAN : pp_cell_value(&cell[r->at[column]]);
}

/* Does a column hold numbers only? */
static bool
is_number_column(const struct pp_row_reader *r, const struct pp_cell *cell)
{
    enum pp_column_kind kind = pp_column_kind(cell->text);
    return kind == PP_COLUMN_WHOLE || kind == PP_COLUMN_REAL ||
           (kind == PP_COLUMN_PLACE && r->rec && r->rec->of_schema_2);
}

void
pp_row_reader_columns(struct pp_row_reader *r, const struct pp_cell *cell, size_t cells)
{
    memset(r->number, 0, sizeof(r->number));
    for (size_t i = 0; i < cells && i < PP_CSV_COLUMNS_MOST; i++)
        if (is_number_column(r, &cell[i]))
            r->number[i / 64] |= UINT64_C(1) << i % 64;
    columns_find_all(cell, cells, r->at);
}

/* Is a cell a number, or absent? Most are a few digits. */
static bool
is_number(const struct pp_cell *cell)
{
    size_t i = 0;
    double value = 0;
    while (i < cell->len && i < 16 && cell->text[i] >= '0' && cell->text[i] <= '9')
        i++;
    return i == cell->len || pp_cell_number(cell, &value);
}

void
pp_row_reader_check(struct pp_row_reader *r, const struct pp_cell *cell, size_t cells)
{
    for (size_t word = 0; word * 64 < cells && word < PP_ARRAY_SIZE(r->number); word++) {
        for (uint64_t left = r->number[word]; left; left &= left - 1) {
            size_t i = word * 64 + (size_t)__builtin_ctzll(left);
            if (i >= cells || is_number(&cell[i]))
                continue;
            struct pp_saved_wrong *wrong = &r->rec->wrong;
            if (wrong->cells++)
                continue;
            wrong->file = r->file;
            wrong->line = *r->rows + 1;
            wrong->column = i + 1;
        }
    }
}

void
pp_saved_add_stack(struct pp_saved_calls *calls, const struct pp_cell *cell)
{
    double id = 0;
    if (calls->stacks == PP_SAVED_STACKS || !pp_cell_number(cell, &id) || !(id > 0 && id < UINT32_MAX))
        return;
    for (uint32_t i = 0; i < calls->stacks; i++)
        if (calls->stack[i] == (uint32_t)id)
            return;
    calls->stack[calls->stacks++] = (uint32_t)id;
}

size_t
pp_saved_level_of(const struct pp_cell *cell)
{
    return pp_cell_is(cell, "draw")   ? PP_SAVED_DRAW
           : pp_cell_is(cell, "pass") ? PP_SAVED_PASS
                                      : PP_SAVED_FRAME;
}

const char *
pp_saved_verdict_name(enum pp_verdict verdict)
{
    static const char *const name[PP_VERDICT_COUNT] = {
        [PP_VERDICT_CPU] = "cpu",   [PP_VERDICT_GPU] = "gpu",     [PP_VERDICT_PRESENT] = "present",
        [PP_VERDICT_SYNC] = "sync", [PP_VERDICT_SLEEP] = "sleep", [PP_VERDICT_NONE] = "unknown"};
    return name[verdict];
}

enum pp_verdict
pp_saved_verdict_of(const struct pp_cell *cell)
{
    for (size_t i = 0; i < PP_VERDICT_NONE; i++)
        if (pp_cell_is(cell, pp_saved_verdict_name((enum pp_verdict)i)))
            return (enum pp_verdict)i;
    return PP_VERDICT_NONE;
}

/* Boyer and Moore's majority vote: a value of more than half of the rows is the last one that is left. */
void
pp_saved_usual_add(struct pp_usual_count *usual, double value)
{
    if (isnan(value))
        return;
    usual->rows++;
    if (!usual->votes)
        usual->value = value;
    if (value < usual->value || value > usual->value)
        usual->votes--;
    else
        usual->votes++;
}

void
pp_saved_sum_add(struct pp_saved_sum *sum, const struct pp_cell *cell)
{
    double value = 0;
    if (!pp_cell_number(cell, &value))
        return;
    sum->sum += value;
    sum->rows++;
}

int
pp_saved_rows(const struct pp_saved_session *rec, const char *name, const char *text, size_t len,
              const struct pp_csv_reader *reader)
{
    return name ? pp_csv_read(rec->dir_fd, name, reader) : pp_csv_read_text(text, len, reader);
}

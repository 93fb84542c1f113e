/** @file
 * See metrics_file.h. Reading a metrics file, choosing what applies to a GPU, compiling it;
 *
 * The grammar of a metrics file, line by line; and docs/formats/metric-language.md.
 *
 * Growing arrays, messages and sections of a metrics file;
 *
 * Messages with the offending line and a caret below it; */
#include "counters/user_metrics/metrics_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "counters/user_metrics/metrics_gpu.h"
#include "counters/util/array_size.h"
#include "counters/util/fd.h"
#include "counters/util/nearest_name.h"
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

/* A line that is being read. `at` moves from `begin` to `end`, which excludes a comment. */
struct line {
    struct pp_metrics_file *file;
    struct pp_metrics_error *error;
    uint32_t number;
    char *begin, *at, *end;
    char *comment; /* first byte after the #, "" if there is none */
};

static int
fail(struct line *l, const char *place, size_t length, const char *message)
{
    return pp_metrics_fail(l->file, -EINVAL, l->number, (uint32_t)(place - l->begin) + 1, (uint32_t)length,
                           l->error, "%s", message);
}

static bool
is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool
is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

static void
skip_space(struct line *l)
{
    while (l->at < l->end && is_space(*l->at))
        l->at++;
}

/* Read the next word, up to white space. */
static size_t
next_word(struct line *l, char **ret)
{
    skip_space(l);
    *ret = l->at;
    while (l->at < l->end && !is_space(*l->at))
        l->at++;
    return (size_t)(l->at - *ret);
}

/* Terminate a string of the line in place. `end` is after its last byte; the byte there is no longer needed.
 */
static char *
terminate(char *begin, char *end)
{
    while (end > begin && is_space(end[-1]))
        end--;
    *end = 0;
    return begin;
}

static bool
is(const char *word, size_t length, const char *text)
{
    return strlen(text) == length && memcmp(word, text, length) == 0;
}

/* [gpu PATTERN] or [gpu NAME like BASE] */
static int
parse_section(struct line *l)
{
    char *close = memchr(l->at, ']', (size_t)(l->end - l->at));
    if (!close)
        return fail(l, l->at, 1, PP_TEXT_METRICS_BRACKET);
    char *rest = close + 1;
    while (rest < l->end && is_space(*rest))
        rest++;
    if (rest < l->end)
        return fail(l, rest, (size_t)(l->end - rest), PP_TEXT_METRICS_AFTER_SECTION);
    char *word;
    l->at++;
    l->end = close;
    size_t length = next_word(l, &word);
    if (!is(word, length, "gpu"))
        return fail(l, word, length, PP_TEXT_METRICS_SECTION);
    skip_space(l);
    if (l->at == l->end)
        return fail(l, close, 1, PP_TEXT_METRICS_NO_GPU);
    struct pp_metrics_section *section = pp_metrics_append(&l->file->sections, sizeof(*section));
    if (!section)
        return -ENOMEM;
    char *like = NULL;
    for (char *p = l->at; p + 6 < l->end && !like; p++)
        if (memcmp(p, " like ", 6) == 0)
            like = p;
    char *shown = like ? like + 6 : l->at;
    section->line = l->number;
    section->column = (uint32_t)(shown - l->begin) + 1;
    section->gpu = terminate(l->at, like ? like : close);
    section->like = like ? terminate(like + 6, close) : NULL;
    section->length = (uint32_t)strlen(shown);
    return 0;
}

static struct pp_metrics_section *
current_section(struct line *l)
{
    return &pp_metrics_sections(l->file)[l->file->sections.length - 1];
}

static int
parse_number(struct line *l, uint64_t most, uint64_t *ret)
{
    char *word, *stop, digits[24];
    size_t length = next_word(l, &word);
    if (length == 0 || length >= sizeof(digits) || !is_digit(*word))
        return fail(l, word, length, PP_TEXT_METRICS_NUMBER);
    memcpy(digits, word, length);
    digits[length] = 0;
    errno = 0;
    *ret = strtoull(digits, &stop, 0);
    if (errno || *stop || *ret > most)
        return fail(l, word, length, PP_TEXT_METRICS_NUMBER_BAD);
    skip_space(l);
    return l->at < l->end ? fail(l, l->at, (size_t)(l->end - l->at), PP_TEXT_METRICS_AFTER_NUMBER) : 0;
}

/* Read a setting of the GPU that the section defines: product, cores, l2, bus. */
static int
parse_setting(struct line *l, const char *word, size_t length)
{
    struct pp_metrics_section *section = current_section(l);
    bool cores = is(word, length, "cores");
    uint64_t number = 0;
    int r = parse_number(l, cores ? UINT64_MAX : UINT32_MAX, &number);
    if (r)
        return r;
    if (cores)
        section->config.core_mask = number;
    else if (is(word, length, "product"))
        section->product = (uint32_t)number;
    else if (is(word, length, "l2"))
        section->config.l2_slices = (uint32_t)number;
    else
        section->config.bus_width_bits = (uint32_t)number;
    return 0;
}

/* The part of a definition before the formula. */
struct left {
    char *name, *name_end;
    char *unit, *unit_end; /* NULL: none */
};

static char *
name_end(const struct line *l, char *at)
{
    while (at < l->end && (is_word(*at) || ((*at == '.' || *at == ':') && at + 1 < l->end && is_word(at[1]))))
        at++;
    return at;
}

static int
parse_left(struct line *l, struct left *left)
{
    skip_space(l);
    *left = (struct left){.name = l->at, .name_end = name_end(l, l->at)};
    if (left->name_end == left->name || is_digit(*left->name))
        return fail(l, l->at, 1, PP_TEXT_METRICS_NAME);
    l->at = left->name_end;
    skip_space(l);
    if (l->at < l->end && *l->at == '[') {
        left->unit = l->at + 1;
        left->unit_end = memchr(l->at, ']', (size_t)(l->end - l->at));
        if (!left->unit_end)
            return fail(l, l->at, 1, PP_TEXT_METRICS_BRACKET);
        l->at = left->unit_end + 1;
        skip_space(l);
    }
    if (l->at == l->end || *l->at != '=')
        return fail(l, l->at, l->at < l->end, PP_TEXT_METRICS_EQUALS);
    l->at++;
    skip_space(l);
    return l->at == l->end ? fail(l, l->at, 0, PP_TEXT_METRICS_FORMULA) : 0;
}

static enum pp_unit
unit_of(const char *unit)
{
    static const struct {
        const char *name;
        enum pp_unit unit;
    } known[] = {
        {"ns", PP_UNIT_NS}, {"bytes", PP_UNIT_BYTES},   {"percent", PP_UNIT_PERCENT}, {"%", PP_UNIT_PERCENT},
        {"hz", PP_UNIT_HZ}, {"cycles", PP_UNIT_CYCLES}, {"ticks", PP_UNIT_TICKS},
    };
    for (size_t i = 0; i < PP_ARRAY_SIZE(known); i++)
        if (strcmp(known[i].name, unit) == 0)
            return known[i].unit;
    return PP_UNIT_COUNT;
}

static const char *
description_of(struct line *l)
{
    while (is_space(*l->comment))
        l->comment++;
    return terminate(l->comment, l->comment + strlen(l->comment));
}

static int
parse_metric(struct line *l)
{
    struct left left;
    int r = parse_left(l, &left);
    if (r)
        return r;
    struct pp_metrics_entry *entry = pp_metrics_append(&l->file->entries, sizeof(*entry));
    if (!entry)
        return -ENOMEM;
    struct pp_metrics_item *item = &entry->item;
    entry->section = (uint32_t)l->file->sections.length - 1;
    item->line = l->number;
    item->column = (uint32_t)(l->at - l->begin) + 1;
    item->formula = terminate(l->at, l->end);
    item->name = terminate(left.name, left.name_end);
    item->unit = left.unit ? terminate(left.unit, left.unit_end) : "";
    item->unit_id = unit_of(item->unit);
    item->description = description_of(l);
    return 0;
}

/* Read one of a few words. The message about another word lists them. */
static int
parse_choice(struct line *l, const char *what, const char *const *choice, uint8_t choices, uint8_t *ret)
{
    char *word, list[96];
    size_t length = next_word(l, &word), used = 0;
    for (uint8_t i = 0; i < choices; i++) {
        if (is(word, length, choice[i])) {
            *ret = i;
            return 0;
        }
        used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", i ? ", " : "", choice[i]);
    }
    return pp_metrics_fail(l->file, -EINVAL, l->number, (uint32_t)(word - l->begin) + 1, (uint32_t)length,
                           l->error, PP_FORMAT_METRICS_ONE_OF, what, list);
}

/* counter NAME [unit] = BLOCK WORD AGGREGATION */
static int
parse_counter(struct line *l)
{
    static const char *const block[] = {"JM", "TILER", "L2", "SC"};
    static const char *const aggregation[] = {"single", "sum", "average"};
    struct pp_mali_counter counter = {.unit = ""};
    struct left left;
    char *word, *stop;
    int r = parse_left(l, &left);
    if (!r)
        r = parse_choice(l, PP_TEXT_METRICS_BLOCK, block, 4, &counter.block);
    if (r)
        return r;
    size_t length = next_word(l, &word);
    unsigned long number = length && is_digit(*word) ? strtoul(word, &stop, 10) : 0;
    if (number < 4 || number >= PP_MALI_BLOCK_WORDS || stop != l->at)
        return fail(l, word, length, PP_TEXT_METRICS_WORD);
    counter.word = (uint8_t)number;
    r = parse_choice(l, PP_TEXT_METRICS_AGGREGATION, aggregation, 3, &counter.aggregation);
    if (r)
        return r;
    skip_space(l);
    if (l->at < l->end)
        return fail(l, l->at, (size_t)(l->end - l->at), PP_TEXT_METRICS_AFTER_COUNTER);
    struct pp_metrics_counter *out = pp_metrics_append(&l->file->counters, sizeof(*out));
    if (!out)
        return -ENOMEM;
    counter.symbol = counter.title = counter.hw_name = terminate(left.name, left.name_end);
    if (left.unit)
        counter.unit = terminate(left.unit, left.unit_end);
    counter.unit_id = (uint8_t)unit_of(counter.unit);
    counter.description = description_of(l);
    out->counter = counter;
    out->section = (uint32_t)l->file->sections.length - 1;
    return 0;
}

/* Read a line that begins with a keyword: a first word that neither [ nor = follows. */
static int
parse_keyword(struct line *l, char *word, size_t length)
{
    static const char *const settings[] = {"product", "cores", "l2", "bus"};
    bool counter = is(word, length, "counter"), known = counter;
    struct pp_nearest nearest = pp_nearest_begin(word, length);
    pp_nearest_offer(&nearest, "counter", 7);
    for (size_t i = 0; i < 4; i++) {
        known |= is(word, length, settings[i]);
        pp_nearest_offer(&nearest, settings[i], strlen(settings[i]));
    }
    if (!known && nearest.found && current_section(l)->like)
        return pp_metrics_fail(l->file, -EINVAL, l->number, (uint32_t)(word - l->begin) + 1, (uint32_t)length,
                               l->error, PP_FORMAT_METRICS_NEAR, (int)(length < 40 ? length : 40), word,
                               (int)nearest.found_length, nearest.found);
    if (!known) {
        skip_space(l);
        return fail(l, l->at, l->at < l->end, PP_TEXT_METRICS_EQUALS);
    }
    if (!current_section(l)->like)
        return fail(l, word, length, PP_TEXT_METRICS_NEEDS_SECTION);
    return counter ? parse_counter(l) : parse_setting(l, word, length);
}

static int
parse_statement(struct line *l)
{
    char *begin = l->at, *word = l->at;
    char *end = name_end(l, l->at);
    char *next = end;
    while (next < l->end && is_space(*next))
        next++;
    bool definition = end == word || next == l->end || next == end || *next == '=' || *next == '[';
    if (next == l->end && end > word)
        return fail(l, next, 0, PP_TEXT_METRICS_EQUALS);
    l->at = definition ? begin : end;
    return definition ? parse_metric(l) : parse_keyword(l, word, (size_t)(end - word));
}

/* Find the # of a comment, outside of ${names}. */
static char *
find_comment(char *begin, char *end)
{
    bool braces = false;
    for (char *p = begin; p < end; p++) {
        if (*p == '{')
            braces = true;
        else if (*p == '}')
            braces = false;
        else if (*p == '#' && !braces)
            return p;
    }
    return end;
}

static int
parse_line(struct line *l, char *end)
{
    char *comment = find_comment(l->begin, end);
    *end = 0;
    l->comment = comment < end ? comment + 1 : end;
    l->at = l->begin;
    l->end = comment;
    while (l->end > l->begin && is_space(l->end[-1]))
        l->end--;
    skip_space(l);
    if (l->at == l->end)
        return 0;
    return *l->at == '[' ? parse_section(l) : parse_statement(l);
}

int
pp_metrics_parse_lines(struct pp_metrics_file *file, struct pp_metrics_error *error)
{
    char *end = file->cells + file->size;
    struct line l = {.file = file, .error = error};
    struct pp_metrics_section *all = pp_metrics_append(&file->sections, sizeof(*all));
    if (!all)
        return -ENOMEM;
    all->gpu = "*";
    char *begin = file->cells;
    if (file->size >= 3 && memcmp(begin, "\xef\xbb\xbf", 3) == 0)
        memset(begin, ' ', 3); /* byte order mark */
    for (l.number = 1; begin < end; l.number++) {
        char *stop = memchr(begin, '\n', (size_t)(end - begin));
        stop = stop ? stop : end;
        l.begin = begin;
        char *nul = memchr(begin, 0, (size_t)(stop - begin));
        if (nul)
            return fail(&l, nul, 1, PP_TEXT_CSV_NUL);
        int r = parse_line(&l, stop);
        if (r)
            return r;
        begin = stop + 1;
    }
    return 0;
}

void *
pp_metrics_append(struct pp_metrics_array *array, size_t size)
{
    if (array->length == array->capacity) {
        size_t capacity = array->capacity ? array->capacity * 2 : 16;
        void *data = realloc(array->data, capacity * size);
        if (!data)
            return NULL;
        array->data = data;
        array->capacity = capacity;
    }
    return memset((char *)array->data + array->length++ * size, 0, size);
}

/* Find the text of a line of the file. The line must exist. */
static const char *
line_text(const struct pp_metrics_file *file, uint32_t line, size_t *ret_length)
{
    const char *begin = file->text, *end = file->text + file->size;
    const char *stop = memchr(begin, '\n', file->size);
    while (--line && stop) {
        begin = stop + 1;
        stop = memchr(begin, '\n', (size_t)(end - begin));
    }
    *ret_length = (size_t)((stop ? stop : end) - begin);
    return begin;
}

int
pp_metrics_fail(const struct pp_metrics_file *file, int code, uint32_t line, uint32_t column, uint32_t length,
                struct pp_metrics_error *error, const char *format, ...)
{
    char message[240];
    struct pp_text_place place = {.name = file->name, .line = line, .column = column, .length = length};
    if (!error)
        return code;
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    place.line_text = line_text(file, line, &place.line_length);
    error->line = line;
    error->column = column;
    pp_text_place_format(&place, message, error->text, sizeof(error->text));
    return code;
}

static char
lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Does a name match a pattern of * and ?, in upper or lower case? After a mismatch, the last * takes one more
 * byte. */
static bool
matches(const char *pattern, const char *name)
{
    const char *star = NULL, *resume = NULL;
    while (*name) {
        if (*pattern == '*') {
            star = pattern++;
            resume = name;
        } else if (*pattern == '?' || lower(*pattern) == lower(*name)) {
            pattern++;
            name++;
        } else if (star) {
            pattern = star + 1;
            name = ++resume;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}

bool
pp_metrics_section_applies(const struct pp_metrics_section *section, const char *gpu)
{
    return !section->like && matches(section->gpu, gpu);
}

enum {
    WINDOW = 96, /* bytes of the line that are shown */
    BEFORE = 60, /* most bytes that are shown before the place */
};

static size_t
smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Is this byte the second or a later one of a UTF-8 character? Such bytes take no column on the screen. */
static int
is_continuation(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* Append passprobe's text; line breaks are kept. */
static void
append(char *buffer, size_t size, size_t *used, const char *text, size_t length)
{
    for (size_t i = 0; i < length && *used + 1 < size; i++)
        buffer[(*used)++] = text[i];
    buffer[*used] = 0;
}

/* A part of the file, or its name: stays on its line. */
static void
append_foreign(char *buffer, size_t size, size_t *used, const char *text, size_t length)
{
    size_t begin = *used;
    append(buffer, size, used, text, length);
    pp_printable_clean(buffer + begin, ' ');
    *used = begin + strlen(buffer + begin);
}

static void
underline(char *buffer, size_t size, size_t *used, const char *shown, size_t place, size_t length)
{
    for (size_t i = 0; i < place; i++)
        if (!is_continuation(shown[i]))
            append(buffer, size, used, " ", 1);
    append(buffer, size, used, "^", 1);
    for (size_t i = 1; i < length; i++)
        if (!is_continuation(shown[place + i]))
            append(buffer, size, used, "~", 1);
}

void
pp_text_place_format(const struct pp_text_place *place, const char *message, char *buffer, size_t size)
{
    char head[64];
    size_t used = 0;
    size_t at = smaller(place->column - 1, place->line_length);
    size_t begin = at > BEFORE ? at - BEFORE : 0;
    while (begin && begin < at && is_continuation(place->line_text[begin]))
        begin++;
    size_t shown = smaller(place->line_length - begin, WINDOW);
    append_foreign(buffer, size, &used, place->name, strlen(place->name));
    int n = snprintf(head, sizeof(head), ":%u:%u: ", place->line, place->column);
    append(buffer, size, &used, head, (size_t)n);
    append_foreign(buffer, size, &used, message, strlen(message));
    n = snprintf(head, sizeof(head), "\n%5u | %s", place->line, begin ? "..." : "");
    append(buffer, size, &used, head, (size_t)n);
    append_foreign(buffer, size, &used, place->line_text + begin, shown);
    n = snprintf(head, sizeof(head), "\n      | %s", begin ? "   " : "");
    append(buffer, size, &used, head, (size_t)n);
    underline(buffer, size, &used, place->line_text + begin, at - begin,
              smaller(place->length, shown - (at - begin)));
}

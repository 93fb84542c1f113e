/** @file
 * The conformance suite of the writer interface, run over every writer: header, row counts, RFC 4180, missing
 * cells, refusal to overwrite, a write error that leaves whole rows. Then the CSV and JSON text themselves.
 */
#include "tests/lib/cmocka_test.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/collect/rows/label_rows.h"
#include "core/report/csv_file.h"
#include "core/report/text_cells.h"
#include "core/session/timeline_private.h"
#include "core/util/json_write.h"
#include "counters/util/array_size.h"

static struct pp_session session = {.pid = 77, .to_realtime_ns = 4000};
static struct pp_csv_files files;
static struct pp_writer_place place = {.session = &session, .files = &files};
static struct pp_device device = {.api = (char[]){"gl"}, .name = (char[]){"A \"quoted\", name\nwith lines"}};
static struct pp_timeline timeline = {.device = &device, .surface = (char[]){"window 1"}};
static struct pp_value counter[2] = {{.value = 42}, {.status = PP_UNSUPPORTED}};
static struct pp_pass_row pass = {
    .number = 0, .id = 0x1234, .kind = PP_PASS_RENDER, .draws = 3, .counter = counter};
static struct pp_action action = {.kind = PP_ACTION_DRAW, .vertices = 36, .instances = 2};
static struct pp_action_row action_row = {.id = 0xabcd, .action = &action, .counter = counter};
static struct pp_frame_row frame = {.is_frame = true,
                                    .frame = 7,
                                    .timeline = &timeline,
                                    .level = PP_LEVEL_DRAW,
                                    .cpu_start_ns = {.value = 1000},
                                    .bound_by = "gpu",
                                    .counter = counter,
                                    .pass = &pass,
                                    .passes = 1,
                                    .action = &action_row,
                                    .actions = 1};
static struct pp_label_rows labels;
static char dir_path[] = "/tmp/passprobe-writers-XXXXXX";
static int dir_fd;

static char *
slurp(const char *name)
{
    static char text[1 << 20];
    int fd = openat(dir_fd, name, O_RDONLY);
    assert_true(fd >= 0);
    ssize_t len = read(fd, text, sizeof(text) - 1);
    assert_true(len >= 0);
    text[len] = '\0';
    close(fd);
    return text;
}

/* Records and the cells of the longest and the shortest, by RFC 4180. */
static unsigned
parse(const char *text, unsigned *ret_min, unsigned *ret_max)
{
    unsigned records = 0;
    unsigned cells = 1;
    int quoted = 0;
    *ret_min = UINT32_MAX;
    *ret_max = 0;
    for (const char *p = text; *p; p++) {
        if (*p == '"')
            quoted = !quoted;
        else if (!quoted && *p == ',')
            cells++;
        else if (!quoted && *p == '\r') {
            assert_int_equal(p[1], '\n');
            p++;
            records++;
            *ret_min = cells < *ret_min ? cells : *ret_min;
            *ret_max = cells > *ret_max ? cells : *ret_max;
            cells = 1;
        }
    }
    assert_int_equal(quoted, 0);
    return records;
}

static const char *
file_of(const struct pp_writer_ops *ops)
{
#define PP_WRITER(name, file)                                                                                \
    if (ops->begin == pp_writer_##name.begin)                                                                \
        return file;
#include "pp_writers.h"
#undef PP_WRITER
    fail();
    return NULL;
}

/* The end of a row: a counter with a value, one without, and what is right of the counters. */
static const char *
row_end_of(const char *file)
{
    static char end[512];
    if (strcmp(file, "frames.csv") == 0) /* name and number of this process, and the time of day */
        snprintf(end, sizeof(end), ",42,,%s,77,5000\r\n", program_invocation_short_name);
    else
        snprintf(end, sizeof(end), ",42,,%s\r\n",
                 strcmp(file, "passes.csv") == 0  ? "0,,,render,region"
                 : strcmp(file, "draws.csv") == 0 ? "0,,region"
                                                  : "region");
    return end;
}

static void
conforms(void **state)
{
    const struct pp_writer_ops *ops = *state;
    void *self = NULL;
    unsigned min = 0;
    unsigned max = 0;
    assert_int_equal(ops->begin(&place, &self), 0);
    /* The header is written at once, and a second writer does not overwrite it. */
    assert_int_equal(parse(slurp(file_of(ops)), &min, &max), 1);
    void *other = NULL;
    assert_int_equal(ops->begin(&place, &other), -EEXIST);
    assert_null(other);
    for (int i = 0; i < 3; i++)
        assert_int_equal(ops->frame(self, &frame), 0);
    assert_int_equal(ops->flush(self), 0);
    assert_int_equal(parse(slurp(file_of(ops)), &min, &max), 4);
    assert_int_equal(min, max);
    assert_int_equal(ops->size(self), strlen(slurp(file_of(ops))));
    /* Cells of missing values are empty, others have their values. */
    assert_non_null(strstr(slurp(file_of(ops)), row_end_of(file_of(ops))));
    ops->end(self);
    ops->end(NULL);
    assert_int_equal(unlinkat(dir_fd, file_of(ops), 0), 0);
}

/* Two regions share a pass, and the driver times passes only: the region around the pass has its time, the
 * regions inside have none, and no region begins later than its pass. */
static void
regions_that_share_a_pass(void **state)
{
    (void)state;
    pp_label_id outer = pp_session_label(&session, 0, "region");
    pp_label_id inner = pp_session_label(&session, outer, "inner");
    struct pp_action actions[] = {{.kind = PP_ACTION_DRAW, .label = outer},
                                  {.kind = PP_ACTION_DRAW, .label = inner}};
    struct pp_value one[2] = {{.value = 1}, {.value = 2}};
    struct pp_value both[2] = {{.value = 30}, {.value = 4}};
    struct pp_pass_row passes[] = {
        {.id = 1, .kind = PP_PASS_RENDER, .draws = 2, .counter = both, .label = outer},
        {.number = 1, .id = 2, .kind = PP_PASS_RENDER, .draws = 1, .counter = both, .label = inner}};
    passes[0].gpu_start_ns = pp_value_ok(1000);
    passes[0].gpu_time_ns = pp_value_ok(100);
    passes[1].gpu_start_ns = pp_value_ok(2000);
    passes[1].gpu_time_ns = pp_value_ok(7);
    struct pp_action_row rows[2];
    for (unsigned i = 0; i < 2; i++)
        rows[i] = (struct pp_action_row){.action = &actions[i],
                                         .counter = one,
                                         .gpu_start_ns = pp_value_missing(PP_UNSUPPORTED),
                                         .gpu_time_ns = pp_value_missing(PP_UNSUPPORTED)};
    struct pp_frame_row shared = frame;
    shared.pass = passes;
    shared.passes = 2;
    shared.action = rows;
    shared.actions = 2;
    assert_int_equal(pp_label_rows_make(&labels, &session, &shared), 0);
    void *self = NULL;
    assert_int_equal(pp_writer_labels.begin(&place, &self), 0);
    assert_int_equal(pp_writer_labels.frame(self, &shared), 0);
    assert_int_equal(pp_writer_labels.flush(self), 0);
    const char *text = slurp("labels.csv");
    assert_non_null(strstr(text, "\r\n7,1,2,3,0,0,1000,107,,60,8,region\r\n"));
    assert_non_null(strstr(text, "\r\n7,2,1,2,0,0,,,,31,6,region/inner\r\n"));
    pp_writer_labels.end(self);
    assert_int_equal(unlinkat(dir_fd, "labels.csv", 0), 0);
}

/* The disk is full when the file has @p size bytes. */
static void
full_disk_at(const struct pp_writer_ops *ops, rlim_t size)
{
    struct rlimit before;
    void *self = NULL;
    unsigned min = 0;
    unsigned max = 0;
    int rc = 0;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(ops->begin(&place, &self), 0);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){.rlim_cur = size, .rlim_max = before.rlim_max}),
                     0);
    for (int i = 0; i < 10000 && rc == 0; i++)
        rc = ops->frame(self, &frame);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(rc, -EFBIG);
    assert_int_equal(ops->flush(self), -EFBIG); /* sticky */
    assert_true(parse(slurp(file_of(ops)), &min, &max) > 10);
    assert_int_equal(min, max);
    assert_int_equal(slurp(file_of(ops))[ops->size(self) - 1], '\n');
    assert_int_equal(strlen(slurp(file_of(ops))), ops->size(self));
    ops->end(self);
    assert_int_equal(unlinkat(dir_fd, file_of(ops), 0), 0);
}

/* Cells have line breaks inside quotes: the size decides in which cell the disk is full. */
static void
full_disk_leaves_rows(void **state)
{
    for (rlim_t size = 8192; size < 9216; size += 16)
        full_disk_at(*state, size + 1);
}

static void
csv_texts_are_quoted(void **state)
{
    (void)state;
    struct pp_csv csv;
    assert_int_equal(pp_csv_open(&csv, dir_fd, "q.csv"), 0);
    pp_csv_text(&csv, "plain");
    pp_csv_text(&csv, "a,b");
    pp_csv_text(&csv, "say \"hi\"");
    pp_csv_text(&csv, "two\nlines");
    pp_csv_text(&csv, "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80");
    pp_csv_text(&csv, "bad\xFF\xC3 \xED\xA0\x80");
    pp_csv_u64(&csv, UINT64_MAX);
    pp_csv_u64(&csv, 0);
    pp_csv_id(&csv, 0xfeed);
    pp_csv_empty(&csv, PP_WHY_NO_NAME);
    assert_int_equal(pp_csv_row(&csv), 0);
    pp_csv_close(&csv);
    assert_string_equal(
        slurp("q.csv"),
        "plain,\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80,"
        "bad\xEF\xBF\xBD\xEF\xBF\xBD \xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD,"
        "18446744073709551615,0,000000000000feed,\r\n");
    assert_int_equal(symlinkat("/dev/null", dir_fd, "link.csv"), 0);
    assert_int_equal(pp_csv_open(&csv, dir_fd, "link.csv"), -EEXIST);
}

/* Compared with printf: numbers of every length, with and without zeros inside, ids with every nibble. */
static void
csv_numbers_equal_printf(void **state)
{
    (void)state;
    static char want[1 << 16];
    struct pp_csv csv;
    size_t len = 0;
    assert_int_equal(pp_csv_open(&csv, dir_fd, "numbers.csv"), 0);
    for (uint64_t base = 1, last = 0; base > last; last = base, base *= 10) {
        const uint64_t number[] = {base - 1, base, base + 1, base + base / 3, base * 9, base / 7 * 10};
        for (size_t i = 0; i < sizeof(number) / sizeof(number[0]); i++) {
            pp_csv_u64(&csv, number[i]);
            pp_csv_id(&csv, number[i] * UINT64_C(0x9e3779b97f4a7c15));
            assert_int_equal(pp_csv_row(&csv), 0);
            len += (size_t)snprintf(want + len, sizeof(want) - len, "%" PRIu64 ",%016" PRIx64 "\r\n",
                                    number[i], number[i] * UINT64_C(0x9e3779b97f4a7c15));
        }
        if (base == UINT64_C(10000000000000000000))
            break;
    }
    pp_csv_close(&csv);
    assert_string_equal(slurp("numbers.csv"), want);
}

/* Rows that repeat cells of the row before and rows that do not, by the fast path and by the slow path,
 * compared with printf. */
static void
repeated_and_new_draws_equal_printf(void **state)
{
    (void)state;
    enum { ROWS = 48 };
    static struct pp_action actions[ROWS];
    static struct pp_action_row rows[ROWS];
    static struct pp_value values[ROWS][2];
    static char want[1 << 16], text[700], cell[700];
    /* Longer than one copy takes, and quoted. */
    memset(text, 'x', 300);
    memcpy(text + 300, "\"y", sizeof("\"y"));
    snprintf(cell, sizeof(cell), "\"%.300s\"\"y\"", text);
    const pp_string_id call = pp_session_string(&session, "glDraw");
    const pp_string_id name[] = {0, pp_session_string(&session, text), call};
    const char *const named[] = {"", cell, "glDraw"};
    struct pp_frame_row many = frame;
    void *self = NULL;
    assert_int_equal(pp_writer_draws.begin(&place, &self), 0);
    size_t len = strlen(slurp("draws.csv"));
    memcpy(want, slurp("draws.csv"), len);
    for (uint32_t i = 0; i < ROWS; i++) {
        unsigned which = i / 3 % 3;
        bool clean = i % 5 > 1, label = i % 8 < 4, indirect = i % 7 == 0;
        values[i][0] = pp_value_ok((uint64_t)i * i * i * i * i);
        values[i][1] = clean ? pp_value_ok(i) : pp_value_missing(PP_LOST);
        actions[i] = (struct pp_action){.kind = PP_ACTION_DRAW,
                                        .indirect = indirect,
                                        .call = call,
                                        .pipeline = name[which],
                                        .label = label ? action.label : 0,
                                        .vertices = (uint64_t)i * 100,
                                        .instances = 1};
        rows[i] = (struct pp_action_row){.pass = i / 10,
                                         .id = i * UINT64_C(0x9e3779b97f4a7c15),
                                         .by_place = i % 3 == 1,
                                         .action = &actions[i],
                                         .gpu_start_ns = pp_value_ok(UINT64_C(1000000000000) + i),
                                         .gpu_time_ns = pp_value_missing(PP_REJECTED),
                                         .counter = values[i],
                                         .clean = clean};
    }
    many.action = rows;
    many.actions = ROWS;
    for (unsigned f = 0; f < 2; f++) {
        many.frame = 9 + f;
        many.is_frame = f == 0;
        assert_int_equal(pp_writer_draws.frame(self, &many), 0);
        for (uint32_t i = 0; i < ROWS; i++) {
            const struct pp_action *w = &actions[i];
            len += (size_t)snprintf(want + len, sizeof(want) - len, "%s,%u,%u,%016" PRIx64 ",glDraw,,",
                                    f ? "" : "9", (unsigned)(i / 10), (unsigned)i, rows[i].id);
            if (!w->indirect)
                len += (size_t)snprintf(want + len, sizeof(want) - len, "%u,1", (unsigned)w->vertices);
            else
                len += (size_t)snprintf(want + len, sizeof(want) - len, ",");
            len += (size_t)snprintf(want + len, sizeof(want) - len, ",,%" PRIu64 ",,,%" PRIu64 ",",
                                    rows[i].gpu_start_ns.value, values[i][0].value);
            if (rows[i].clean)
                len += (size_t)snprintf(want + len, sizeof(want) - len, "%u", (unsigned)i);
            len += (size_t)snprintf(want + len, sizeof(want) - len, ",%d,%s,%s\r\n", rows[i].by_place,
                                    named[i / 3 % 3], w->label ? "region" : "");
        }
    }
    assert_int_equal(pp_writer_draws.flush(self), 0);
    assert_string_equal(slurp("draws.csv"), want);
    pp_writer_draws.end(self);
    assert_int_equal(unlinkat(dir_fd, "draws.csv", 0), 0);
}

/* A late collector writes all rows at once: the rows are the same, and a write that fails in the middle is
 * cut back to whole rows. */
static void
late_rows_are_written_at_once(void **state)
{
    (void)state;
    static char want[1 << 19];
    struct rlimit before;
    struct pp_csv csv;
    size_t len = 0;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(pp_csv_open(&csv, dir_fd, "behind.csv"), 0);
    for (unsigned i = 0; i < 30000; i++) {
        csv.behind = i % 20000 > 100;
        pp_csv_u64(&csv, i);
        pp_csv_text(&csv, "cell");
        assert_int_equal(pp_csv_row(&csv), 0);
        len += (size_t)snprintf(want + len, sizeof(want) - len, "%u,cell\r\n", i);
    }
    assert_int_equal(pp_csv_flush(&csv), 0);
    assert_string_equal(slurp("behind.csv"), want);
    assert_int_equal(csv.written, len);
    for (unsigned i = 0; i < 1000; i++) {
        pp_csv_text(&csv, "too much");
        assert_int_equal(pp_csv_row(&csv), 0);
    }
    assert_int_equal(
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){.rlim_cur = len + 5001, .rlim_max = before.rlim_max}), 0);
    assert_int_equal(pp_csv_flush(&csv), -EFBIG);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_string_equal(slurp("behind.csv"), want);
    assert_int_equal(pp_csv_size(&csv), len);
    pp_csv_close(&csv);
    assert_string_equal(slurp("behind.csv"), want);
}

static unsigned
lines_of(const char *name)
{
    unsigned lines = 0;
    for (const char *at = slurp(name); (at = strstr(at, "\r\n")); at += 2)
        lines++;
    return lines - 1; /* without the header */
}

/* A kill may come at any moment: frames.csv refers to no row that another file lacks. */
static void
frames_csv_is_written_last(void **state)
{
    (void)state;
    enum { PASSES = 2, FRAMES = 4000 };
    struct pp_pass_row many[PASSES];
    struct pp_frame_row row = frame;
    void *frames = NULL, *passes = NULL;
    struct stat now, before = {.st_size = 0};
    unsigned looks = 0;
    (void)unlinkat(dir_fd, "frames.csv", 0);
    (void)unlinkat(dir_fd, "passes.csv", 0);
    for (unsigned i = 0; i < PASSES; i++)
        many[i] = pass;
    row.pass = many;
    row.passes = PASSES;
    assert_int_equal(pp_writer_passes.begin(&place, &passes), 0);
    assert_int_equal(pp_writer_frames.begin(&place, &frames), 0);
    for (row.frame = 0; row.frame < FRAMES; row.frame++) {
        assert_int_equal(pp_writer_passes.frame(passes, &row), 0);
        assert_int_equal(pp_writer_frames.frame(frames, &row), 0);
        assert_int_equal(fstatat(dir_fd, "frames.csv", &now, 0), 0);
        if (now.st_size == before.st_size)
            continue;
        before = now;
        looks++;
        assert_in_range(PASSES * lines_of("frames.csv"), 0, lines_of("passes.csv"));
    }
    assert_in_range(looks, 3, FRAMES); /* once for the empty file, and several times before the end */
    pp_writer_frames.end(frames);
    assert_int_equal(lines_of("passes.csv"), FRAMES * PASSES);
    assert_int_equal(lines_of("frames.csv"), FRAMES);
    pp_writer_passes.end(passes);
    assert_int_equal(unlinkat(dir_fd, "frames.csv", 0), 0);
    assert_int_equal(unlinkat(dir_fd, "passes.csv", 0), 0);
}

/* No frame refers to rows that could not be written; frames whose rows were written are written. */
static void
full_disk_names_nothing(void **state)
{
    (void)state;
    enum { PASSES = 8 };
    struct pp_pass_row many[PASSES];
    struct pp_frame_row row = frame;
    struct rlimit before;
    void *frames = NULL, *passes = NULL;
    for (unsigned i = 0; i < PASSES; i++)
        many[i] = pass;
    row.pass = many;
    row.passes = PASSES;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(pp_writer_passes.begin(&place, &passes), 0);
    assert_int_equal(pp_writer_frames.begin(&place, &frames), 0);
    for (int i = 0; i < 200; i++) {
        assert_int_equal(pp_writer_passes.frame(passes, &row), 0);
        assert_int_equal(pp_writer_frames.frame(frames, &row), 0);
    }
    assert_int_equal(pp_writer_frames.flush(frames), 0);
    assert_int_equal(lines_of("passes.csv"), 200 * PASSES);
    for (int i = 0; i < 200; i++) {
        assert_int_equal(pp_writer_passes.frame(passes, &row), 0);
        assert_int_equal(pp_writer_frames.frame(frames, &row), 0);
    }
    off_t limit = (off_t)strlen(slurp("passes.csv")) + 5000;
    assert_int_equal(
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){.rlim_cur = (rlim_t)limit, .rlim_max = before.rlim_max}), 0);
    assert_int_equal(pp_writer_frames.flush(frames), -EFBIG);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(pp_writer_frames.flush(frames), -EFBIG);
    pp_writer_frames.end(frames);
    pp_writer_passes.end(passes);
    assert_in_range(lines_of("frames.csv"), 201, 399);
    assert_in_range(PASSES * lines_of("frames.csv"), 1, lines_of("passes.csv"));
    assert_int_equal(unlinkat(dir_fd, "frames.csv", 0), 0);
    assert_int_equal(unlinkat(dir_fd, "passes.csv", 0), 0);
}

/* A cell is written in the same way each time, at any place in the row. */
static void
stored_cells_are_written_unchanged(void **state)
{
    (void)state;
    static const char *const text[] = {"plain", "say \"a, b\"", "bad\xFF"};
    struct pp_csv csv;
    struct pp_cells cells = {0};
    assert_int_equal(pp_csv_open(&csv, dir_fd, "cells.csv"), 0);
    for (int row = 0; row < 2; row++) {
        assert_true(pp_cells_write(&cells, 0, &csv));
        for (uint32_t i = 0; i < 3; i++) {
            bool known = pp_cells_write(&cells, 200 * i + 7, &csv);
            assert_int_equal(known, row == 1);
            if (!known)
                pp_cells_add(&cells, 200 * i + 7, text[i], &csv);
        }
        assert_int_equal(pp_csv_row(&csv), 0);
    }
    assert_false(pp_cells_write(&cells, 8, &csv));
    assert_false(pp_cells_write(&cells, UINT32_MAX, &csv));
    pp_cells_add(&cells, 8, "first", &csv); /* a row's first cell has no comma before it */
    assert_true(pp_cells_write(&cells, 8, &csv));
    assert_int_equal(pp_csv_row(&csv), 0);
    pp_csv_close(&csv);
    pp_cells_finish(&cells);
    assert_string_equal(slurp("cells.csv"), ",plain,\"say \"\"a, b\"\"\",bad\xEF\xBF\xBD\r\n"
                                            ",plain,\"say \"\"a, b\"\"\",bad\xEF\xBF\xBD\r\n"
                                            "first,first\r\n");
}

/* Rows of every kind get wider: with quoted line breaks and quotes, more than a buffer of them, before they
 * are flushed. */
static void
new_columns_widen_frames_csv(void **state)
{
    (void)state;
    static const char *const column[] = {"app:\"a\", b", "app:c"};
    static char want[1 << 19];
    struct pp_csv csv;
    size_t len = 0;
    assert_int_equal(pp_csv_open_spare(&csv, dir_fd, "w.csv", "w.csv.new"), 0);
    for (unsigned i = 0; i < 9000; i++) {
        pp_csv_u64(&csv, i);
        pp_csv_text(&csv, i % 3 ? "plain" : "two\r\n\"lines\"\n");
        assert_int_equal(pp_csv_row(&csv), 0);
        len += (size_t)snprintf(want + len, sizeof(want) - len, "%u,%s%s\r\n", i,
                                i % 3 ? "plain" : "\"two\r\n\"\"lines\"\"\n\"",
                                i ? ",," : ",\"app:\"\"a\"\", b\",app:c");
    }
    assert_int_equal(pp_csv_widen(&csv, column, 2), 0);
    assert_string_equal(slurp("w.csv"), want);
    assert_int_equal(csv.written, len);
    pp_csv_text(&csv, "more");
    assert_int_equal(pp_csv_row(&csv), 0);
    assert_int_equal(pp_csv_flush(&csv), 0);
    snprintf(want + len, sizeof(want) - len, "more\r\n");
    assert_string_equal(slurp("w.csv"), want);
    assert_int_equal(csv.written, strlen(want));
    assert_string_equal(slurp("w.csv.new"), "");
    pp_csv_close(&csv);
    assert_int_equal(faccessat(dir_fd, "w.csv.new", F_OK, 0), -1);
}

/* The disk has no space for the wider file: the narrow file is unchanged, and rows are still added to it. */
static void
failed_widening_keeps_the_old_file(void **state)
{
    (void)state;
    static const char *const column[] = {"app:c"};
    struct rlimit before;
    struct pp_csv csv;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(pp_csv_open_spare(&csv, dir_fd, "n.csv", "n.csv.new"), 0);
    for (unsigned i = 0; i < 3; i++) {
        pp_csv_text(&csv, "a");
        assert_int_equal(pp_csv_row(&csv), 0);
    }
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){.rlim_cur = 10, .rlim_max = before.rlim_max}),
                     0);
    assert_int_equal(pp_csv_widen(&csv, column, 1), -EFBIG);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_string_equal(slurp("n.csv.new"), "");
    pp_csv_text(&csv, "b");
    assert_int_equal(pp_csv_row(&csv), 0);
    assert_int_equal(pp_csv_flush(&csv), 0);
    assert_string_equal(slurp("n.csv"), "a\r\na\r\na\r\nb\r\n");
    assert_int_equal(csv.written, strlen(slurp("n.csv")));
    pp_csv_close(&csv);
}

/* User counters: columns appear with the first value, cells have the precision of a double, and cells without
 * a number are empty. */
static void
user_counters_have_columns(void **state)
{
    (void)state;
    static const double value[] = {0.1, (double)NAN, -0.5, 1e101, -1e100};
    struct pp_frame_row row = frame;
    unsigned min = 0;
    unsigned max = 0;
    void *self = NULL;
    assert_int_equal(pp_user_counters_init(&session.user_counters), 0);
    assert_int_equal(pp_writer_frames.begin(&place, &self), 0);
    assert_int_equal(pp_writer_frames.frame(self, &row), 0);
    assert_true(pp_user_counters_set(&session.user_counters, "tenth", 1));
    assert_true(pp_user_counters_set(&session.user_counters, "nan", 1));
    row.user_counters = value;
    row.user_counter_count = 2;
    assert_int_equal(pp_writer_frames.frame(self, &row), 0);
    assert_true(pp_user_counters_add(&session.user_counters, "late", 1));
    row.user_counter_count = 3;
    assert_int_equal(pp_writer_frames.frame(self, &row), 0);
    assert_true(pp_user_counters_add(&session.user_counters, "beyond", 1));
    assert_true(pp_user_counters_add(&session.user_counters, "most", 1));
    row.user_counter_count = 5;
    assert_int_equal(pp_writer_frames.frame(self, &row), 0);
    row.user_counter_count = 1; /* a row of another window, whose frame ended earlier */
    assert_int_equal(pp_writer_frames.frame(self, &row), 0);
    assert_int_equal(pp_writer_frames.flush(self), 0);
    const char *text = slurp("frames.csv");
    assert_int_equal(parse(text, &min, &max), 6);
    assert_int_equal(min, max);
    assert_int_equal(pp_writer_frames.size(self), strlen(text));
    assert_non_null(strstr(text, ",app:tenth,app:nan,app:late,app:beyond,app:most\r\n"));
    const char *line[] = {",,,,,\r\n", ",0.1,,,,\r\n", ",0.1,,-0.5,,\r\n", ",0.1,,-0.5,,-1e+100\r\n",
                          ",0.1,,,,\r\n"};
    for (size_t i = 0; i < PP_ARRAY_SIZE(line); i++) {
        text = strstr(text + 1, line[i]);
        assert_non_null(text);
    }
    pp_writer_frames.end(self);
    pp_user_counters_finish(&session.user_counters);
    assert_int_equal(unlinkat(dir_fd, "frames.csv", 0), 0);
}

/* The reason of a user counter's empty cell is noted for its own column. */
static void
empty_user_counters_have_reasons(void **state)
{
    (void)state;
    static const double value[] = {1, (double)NAN};
    struct pp_frame_row row = frame;
    void *self = NULL;
    assert_int_equal(pp_user_counters_init(&session.user_counters), 0);
    assert_int_equal(pp_writer_frames.begin(&place, &self), 0);
    assert_true(pp_user_counters_set(&session.user_counters, "one", 1));
    assert_true(pp_user_counters_set(&session.user_counters, "nan", 1));
    row.user_counters = value;
    row.user_counter_count = 2;
    assert_int_equal(pp_writer_frames.frame(self, &row), 0);
    const struct pp_empty *empty = NULL;
    for (unsigned i = 0; i < PP_EMPTY_FILES && session.empty.file[i].file; i++)
        if (strcmp(session.empty.file[i].file, "frames.csv") == 0)
            empty = &session.empty.file[i];
    assert_non_null(empty);
    assert_true(empty->columns > 2);
    assert_string_equal(empty->column[empty->columns - 2].name, "app:one");
    assert_int_equal(empty->column[empty->columns - 2].why, 0);
    assert_string_equal(empty->column[empty->columns - 1].name, "app:nan");
    assert_int_equal(empty->column[empty->columns - 1].why, UINT32_C(1) << PP_WHY_APP);
    pp_writer_frames.end(self);
    pp_user_counters_finish(&session.user_counters);
    assert_int_equal(unlinkat(dir_fd, "frames.csv", 0), 0);
}

static void
json_strings_and_numbers_are_escaped(void **state)
{
    (void)state;
    struct pp_json json = {0};
    pp_json_open(&json, NULL, '{');
    pp_json_text(&json, "a\"b", "x\\\n\x01\xFF");
    pp_json_text(&json, "none", NULL);
    pp_json_double(&json, "d", -1.25);
    pp_json_double(&json, "r", 0.9999999999);
    pp_json_open(&json, "list", '[');
    pp_json_u64(&json, NULL, 1);
    pp_json_bool(&json, NULL, 1);
    pp_json_close(&json, ']');
    pp_json_open(&json, "empty", '{');
    pp_json_close(&json, '}');
    pp_json_close(&json, '}');
    assert_int_equal(json.error, 0);
    assert_string_equal(json.text,
                        "{\n  \"a\\\"b\": \"x\\\\\\u000a\\u0001\xEF\xBF\xBD\",\n  \"none\": null,\n"
                        "  \"d\": -1.250000000,\n  \"r\": 1.000000000,\n"
                        "  \"list\": [\n    1,\n    true\n  ],\n  \"empty\": {}\n}\n");
    free(json.text);
}

static void
attachments_are_described(void **state)
{
    (void)state;
    struct pp_render_target render_target = {.width = 1024, .height = 512, .attachments = 2};
    char text[256];
    strcpy(render_target.attachment[0].role, "color0");
    strcpy(render_target.attachment[0].format, "RGBA8");
    strcpy(render_target.attachment[1].role, "depth");
    strcpy(render_target.attachment[1].format, "D24");
    render_target.attachment[0].load = PP_OP_KEEP;
    pp_render_target_attachments_text(&render_target, &(struct pp_pass_row){.discarded = 2}, text,
                                      sizeof(text));
    assert_string_equal(text, "color0=RGBA8:keep/ depth=D24:/discard");
    pp_render_target_attachments_text(&render_target, &(struct pp_pass_row){.undefined = 3, .cleared = 2},
                                      text, sizeof(text));
    assert_string_equal(text, "color0=RGBA8:discard/ depth=D24:clear/");
    pp_render_target_attachments_text(&render_target, &(struct pp_pass_row){.cleared = 1}, text, 12);
    assert_string_equal(text, "color0=RGBA");
    pp_pass_name_text(&render_target, PP_PASS_RENDER, text, sizeof(text));
    assert_string_equal(text, "render 1024x512 RGBA8+D24");
    strcpy(render_target.attachment[1].name, "shadow map");
    pp_pass_name_text(&render_target, PP_PASS_RENDER, text, sizeof(text));
    assert_string_equal(text, "shadow map");
    pp_pass_name_text(NULL, PP_PASS_COMPUTE, text, sizeof(text));
    assert_string_equal(text, "compute");
}

static int
enter(void **state)
{
    static char name[][16] = {"pipeline:a", "pipeline:b"};
    static struct pp_column column[2];
    (void)state;
    /* The files have no decimal commas in any locale. */
    if (!setlocale(LC_ALL, "de_DE.UTF-8"))
        setlocale(LC_ALL, "");
    signal(SIGXFSZ, SIG_IGN);
    session.rows.columns = 2;
    session.rows.column = column;
    column[0].name = name[0];
    column[1].name = name[1];
    if (pp_intern_init(&session.names.render_targets, 4) || pp_intern_init(&session.names.strings, 4) ||
        pp_intern_init(&session.names.labels, 4))
        return -1;
    pass.label = action.label = pp_session_label(&session, 0, "region");
    if (pp_label_rows_make(&labels, &session, &frame))
        return -1;
    if (!mkdtemp(dir_path))
        return -1;
    dir_fd = place.dir_fd = open(dir_path, O_RDONLY | O_DIRECTORY);
    return dir_fd < 0;
}

static int
leave(void **state)
{
    char command[64];
    (void)state;
    pp_empty_finish(&session.empty);
    pp_label_rows_finish(&labels);
    pp_intern_finish(&session.names.render_targets);
    pp_intern_finish(&session.names.strings);
    pp_intern_finish(&session.names.labels);
    snprintf(command, sizeof(command), "rm -rf '%s'", dir_path);
    return system(command);
}

int
main(void)
{
    static struct pp_writer_ops writer[4];
    writer[0] = pp_writer_frames;
    writer[1] = pp_writer_passes;
    writer[2] = pp_writer_draws;
    writer[3] = pp_writer_labels;
    const struct CMUnitTest tests[] = {
        {"frames.csv@conforms", conforms, NULL, NULL, &writer[0]},
        {"passes.csv@conforms", conforms, NULL, NULL, &writer[1]},
        {"draws.csv@conforms", conforms, NULL, NULL, &writer[2]},
        {"labels.csv@conforms", conforms, NULL, NULL, &writer[3]},
        {"frames.csv@full-disk", full_disk_leaves_rows, NULL, NULL, &writer[0]},
        {"passes.csv@full-disk", full_disk_leaves_rows, NULL, NULL, &writer[1]},
        {"draws.csv@full-disk", full_disk_leaves_rows, NULL, NULL, &writer[2]},
        {"labels.csv@full-disk", full_disk_leaves_rows, NULL, NULL, &writer[3]},
        cmocka_unit_test(regions_that_share_a_pass),
        cmocka_unit_test(csv_texts_are_quoted),
        cmocka_unit_test(csv_numbers_equal_printf),
        cmocka_unit_test(late_rows_are_written_at_once),
        cmocka_unit_test(frames_csv_is_written_last),
        cmocka_unit_test(full_disk_names_nothing),
        cmocka_unit_test(stored_cells_are_written_unchanged),
        cmocka_unit_test(repeated_and_new_draws_equal_printf),
        cmocka_unit_test(new_columns_widen_frames_csv),
        cmocka_unit_test(failed_widening_keeps_the_old_file),
        cmocka_unit_test(user_counters_have_columns),
        cmocka_unit_test(empty_user_counters_have_reasons),
        cmocka_unit_test(json_strings_and_numbers_are_escaped),
        cmocka_unit_test(attachments_are_described),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}

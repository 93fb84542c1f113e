/** @file
 * Numbers and foreign names as text; CSV rows of torn and hostile files; kinds of executables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/launch/executable.h"
#include "cli/launch/ld_debug.h"
#include "cli/launch/session_dir.h"
#include "cli/print/passes.h"
#include "cli/session/csv_read.h"
#include "cli/session/saved_session.h"
#include "cli/session/session_shown.h"
#include "cli/text/format.h"
#include "cli/text/print.h"
#include "counters/stats/stats.h"
#include "counters/util/array_size.h"
#include "counters/util/printable.h"

static void
last_part_of_a_label_path(void **state)
{
    (void)state;
    assert_string_equal(pp_format_last_name(""), "");
    assert_string_equal(pp_format_last_name("a"), "a");
    assert_string_equal(pp_format_last_name("a/b"), "b");
    assert_string_equal(pp_format_last_name("a/b\\/c"), "b\\/c");
    assert_string_equal(pp_format_last_name("a\\\\/c"), "c");
    assert_string_equal(pp_format_last_name("a\\"), "a\\");
}

static void
numbers_and_durations_have_units(void **state)
{
    char text[PP_FORMATTED_MAX];
    (void)state;
    assert_string_equal(pp_format_count(text, 0, 0), "0");
    assert_string_equal(pp_format_count(text, 999, 0), "999");
    assert_string_equal(pp_format_count(text, 1000, 0), "1,000");
    assert_string_equal(pp_format_count(text, 1234567.25, 1), "1,234,567.2");
    assert_string_equal(pp_format_count(text, -1234, 0), "-1,234");
    assert_string_equal(pp_format_count(text, 1e30, 0), "1.000e+30");
    assert_string_equal(pp_format_count(text, (double)NAN, 0), "-");
    assert_string_equal(pp_format_duration(text, 412), "412 ns");
    assert_string_equal(pp_format_duration(text, 1234), "1.23 us");
    assert_string_equal(pp_format_duration(text, 1234567), "1.23 ms");
    assert_string_equal(pp_format_duration(text, 2.5e9), "2.50 s");
    static const struct {
        double ns;
        int digits;
        const char *want;
    } rough[] = {{412, 2, "410 ns"},      {126460, 2, "130 us"}, {126460, 3, "126 us"}, {83780, 3, "83.8 us"},
                 {1234, 2, "1.2 us"},     {999.6, 3, "1.00 us"}, {995, 2, "1.0 us"},    {999999, 2, "1.0 ms"},
                 {2000000, 3, "2.00 ms"}, {9.96e9, 2, "10 s"},   {0, 2, "0 ns"},        {0.4, 2, "0 ns"},
                 {(double)NAN, 2, "-"},   {60, 3, "60 ns"},      {6.6, 2, "7 ns"}};
    for (size_t i = 0; i < sizeof(rough) / sizeof(rough[0]); i++)
        assert_string_equal(pp_format_rough(text, rough[i].ns, rough[i].digits), rough[i].want);
    assert_string_equal(pp_format_time(text, 1234567, pp_time_unit_for(2e6)), "1.235");
    assert_string_equal(pp_format_time(text, 1234, pp_time_unit_for(1234)), "1.2");
    assert_string_equal(pp_format_time(text, (double)NAN, pp_time_unit_for(1)), "-");
}

static void
names_are_cut_to_columns_and_cleaned(void **state)
{
    static const struct {
        const char *name;
        size_t columns;
        const char *text;
    } row[] = {
        {"shadow", 20, "shadow"},
        {"shadow map", 10, "shadow map"},
        {"shadow maps", 10, "shadow ..."},
        {"a\x1b[31mred\n", 20, "a?[31mred?"},
        {"gr\xc3\xbc\xc3\x9f"
         "e",
         5,
         "gr\xc3\xbc\xc3\x9f"
         "e"},
        {"gr\xc3\xbc\xc3\x9f"
         "en",
         5, "gr..."},
        {"bad\xff\xc3", 20, "bad??"},
        {"c1\xc2\x9b"
         "2J",
         20, "c1?2J"},
        {"\xed\xa0\x80", 20, "???"},
        {"a\xe2\x80\xae"
         "b\xe2\x81\xa6",
         20, "a?b?"},
        {"\xe2\x82\xac", 20, "\xe2\x82\xac"},
        {"", 20, ""},
    };
    char text[256];
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
        assert_string_equal(pp_format_name(text, sizeof(text), row[i].name, row[i].columns), row[i].text);
    char arg0[] = "my game";
    char arg1[] = "--x=1";
    char arg2[] = "a\tb";
    char *argv[] = {arg0, arg1, arg2, NULL};
    assert_string_equal(pp_format_command(text, sizeof(text), argv), "'my game' --x=1 'a?b'");
    const char *game[] = {"/opt/games/bin/game", "--scene", NULL};
    assert_string_equal(pp_format_short_command(text, sizeof(text), 27, game), "/opt/games/bin/game --scene");
    assert_string_equal(pp_format_short_command(text, sizeof(text), 26, game), "game --scene");
    assert_string_equal(game[0], "/opt/games/bin/game");
}

/* Rows as one string: cells in brackets, "-" for absent. */
struct journal {
    char text[512];
};

static bool
note_row(void *data, const struct pp_cell *cell, size_t cells)
{
    struct journal *j = data;
    for (size_t i = 0; i < cells; i++) {
        size_t len = strlen(j->text);
        snprintf(j->text + len, sizeof(j->text) - len, cell[i].present ? "[%s]" : "-", cell[i].text);
    }
    strcat(j->text, ";");
    return true;
}

static const char *
read_csv(struct journal *j, const char *text, int want)
{
    const struct pp_csv_reader reader = {.header = note_row, .row = note_row, .data = j};
    j->text[0] = '\0';
    assert_int_equal(pp_csv_read_text(text, strlen(text), &reader), want);
    return j->text;
}

static void
csv_rows_and_quotes_are_read(void **state)
{
    struct journal j;
    (void)state;
    assert_string_equal(read_csv(&j, "a,b\r\n1,2\r\n", 0), "[a][b];[1][2];");
    assert_string_equal(read_csv(&j, "a,b\n1,2\n3", 0), "[a][b];[1][2];");
    assert_string_equal(read_csv(&j, "a,b\r\n1,\"x\r\n", 0), "[a][b];");
    assert_string_equal(read_csv(&j, "a,b\r\n,\"\"\r\n", 0), "[a][b];-[];");
    assert_string_equal(read_csv(&j, "a,b\r\n1\r\n1,2,3\r\n", 0), "[a][b];[1]-;[1][2];");
    assert_string_equal(read_csv(&j, "a\r\n\"x,\"\"y\"\"\r\nz\"\r\n", 0), "[a];[x,\"y\"\r\nz];");
    assert_string_equal(read_csv(&j, "a,b\r\n\r\n\n1,2\r\n,\r\n", 0), "[a][b];[1][2];--;");
    assert_string_equal(read_csv(&j, "\"a\"\"\",b\r\n\"xy\",\"\"\"\"\r\n", 0), "[a\"][b];[xy][\"];");
    assert_string_equal(read_csv(&j, "a\n\"x\ny\nz\"\n\"\n", 0), "[a];[x\ny\nz];");
    read_csv(&j, "", -ENODATA);
    read_csv(&j, "no line break", -ENODATA);
}

static void
stored_cells_are_written_unchanged(void **state)
{
    double value = 7;
    (void)state;
    assert_true(pp_cell_number(&(struct pp_cell){"1.5", 3, true}, &value));
    assert_true(value == 1.5);
    assert_false(pp_cell_number(&(struct pp_cell){"1,5", 3, true}, &value));
    assert_false(pp_cell_number(&(struct pp_cell){"nan", 3, true}, &value));
    assert_false(pp_cell_number(&(struct pp_cell){"inf", 3, true}, &value));
    assert_false(pp_cell_number(&(struct pp_cell){"1e999", 5, true}, &value));
    assert_false(pp_cell_number(&(struct pp_cell){"", 0, false}, &value));
    assert_false(pp_cell_number(&(struct pp_cell){"12x", 3, true}, &value));
    assert_true(value == 1.5);
}

static void
torn_last_row_is_left_out(void **state)
{
    static const struct {
        const char *text;
        size_t whole;
    } row[] = {{"", 0},         {"a,b\n", 4},           {"a,b\nc", 4},          {"a,\"x\ny\"\nz", 8},
               {"\"a\nb", 0},   {"a\n\"b\n", 2},        {"a,\"\"\"\n\"\nq", 8}, {"\n\n\n", 3},
               {"a\r\nb\r", 3}, {"\"x\"\n\"y\"\n\"", 8}};
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        bool quoted = false;
        assert_int_equal(pp_session_mend_whole_rows(row[i].text, strlen(row[i].text), &quoted), row[i].whole);
    }
}

/* Which frames count as first frames, by a text of frames.csv. */
static struct pp_saved_first
first_of(const char *rows, double *ret_total_ns, uint64_t *ret_measured)
{
    char text[8192];
    struct pp_saved_session rec;
    memset(&rec, 0, sizeof(rec));
    snprintf(text, sizeof(text), "frame,level,frame_time_ns,draws,dispatches,cpu:x\r\n%s", rows);
    assert_int_equal(pp_saved_read_frames(&rec, NULL, text, strlen(text)), 0);
    struct pp_saved_first first = rec.surface[0].first;
    for (size_t i = 0; i < rec.frames; i++)
        assert_int_equal(pp_saved_is_first(&rec, rec.frame[i].number),
                         first.frames > 0 && rec.frame[i].number <= first.frame);
    pp_saved_show(&rec, PP_SAVED_NO_SURFACE);
    *ret_total_ns = rec.surface[0].total_ns;
    *ret_measured = rec.measured_frames;
    pp_saved_finish(&rec);
    return first;
}

static void
first_frames_end_with_the_first_draw(void **state)
{
    (void)state;
    static const struct {
        const char *rows;
        uint64_t frames;
        double last, time, total;
    } cases[] = {
        /* a library clears the window, the application loads */
        {"0,pass,5,0,0,1\r\n1,pass,70,3,0,1\r\n2,pass,2,3,0,1\r\n3,pass,4,0,0,1\r\n", 2, 1, 75, 6},
        /* rows in another order; a dispatch counts */
        {"3,pass,4,0,0,1\r\n2,pass,2,3,0,1\r\n0,pass,5,0,0,1\r\n1,pass,70,0,1,1\r\n", 2, 1, 75, 6},
        /* no frame has a draw */
        {"0,pass,5,0,0,1\r\n1,pass,70,0,0,1\r\n2,pass,2,0,0,1\r\n", 1, 0, 5, 72},
        /* counts are not known */
        {"0,pass,5,,,1\r\n1,pass,70,,,1\r\n2,pass,2,3,0,1\r\n", 1, 0, 5, 72},
        /* no frame is left after the first draw */
        {"0,pass,5,0,0,1\r\n1,pass,70,3,0,1\r\n", 1, 0, 5, 70},
        {"0,pass,5,3,0,1\r\n", 0, 0, 0, 0},
    };
    double total;
    uint64_t measured;
    for (size_t i = 0; i < PP_ARRAY_SIZE(cases); i++) {
        struct pp_saved_first first = first_of(cases[i].rows, &total, &measured);
        assert_int_equal(first.frames, cases[i].frames);
        assert_true(first.frame == cases[i].last && first.frame_time == cases[i].time);
        assert_true(total == cases[i].total);
        uint64_t rows = 0;
        for (const char *at = strchr(cases[i].rows, '\n'); at; at = strchr(at + 1, '\n'))
            rows++;
        assert_int_equal(measured, rows - first.frames);
    }
    char many[8192] = "";
    for (size_t i = 0, at = 0; i < PP_FIRST_FRAMES_MAX + 2; i++)
        at += (size_t)snprintf(many + at, sizeof(many) - at, "%zu,frame,1,%d,0,1\r\n", i,
                               i > PP_FIRST_FRAMES_MAX);
    struct pp_saved_first first = first_of(many, &total, &measured);
    assert_int_equal(first.frames, 1); /* many frames without a draw are no loading */
    assert_true(total == PP_FIRST_FRAMES_MAX + 1);
}

static void
session_files_become_tables(void **state)
{
    static const char frames[] =
        "frame,api,device,surface,level,frame_time_ns,bound_by,draws,pipeline:x\r\n"
        "0,gl,d,w,pass,100,cpu,1,5\r\n1,gl,d,w,pass,10,gpu,2,\r\n2,gl,d,w,frame,20,,3,7\r\n"
        "x,gl,d,w,frame,20,,3,7\r\n3,gl,d,v,pass,9,present,1,1\r\n4,gl,d,w,pa";
    static const char passes[] = "frame,pass,pass_id,name,gpu_time_ns\r\n0,0,a,A,5000\r\n1,0,a,A,10\r\n1,1,b,"
                                 "B,21\r\n2,0,a,A,\r\n,0,c,C,1\r\n"
                                 "3,0,a,A,70\r\n9,0,a,A,70000\r\n";
    static const char draws[] =
        "frame,pass,draw,draw_id,call,vertices,instances,gpu_time_ns\r\n"
        "0,0,0,x,f,3,1,1000\r\n1,0,0,x,f,3,2,7\r\n1,1,1,y,g,,,\r\n2,0,0,x,f,3,2,\r\nq,0,0,z,f,3,2,\r\n";
    static const char labels[] =
        "frame,label,gpu_inclusive_ns,gpu_exclusive_ns\r\n0,a,100,100\r\n1,a,9,\r\n1,a/b,10,10\r\n";
    struct pp_saved_session rec;
    (void)state;
    memset(&rec, 0, sizeof(rec));
    assert_int_equal(pp_saved_read_frames(&rec, NULL, frames, strlen(frames)), 0);
    assert_int_equal(pp_saved_read_draws(&rec, NULL, draws, strlen(draws)), 0);
    assert_int_equal(pp_saved_read_passes(&rec, NULL, passes, strlen(passes)), 0);
    assert_int_equal(pp_saved_read_labels(&rec, NULL, labels, strlen(labels)), 0);
    assert_int_equal(rec.surfaces, 2);
    assert_int_equal(rec.bad_rows, 2);
    const struct pp_saved_surface *s = &rec.surface[0];
    assert_string_equal(s->surface, "w");
    assert_int_equal(s->frames, 3);
    assert_int_equal(s->times[PP_SAVED_PASS].frame_time.len, 1); /* the first frame is left out */
    assert_int_equal(s->times[PP_SAVED_FRAME].frame_time.len, 1);
    assert_int_equal(s->times[PP_SAVED_PASS].verdict[PP_VERDICT_GPU], 1);
    assert_int_equal(s->times[PP_SAVED_FRAME].verdict[PP_VERDICT_NONE], 1);
    pp_saved_show(&rec, PP_SAVED_NO_SURFACE);
    assert_int_equal(rec.measured_frames, 2); /* at level pass, only this one among the other surface's */
    assert_int_equal(s->measured, 1);
    assert_true(pp_saved_is_first(&rec, 0));
    assert_false(pp_saved_is_first(&rec, 3));
    assert_int_equal(pp_saved_surface_of(&rec, 2), 0);
    assert_int_equal(pp_saved_surface_of(&rec, 3), 1);
    assert_true(pp_saved_surface_of(&rec, 9) == PP_SAVED_NO_SURFACE);
    assert_int_equal(rec.counters, 1);
    assert_int_equal(pp_saved_counted_at(s, 0), PP_SAVED_FRAME);
    assert_int_equal(s->count[PP_SAVED_FRAME].rows, 1);
    assert_true(s->count[PP_SAVED_FRAME].sum == 7);
    assert_int_equal(pp_saved_counted_at(&rec.surface[1], 0), PP_SAVED_PASS);
    assert_true(rec.surface[1].count[PP_SAVED_PASS].sum == 1);
    assert_int_equal(rec.draws, 2);
    assert_int_equal(rec.draw[0].rows, 2);
    assert_int_equal(rec.draw[0].gpu_time.len, 1);
    assert_true(rec.draw[0].total_ns == 7);
    assert_true(rec.draw[0].vertex_runs == 12);
    assert_string_equal(rec.draw[0].pass_id, "a");
    assert_string_equal(rec.draw[1].pass_id, "b");
    assert_int_equal(rec.labels, 2);
    assert_string_equal(rec.label[0].label, "a/b");
    assert_int_equal(rec.label[1].exclusive_ns.rows, 0);
    assert_int_equal(rec.early_rows, 1); /* frame 9 */
    assert_int_equal(rec.passes, 4);     /* the other surface's A is another pass */
    pp_saved_show(&rec, PP_SAVED_NO_SURFACE);
    assert_int_equal(rec.pass[0].surface, 1);
    assert_true(rec.pass[0].total_ns == 70);
    pp_saved_show(&rec, 0);
    assert_int_equal(rec.shown_passes, 3); /* C belongs to no frame */
    assert_int_equal(rec.shown_draws, 2);
    assert_int_equal(rec.measured_frames, 1);
    assert_string_equal(rec.pass[0].name, "B");
    assert_string_equal(rec.pass[1].name, "A");
    assert_int_equal(rec.pass[1].rows, 3);
    assert_int_equal(rec.pass[1].kept, 2);
    assert_int_equal(rec.pass[1].gpu_time.len, 1);
    assert_true(rec.pass[2].surface == PP_SAVED_NO_SURFACE);
    pp_saved_finish(&rec);
}

/* Draws 0 to 3 in 5000 frames, of which the odd ones take 100 ns more: an effect at half the rate. */
static void
read_many_times(struct pp_saved_session *rec, size_t most)
{
    size_t cap = 1 << 20, used = 0;
    char *text = malloc(cap);
    assert_non_null(text);
    memset(rec, 0, sizeof(*rec));
    rec->draw_times_most = most;
    used += (size_t)snprintf(text, cap, "frame,pass,draw,draw_id,gpu_time_ns\r\n");
    for (unsigned i = 0; i < 20000; i++)
        used += (size_t)snprintf(text + used, cap - used, "%u,0,%u,d%u,%u\r\n", i / 4, i % 4, i % 4,
                                 1 + i / 4 % 100 + i / 4 % 2 * 100);
    assert_int_equal(pp_saved_read_draws(rec, NULL, text, used), 0);
    free(text);
}

/* A gigabyte of draws: when there are more times than memory may hold, some are left out; sums have all. */
static void
times_of_many_draws_are_thinned(void **state)
{
    struct pp_saved_session rec;
    size_t kept = 0;
    (void)state;
    read_many_times(&rec, 1000);
    for (size_t i = 0; i < rec.draws; i++) {
        struct pp_saved_draw *draw = &rec.draw[i];
        kept += draw->gpu_time.len;
        assert_int_equal(draw->timed, 5000);
        assert_true(draw->total_ns == 5000 * 100.5);
        pp_series_order(&draw->gpu_time);
        double p25 = pp_series_quantile7(&draw->gpu_time, 0.25);
        double p95 = pp_series_quantile7(&draw->gpu_time, 0.95);
        assert_true(p25 > 40 && p25 < 60);
        assert_true(p95 > 185 && p95 < 200);
    }
    assert_int_equal(rec.draws, 4);
    assert_int_equal(rec.draw_times_every, 32);
    assert_true(kept > 500 && kept <= 1000);
    pp_saved_finish(&rec);
}

static void
figures_have_four_digits(void **state)
{
    static const struct {
        double value;
        const char *text;
    } row[] = {{0, "0"},           {12345, "12,345"},      {-3, "-3"},         {1234.56, "1,235"},
               {123.456, "123.5"}, {12.3456, "12.35"},     {1.23456, "1.235"}, {0.123456, "0.1235"},
               {0.0123, "0.0123"}, {0.0000123, "1.23e-05"}};
    char text[PP_FORMATTED_MAX];
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
        assert_string_equal(pp_format_figure(text, row[i].value), row[i].text);
}

static void
rough_counts_have_five_digits_at_most(void **state)
{
    static const struct {
        double value;
        const char *text;
    } row[] = {{0, "0"},          {66566, "66,566"},  {99999, "99,999"},   {100000, "100 k"},
               {393216, "393 k"}, {999600, "1.00 M"}, {1451006, "1.45 M"}, {22.31e6, "22.3 M"},
               {3e8, "300 M"},    {2.5e9, "2.50 G"}};
    char text[PP_FORMATTED_MAX];
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
        assert_string_equal(pp_format_rough_count(text, row[i].value), row[i].text);
}

static void
times_of_a_table_have_four_digits_at_most(void **state)
{
    static const struct {
        double ns;
        const char *text;
    } row[] = {{0, "0.000"},        {400, "<0.001"},      {600, "0.001"},      {5.9994e6, "5.999"},
               {59.999e6, "60.00"}, {168.999e6, "169.0"}, {1234.4e6, "1,234"}, {12345.4e6, "12,345"}};
    char text[PP_FORMATTED_MAX];
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
        assert_string_equal(pp_format_time(text, row[i].ns, pp_time_unit_for(2e6)), row[i].text);
}

/* The two ends of a name distinguish it from others. */
static void
long_names_keep_both_ends(void **state)
{
    static const struct {
        const char *name, *shown;
        size_t columns;
    } row[] = {{"window", "window", 6},
               {"abcdefghijkl", "abc...jkl", 9},
               {"abcdefghijkl", "abc...ijkl", 10},
               {"\303\244\303\266\303\274\303\237\303\244\303\266\303\274", "\303\244...\303\266\303\274", 6},
               {"ab\033[2Jcdefghij", "ab?...ghij", 10},
               {"abcdefgh", "a...", 4}};
    char text[64];
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
        assert_string_equal(pp_format_middle(text, sizeof(text), row[i].name, row[i].columns), row[i].shown);
}

/* Words are whole; one that alone is too wide is cut. */
static void
long_names_keep_whole_words(void **state)
{
    static const struct {
        const char *name, *shown;
        size_t columns;
    } row[] = {{"one two three", "one two three", 13},
               {"one two three four", "one two... four", 17},
               {"one two three four", "one two... four", 15},
               {"one two three four", "one... four", 14},
               {"one two three four", "one...", 9},
               {"scene/sky/opaque: target", "scene/... target", 18},
               {"abcdefghijkl two", "abc...two", 9},
               {"abcdefghijkl", "abc...ijkl", 10},
               {"\303\244 \303\266\303\274\303\237 \303\244", "\303\244... \303\244", 6},
               {"ab\033[2J one two three", "ab?[2J... three", 16},
               {"one two", "o...", 4}};
    char text[64];
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
        assert_string_equal(pp_format_words(text, sizeof(text), row[i].name, row[i].columns), row[i].shown);
}

static void
executables_are_classified(void **state)
{
    struct {
        Elf64_Ehdr head;
        Elf64_Phdr segment[2];
    } elf;
    struct pp_executable_file file;
    (void)state;
    memset(&elf, 0, sizeof(elf));
    memset(&file, 0, sizeof(file));
    memcpy(elf.head.e_ident, ELFMAG, SELFMAG);
    elf.head.e_ident[EI_CLASS] = ELFCLASS64;
    elf.head.e_phoff = sizeof(elf.head);
    elf.head.e_phentsize = sizeof(Elf64_Phdr);
    elf.head.e_phnum = 2;
    elf.segment[0].p_type = PT_LOAD;
    elf.segment[1].p_type = PT_INTERP;
    pp_executable_classify((const unsigned char *)&elf, sizeof(elf), &file);
    assert_int_equal(file.kind, PP_EXECUTABLE_DYNAMIC);
    assert_true(file.other_class); /* there is no machine 0 */
    assert_non_null(pp_executable_obstacle(&file));
    elf.segment[1].p_type = PT_NOTE;
    pp_executable_classify((const unsigned char *)&elf, sizeof(elf), &file);
    assert_int_equal(file.kind, PP_EXECUTABLE_STATIC);
    pp_executable_classify((const unsigned char *)&elf, 20, &file);
    assert_int_equal(file.kind, PP_EXECUTABLE_OTHER);
    pp_executable_classify((const unsigned char *)"#! /bin/sh -e\n", 14, &file);
    assert_int_equal(file.kind, PP_EXECUTABLE_SCRIPT);
    assert_string_equal(file.interpreter, "/bin/sh");
    pp_executable_classify((const unsigned char *)"echo\n", 5, &file);
    assert_int_equal(file.kind, PP_EXECUTABLE_OTHER);
    assert_int_equal(pp_executable_inspect("no such program", &file), -ENOENT);
    assert_int_equal(pp_executable_inspect("/", &file), -EACCES);
}

/* Lines end before column 80, and later lines are indented. A word that is too long has a line for itself.
 * Control characters are replaced. */
static void
lines_wrap_before_80_columns(void **state)
{
    char text[512] = "";
    char word[100];
    (void)state;
    memset(word, 'x', sizeof(word) - 1);
    word[sizeof(word) - 1] = '\0';
    FILE *out = fmemopen(text, sizeof(text), "w");
    assert_non_null(out);
    pp_format_wrap(out, 75, 4, "one  \xC3\xBC\xC3\xBC\xC3\xBC  \033[31m");
    pp_format_wrap(out, 75, 2, "four five");
    pp_format_wrap(out, 0, 1, word);
    pp_format_wrap(out, 0, 1, "");
    pp_format_wrap(out, 0, 1,
                   "c1\xC2\x9B"
                   "2J \xE2\x80\xAE \x9B \xE2\x80");
    assert_int_equal(fclose(out), 0);
    char wanted[512];
    snprintf(wanted, sizeof(wanted),
             "one\n    \xC3\xBC\xC3\xBC\xC3\xBC ?[31m\nfour\n  five\n%s\n\nc1?2J ? ? ??\n", word);
    assert_string_equal(text, wanted);
    char dirty[] = "a\033[2Jb\xC2\x9B"
                   "c\xE2\x80\xAE\xFF"
                   "d\xC3\xBC";
    assert_string_equal(pp_printable_clean(dirty, ' '), "a [2Jb c  d\xC3\xBC");
}

/* Line breaks of the format are printed, line breaks of arguments are replaced, at any length. */
static void
control_characters_of_arguments_are_replaced(void **state)
{
    char text[8192] = "";
    char word[3001];
    char wanted[8192];
    (void)state;
    memset(word, 'x', sizeof(word) - 1);
    word[sizeof(word) - 1] = '\0';
    FILE *out = fmemopen(text, sizeof(text), "w");
    assert_non_null(out);
    assert_int_equal(pp_print(out, "\n%s\n%d%%\n\n", "a\nb\x1b[m\xc2\x9b\xff\n", 5), 15);
    pp_print(out, "%-6s|%3s\n%.2s\n", "\n", "\xe2\x80\xae", "\xc3\xbc\n");
    pp_print(out, "%.1s%s\n%s\n", "\xc3\xbc", word, "\n");
    pp_print_char(out, '\n');
    assert_int_equal(fclose(out), 0);
    snprintf(wanted, sizeof(wanted), "\na?b?[m???\n5%%\n\n?     |?\n\xc3\xbc\n?%s\n?\n\n", word);
    assert_string_equal(text, wanted);
}

/* The narrowest terminal that shows tables: no line is wider, however long names are. */
static void
tables_fit_a_narrow_terminal(void **state)
{
    static const char frames[] = "frame,level,frame_time_ns\r\n0,pass,9\r\n1,pass,9\r\n2,pass,9\r\n";
    char passes[1024], text[8192];
    char name[201];
    struct pp_saved_session rec;
    struct winsize size = {.ws_row = 24, .ws_col = 61};
    struct pp_pass_table table;
    (void)state;
    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    snprintf(passes, sizeof(passes),
             "frame,pass,pass_id,name,gpu_time_ns,bound_by\r\n1,0,a,%s,5000,a_unit_of_23_characters\r\n"
             "2,0,a,%s,5000,a_unit_of_23_characters\r\n",
             name, name);
    memset(&rec, 0, sizeof(rec));
    assert_int_equal(pp_saved_read_frames(&rec, NULL, frames, strlen(frames)), 0);
    assert_int_equal(pp_saved_read_passes(&rec, NULL, passes, strlen(passes)), 0);
    pp_saved_show(&rec, PP_SAVED_NO_SURFACE);
    int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
    int user = open(ptsname(terminal), O_RDWR | O_NOCTTY);
    assert_true(user >= 0 && ioctl(user, TIOCSWINSZ, &size) == 0);
    FILE *out = fdopen(user, "w");
    assert_non_null(out);
    assert_int_equal(pp_format_columns(out), 60);
    assert_int_equal(pp_pass_table_make(&rec, &(struct pp_view){.fold = true}, &table), 0);
    pp_passes_print_short(out, &rec, &table, 10);
    pp_pass_table_finish(&table);
    assert_int_equal(fclose(out), 0);
    size_t used = 0;
    for (ssize_t got = 0; (got = read(terminal, text + used, sizeof(text) - 1 - used)) > 0;)
        used += (size_t)got;
    text[used] = '\0';
    close(terminal);
    pp_saved_finish(&rec);
    assert_non_null(strstr(text, " [a"));
    for (const char *line = text; *line; line += strspn(line, "\r\n")) {
        size_t length = strcspn(line, "\r\n");
        if (length > 60)
            fail_msg("%zu columns: %.*s", length, (int)length, line);
        line += length;
    }
}

static void
libraries_before_the_shim_are_found(void **state)
{
    struct pp_ld_process p;
    (void)state;
    memset(&p, 0, sizeof(p));
    pp_ld_debug_line(&p, "     17:\tcalling init: /lib/x86_64-linux-gnu/libGL.so.1");
    pp_ld_debug_line(&p, "     17:\tcalling init: /lib/x86_64-linux-gnu/libGLX.so.0");
    pp_ld_debug_line(&p, "     17:\tcalling init: /opt/a b/libpassprobe-gl.so");
    pp_ld_debug_line(&p, "     17:\ttransferring control: /usr/bin/glxgears");
    assert_string_equal(p.ahead, "");
    static const char mango[] = "     17:\tfile=/usr/lib/mangohud/libMangoHud.so [0];  generating link map";
    static const char shim[] = "     17:\tfile=/opt/a/libpassprobe-gl.so [0];  generating link map";
    /* passprobe first: no tool is ahead; another image with MangoHud first: MangoHud is ahead */
    pp_ld_debug_line(&p, shim);
    pp_ld_debug_line(&p, mango);
    pp_ld_debug_line(&p, "     17:\ttransferring control: /usr/bin/env");
    pp_ld_debug_line(&p, shim);
    assert_string_equal(p.ahead, "");
    pp_ld_debug_line(&p, "     17:\ttransferring control: /usr/bin/env");
    pp_ld_debug_line(&p, mango);
    pp_ld_debug_line(&p, shim);
    pp_ld_debug_line(&p, "     17:\ttransferring control: /usr/bin/glxgears");
    assert_string_equal(p.ahead, "libMangoHud.so");
    assert_string_equal(p.program, "glxgears");
    assert_true(p.gl && p.shim && !p.egl && !p.gles && !p.vulkan && !p.layer);
    pp_ld_debug_line(&p, "     17:\tcalling init: libGLESv2.so.2");
    pp_ld_debug_line(&p, "     17:\tcalling init: /x/libVkLayer_passprobe.so");
    assert_true(p.gles && p.layer);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(last_part_of_a_label_path),
        cmocka_unit_test(numbers_and_durations_have_units),
        cmocka_unit_test(names_are_cut_to_columns_and_cleaned),
        cmocka_unit_test(csv_rows_and_quotes_are_read),
        cmocka_unit_test(stored_cells_are_written_unchanged),
        cmocka_unit_test(torn_last_row_is_left_out),
        cmocka_unit_test(session_files_become_tables),
        cmocka_unit_test(first_frames_end_with_the_first_draw),
        cmocka_unit_test(times_of_many_draws_are_thinned),
        cmocka_unit_test(figures_have_four_digits),
        cmocka_unit_test(long_names_keep_both_ends),
        cmocka_unit_test(long_names_keep_whole_words),
        cmocka_unit_test(rough_counts_have_five_digits_at_most),
        cmocka_unit_test(times_of_a_table_have_four_digits_at_most),
        cmocka_unit_test(executables_are_classified),
        cmocka_unit_test(libraries_before_the_shim_are_found),
        cmocka_unit_test(lines_wrap_before_80_columns),
        cmocka_unit_test(control_characters_of_arguments_are_replaced),
        cmocka_unit_test(tables_fit_a_narrow_terminal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/** @file
 * Regions of labels in a whole session: labels.csv, paths, and what happens where labels are many or long. */
#include "tests/lib/cmocka_test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/engine/session_private.h"
#include "core/util/log.h"
#include "tests/fake/frontend.h"
#include "tests/unit/core/session/session_child.h"

static void
nested_regions(void)
{
    struct fake_frontend fake;
    fake_frontend_start(&fake);
    pp_label_id outer = pp_session_label(fake.session, 0, "outer");
    pp_label_id inner = pp_session_label(fake.session, outer, "in,ner");
    pp_track_label(&fake.tracker, outer);
    fake_frontend_draw(&fake, 1, 2, 3, 1000);
    pp_track_end(&fake.tracker);
    pp_track_label(&fake.tracker, inner);
    fake_frontend_draw(&fake, 2, 1, 6, 300);
    fake_frontend_dispatch(&fake, 1, 64, 50);
    pp_track_end(&fake.tracker);
    pp_track_label(&fake.tracker, 0);
    fake_frontend_draw(&fake, 3, 1, 6, 7);
    fake_frontend_swap(&fake);
}

static void
regions_nest(void **state)
{
    (void)state;
    const char *env[] = {"PASSPROBE_OUTPUT", "labels", NULL};
    assert_int_equal(in_child(nested_regions, env), 0);
    read_table("labels/labels.csv");
    assert_int_equal(table.rows, 3);
    assert_string_equal(at(0, "label"), "outer");
    assert_int_equal(number(0, "depth"), 1);
    assert_int_equal(number(0, "passes"), 3);
    assert_int_equal(number(0, "draws"), 3);
    assert_int_equal(number(0, "gpu_inclusive_ns"), 2350);
    assert_int_equal(number(0, "gpu_exclusive_ns"), 2000);
    assert_int_equal(number(0, "pipeline:input_assembly_vertices"), 12);
    assert_string_equal(at(1, "label"), "\"outer/in,ner\"");
    assert_int_equal(number(1, "gpu_inclusive_ns"), 350);
    assert_int_equal(number(1, "gpu_exclusive_ns"), 350);
    assert_int_equal(number(1, "dispatches"), 1);
    assert_int_equal(number(1, "pipeline:compute_shader_invocations"), 64);
}

/* A draw of an inner region, in a pass that began in the outer region. At level pass the inner region is
 * invisible. */
static void
shared_pass(void)
{
    struct fake_frontend fake;
    fake_frontend_start(&fake);
    pp_label_id outer = pp_session_label(fake.session, 0, "outer");
    pp_track_label(&fake.tracker, outer);
    fake_frontend_draw(&fake, 1, 2, 3, 1000);
    pp_track_label(&fake.tracker, pp_session_label(fake.session, outer, "inner"));
    fake_frontend_draw(&fake, 1, 1, 3, 500);
    fake_frontend_dispatch(&fake, 1, 64, 50);
    fake_frontend_swap(&fake);
}

static void
regions_share_passes(void **state)
{
    (void)state;
    const char *level[] = {"pass", "draw"};
    for (size_t i = 0; i < 2; i++) {
        const char *env[] = {"PASSPROBE_OUTPUT", level[i], "PASSPROBE_LEVEL", level[i], NULL};
        char file[32];
        assert_int_equal(in_child(shared_pass, env), 0);
        snprintf(file, sizeof(file), "%s/labels.csv", level[i]);
        read_table(file);
        assert_int_equal(table.rows, 3);
        assert_int_equal(number(0, "draws"), 3);
        assert_int_equal(number(0, "dispatches"), 1);
        assert_string_equal(at(1, "label"), "outer/inner");
        assert_string_equal(at(1, "draws"), i ? "1" : "");
        assert_int_equal(number(1, "dispatches"), 1);
        assert_string_equal(at(1, "copies"), "0");
    }
}

static void
is_path(struct pp_session *session, pp_label_id label, const char *want)
{
    char path[1024];
    pp_session_label_path(session, label, path, sizeof(path));
    if (strcmp(path, want) != 0)
        exit(3);
}

static void
paths_inside(void)
{
    struct pp_session *session = pp_session_get();
    pp_label_id region = pp_session_label(session, 0, "region");
    pp_label_id outer = pp_session_label(session, region, "outer");
    pp_label_id inner = pp_session_label(session, pp_session_label(session, region, "a"), "b");
    pp_label_id other = pp_session_label(session, 0, "a");
    is_path(session, pp_session_label_join(session, outer, inner, 0), "region/outer/region/a/b");
    is_path(session, pp_session_label_join(session, outer, inner, region), "region/outer/a/b");
    is_path(session, pp_session_label_join(session, outer, other, region), "region/outer/a");
    is_path(session, pp_session_label_join(session, other, inner, region), "a/region/a/b");
    is_path(session, pp_session_label_join(session, outer, region, region), "region/outer");
    is_path(session, pp_session_label_join(session, other, other, 0), "a/a");
    is_path(session, pp_session_label_join(session, outer, 0, 0), "region/outer");
    is_path(session, pp_session_label_join(session, 0, inner, region), "region/a/b");
    /* Regions are closed that were opened in another context: the same number of outer names is left out. */
    pp_label_id up = pp_session_label_outside(session, region);
    is_path(session, pp_session_label_join(session, outer, up, region), "region");
    is_path(session, pp_session_label_join(session, 0, up, region), "region");
    is_path(session, pp_session_label_join(session, inner, pp_session_label(session, up, "c"), region),
            "region/a/c");
    up = pp_session_label_outside(session, up);
    is_path(session, pp_session_label_join(session, inner, pp_session_label(session, up, "c"), region),
            "region/c");
    is_path(session, pp_session_label_join(session, other, pp_session_label_outside(session, 0), 0), "");
    /* More labels than a path can hold: the innermost labels remain. */
    pp_label_id deep = 0;
    for (int i = 0; i < 100; i++)
        deep = pp_session_label(session, deep, i == 36 ? "x" : "");
    char want[1024] = "region/x";
    for (int i = 0; i < 62; i++)
        strcat(want, "/(no name)");
    is_path(session, pp_session_label_parent(session, pp_session_label_join(session, region, deep, 0)), want);
    /* Names may contain the separator of paths. */
    is_path(session, pp_session_label(session, region, "a/b\\"), "region/a\\/b\\\\");
}

static void
paths_join(void **state)
{
    const char *env[] = {"PASSPROBE_OUTPUT", "join", NULL};
    (void)state;
    assert_int_equal(in_child(paths_inside, env), 0);
}

static void
many_labels(void)
{
    struct fake_frontend fake;
    char label[32];
    fake_frontend_start(&fake);
    for (int i = 0; i < 70000; i++) {
        snprintf(label, sizeof(label), "mark %d", i);
        pp_annotate_mark(label);
    }
    pp_label_id region = pp_session_label(fake.session, 0, "A");
    pp_label_id last = region;
    for (int i = 0; i < 70000; i++) {
        snprintf(label, sizeof(label), "frame %d", i);
        last = pp_session_label(fake.session, region, label);
        pp_label_id inside = pp_session_label(fake.session, last, "inside");
        if (pp_session_label_parent(fake.session, inside) != last ||
            pp_session_label_parent(fake.session, last) != region)
            exit(4);
    }
    if (pp_label_kept(last) != region)
        exit(5);
    if (pp_log_count(PP_ID_LABELS) == 0 || !strstr(pp_log_text(PP_ID_LABELS), "65536"))
        exit(3);
    is_path(fake.session, pp_session_label_join(fake.session, last, last, 0), "A");
    pp_track_label(&fake.tracker, last);
    fake_frontend_draw(&fake, 1, 2, 3, 1000);
    fake_frontend_swap(&fake);
}

/* Labels that never repeat fill the table. passprobe reports this, and the actions count for the regions
 * around them. */
static void
the_label_limit_is_reported(void **state)
{
    (void)state;
    const char *env[] = {"PASSPROBE_OUTPUT", "full", "PASSPROBE_LEVEL", "draw", NULL};
    assert_int_equal(in_child(many_labels, env), 0);
    read_table("full/passes.csv");
    assert_int_equal(table.rows, 2);
    assert_string_equal(at(0, "label"), "A");
    read_table("full/draws.csv");
    assert_int_equal(table.rows, 3);
    assert_string_equal(at(0, "label"), "A");
    read_table("full/labels.csv");
    assert_int_equal(table.rows, 2);
    assert_string_equal(at(0, "label"), "A");
    assert_int_equal(number(0, "draws"), 2);
}

static _Thread_local bool memory_is_short; /* not in the collector */

/* The linker puts these functions in front of the C library's (--wrap). */
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);

void *
__wrap_malloc(size_t size)
{
    return memory_is_short ? NULL : __real_malloc(size);
}

static void
names_without_memory(void)
{
    struct fake_frontend fake;
    fake_frontend_start(&fake);
    pp_label_id region = pp_session_label(fake.session, 0, "A");
    memory_is_short = true;
    pp_label_id inside = pp_session_label(fake.session, region, "no memory");
    pp_annotate_set("counter without memory", 1);
    memory_is_short = false;
    if (pp_label_kept(inside) != region || pp_session_label_parent(fake.session, inside) != region)
        exit(3);
    if (pp_log_count(PP_ID_LABELS) != 0 || pp_log_count(PP_ID_APP_COUNTERS) != 0)
        exit(4);
    if (pp_log_count(PP_ID_NAME_MEMORY) != 2 || !strstr(pp_log_text(PP_ID_NAME_MEMORY), "no memory"))
        exit(5);
    if (pp_session_label(fake.session, region, "memory again") <= region)
        exit(6);
}

/* A name without memory is not reported as one of too many names. */
static void
missing_memory_is_reported(void **state)
{
    (void)state;
    const char *env[] = {"PASSPROBE_OUTPUT", "short", NULL};
    assert_int_equal(in_child(names_without_memory, env), 0);
}

/* What is left of a label: @p letters letters, then a sign of four bytes that does not fit. */
static int
is_cut_whole(struct pp_session *session, size_t letters)
{
    static const char sign[] = "\xF0\x9F\x8E\xAE and more";
    char text[512];
    char path[512];
    memset(text, 'x', letters);
    memcpy(text + letters, sign, sizeof(sign));
    pp_session_label_path(session, pp_session_label(session, 0, text), path, sizeof(path));
    text[letters] = '\0';
    return strcmp(path, text) == 0;
}

static void
long_label(void)
{
    for (size_t letters = 252; letters <= 255; letters++)
        if (!is_cut_whole(pp_session_get(), letters))
            exit(3);
}

static void
labels_are_cut_between_letters(void **state)
{
    const char *env[] = {"PASSPROBE_OUTPUT", "cut", NULL};
    (void)state;
    assert_int_equal(in_child(long_label, env), 0);
}

/* Two threads end a frame: the thread that read the clock first comes second. */
int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regions_nest),
        cmocka_unit_test(regions_share_passes),
        cmocka_unit_test(paths_join),
        cmocka_unit_test(the_label_limit_is_reported),
        cmocka_unit_test(missing_memory_is_reported),
        cmocka_unit_test(labels_are_cut_between_letters),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}

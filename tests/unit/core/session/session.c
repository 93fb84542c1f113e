/** @file
 * The whole engine with a fake front end: the files have the values that went in. Each case runs in a child
 * process, because a process has one session. */
#include "tests/lib/cmocka_test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/engine/clock.h"
#include "core/engine/session_private.h"
#include "core/util/log.h"
#include "tests/fake/frontend.h"
#include "tests/lib/session_json.h"
#include "tests/unit/core/session/session_child.h"

static void
three_frames(void)
{
    struct fake_frontend fake;
    fake_frontend_start(&fake);
    for (int i = 0; i < 3; i++) {
        fake_frontend_draw(&fake, 1, 2, 3, 1000);
        pp_track_end(&fake.tracker);
        fake.now.ticks += 500; /* a gap */
        fake_frontend_dispatch(&fake, 4, 64, 2000);
        fake_frontend_draw(&fake, 2, 1, 6, 300);
        fake_frontend_swap(&fake);
    }
}

static void
rows_have_the_recorded_values(void **state)
{
    (void)state;
    const char *env[] = {"PASSPROBE_OUTPUT", "exact", "PASSPROBE_TAG", "build=12,scene=a \"b\"", NULL};
    assert_int_equal(in_child(three_frames, env), 0);
    assert_string_equal(session_json_text("exact/session.json", "build"), "12");
    assert_string_equal(session_json_text("exact/session.json", "scene"), "a \\\"b\\\"");
    assert_string_equal(session_json_name("exact/session.json", "devices", 0), "Fake \\\"GPU\\\", rev. 1");
    read_table("exact/frames.csv");
    assert_int_equal(table.rows, 4);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(number(i, "frame"), i);
        assert_int_equal(number(i, "device"), 0);
        assert_int_equal(number(i, "surface"), 0);
        assert_string_equal(at(i, "level"), "pass");
        assert_int_equal(number(i, "gpu_time_ns"), 4800);
        assert_int_equal(number(i, "gpu_busy_ns"), 4300);
        assert_int_equal(number(i, "gpu_wait_ns"), 500);
        assert_int_equal(number(i, "frame_time_ns"), 4810);
        assert_int_equal(number(i, "cpu_busy_ns"), 4800);
        assert_int_equal(number(i, "cpu_wait_ns"), 10);
        assert_int_equal(number(i, "passes"), 3);
        assert_int_equal(number(i, "draws"), 3);
        assert_int_equal(number(i, "dispatches"), 4);
        assert_int_equal(number(i, "pipeline:input_assembly_vertices"), 12);
        assert_int_equal(number(i, "pipeline:compute_shader_invocations"), 256);
        assert_string_equal(at(i, "pipeline:vertex_shader_invocations"), "");
        assert_string_equal(at(i, "bound_by"), "gpu");
    }
    read_table("exact/passes.csv");
    assert_int_equal(table.rows, 10);
    char id[3][32];
    for (unsigned i = 0; i < 9; i++) {
        static const uint64_t time[] = {2000, 2000, 300};
        static const uint64_t vertices[] = {6, 0, 6};
        static const char *const kind[] = {"render", "compute", "render"};
        assert_int_equal(number(i, "frame"), i / 3);
        assert_int_equal(number(i, "pass"), i % 3);
        assert_int_equal(number(i, "gpu_time_ns"), time[i % 3]);
        assert_int_equal(number(i, "pipeline:input_assembly_vertices"), vertices[i % 3]);
        assert_string_equal(at(i, "kind"), kind[i % 3]);
        if (i < 3)
            snprintf(id[i], sizeof(id[i]), "%s", at(i, "pass_id"));
        else
            assert_string_equal(at(i, "pass_id"), id[i % 3]);
    }
    assert_string_not_equal(id[0], id[2]); /* two render targets of the same size and formats */
    assert_string_equal(at(0, "attachments"), "color0=RGBA8");
    assert_string_equal(at(0, "queue"), "fake 0");
}

static void
draws_add_up(void **state)
{
    (void)state;
    char id[64];
    const char *env[] = {"PASSPROBE_OUTPUT", "draws", "PASSPROBE_LEVEL", "draw", NULL};
    assert_int_equal(in_child(three_frames, env), 0);
    snprintf(id, sizeof(id), "%s", session_json_text("draws/session.json", "session_id"));
    assert_int_equal(strspn(id, "0123456789abcdef"), 32);
    assert_int_equal(strlen(id), 32);
    assert_string_not_equal(session_json_text("exact/session.json", "session_id"), id);
    read_table("draws/draws.csv");
    assert_int_equal(table.rows, 10);
    assert_int_equal(number(0, "gpu_time_ns"), 1000);
    assert_int_equal(number(2, "pipeline:input_assembly_vertices"), 6);
    assert_int_equal(number(2, "vertices"), 6);
    assert_string_equal(at(0, "call"), "fakeDraw");
    assert_string_equal(at(0, "draw_id"), at(3, "draw_id"));
    assert_string_not_equal(at(0, "draw_id"), at(1, "draw_id"));
}

static void
a_long_frame(void)
{
    struct fake_frontend fake;
    fake_frontend_start(&fake);
    for (int i = 0; i < 200; i++)
        fake_frontend_draw(&fake, (uint64_t)i, 1, 1, 10); /* 200 passes: several batches */
    fake_frontend_draw(&fake, 1000, 300, 1, 10);          /* and one pass that spans several batches */
    fake_frontend_swap(&fake);
}

static void
parts_of_a_pass_become_one_row(void **state)
{
    (void)state;
    const char *env[] = {"PASSPROBE_OUTPUT", "long", "PASSPROBE_LEVEL", "draw", NULL};
    assert_int_equal(in_child(a_long_frame, env), 0);
    read_table("long/passes.csv");
    assert_int_equal(table.rows, 202);
    assert_int_equal(number(200, "draws"), 300);
    assert_int_equal(number(200, "gpu_time_ns"), 3000);
    assert_int_equal(number(200, "pipeline:input_assembly_vertices"), 300);
    read_table("long/frames.csv");
    assert_int_equal(number(0, "passes"), 201);
    assert_int_equal(number(0, "draws"), 500);
}

/* Frame i: a pass over several batches, all of which ran by themselves, except batch i - 1. */
static void
isolated_in_parts(void)
{
    struct fake_frontend fake;
    fake_frontend_start(&fake);
    for (unsigned i = 0; i < 4; i++) {
        const struct pp_batch *batch = NULL;
        unsigned parts = 0;
        for (unsigned draws = 0; draws < 300; draws++) {
            fake_frontend_draw(&fake, 1, 1, 3, 10);
            parts += fake.batch != batch;
            batch = fake.batch;
            fake.batch->isolated = parts == i ? PP_ISOLATED_NOTHING : PP_ISOLATED_PASSES;
        }
        if (parts != 3)
            exit(4);
        fake_frontend_swap(&fake);
    }
}

static void
a_pass_is_isolated_if_all_parts_are(void **state)
{
    (void)state;
    const char *env[] = {
        "PASSPROBE_OUTPUT", "parts", "PASSPROBE_LEVEL", "draw", "PASSPROBE_SERIALIZE", "1", NULL};
    assert_int_equal(in_child(isolated_in_parts, env), 0);
    read_table("parts/passes.csv");
    assert_int_equal(table.rows, 5);
    for (unsigned i = 0; i < 4; i++)
        assert_string_equal(at(i, "serialize:isolated"), i == 0 ? "1" : "0");
}

/* Two passes of two draws: the first pass and the last draw overlapped with other actions. */
static void
isolated_in_part(void)
{
    struct fake_frontend fake;
    fake_frontend_start(&fake);
    fake_frontend_draw(&fake, 1, 2, 3, 10);
    fake_frontend_draw(&fake, 2, 2, 3, 10);
    struct pp_action_list *action_list = &fake.batch->action_list;
    if (action_list->passes != 2 || action_list->actions != 4)
        exit(4);
    fake.batch->isolated = PP_ISOLATED_ALL;
    action_list->pass[0].flags |= PP_PASS_OVERLAPPED;
    action_list->action[3].overlapped = 1;
    fake_frontend_swap(&fake);
}

/* Passes are serialized, their draws overlap: a draw is isolated if its pass has no other action, recorded or
 * not.
 */
static void
isolated_passes(void)
{
    struct fake_frontend fake;
    fake_frontend_start(&fake);
    fake_frontend_draw(&fake, 1, 1, 3, 10);
    fake_frontend_draw(&fake, 2, 1, 3, 10);
    fake_frontend_draw(&fake, 3, 2, 3, 10);
    struct pp_action_list *action_list = &fake.batch->action_list;
    if (action_list->passes != 3 || action_list->actions != 4)
        exit(4);
    fake.batch->isolated = PP_ISOLATED_PASSES;
    action_list->pass[1].copies = 1; /* actions without a row */
    fake_frontend_swap(&fake);
}

static void
draws_of_an_isolated_pass_are_not_isolated(void **state)
{
    (void)state;
    const char *env[] = {
        "PASSPROBE_OUTPUT", "alone", "PASSPROBE_LEVEL", "draw", "PASSPROBE_SERIALIZE", "1", NULL};
    assert_int_equal(in_child(isolated_passes, env), 0);
    read_table("alone/passes.csv");
    for (unsigned i = 0; i < 3; i++)
        assert_string_equal(at(i, "serialize:isolated"), "1");
    read_table("alone/draws.csv");
    for (unsigned i = 0; i < 4; i++)
        assert_string_equal(at(i, "serialize:isolated"), i == 0 ? "1" : "0");
}

/* The column is missing in files whose rows are sums. */
static void
has_no_column(const char *path, const char *name)
{
    read_table(path);
    for (unsigned c = 0; c < table.columns; c++)
        assert_string_not_equal(table.cell[0][c], name);
}

static void
each_row_says_whether_it_is_isolated(void **state)
{
    (void)state;
    const char *env[] = {
        "PASSPROBE_OUTPUT", "rows", "PASSPROBE_LEVEL", "draw", "PASSPROBE_SERIALIZE", "1", NULL};
    assert_int_equal(in_child(isolated_in_part, env), 0);
    read_table("rows/passes.csv");
    for (unsigned i = 0; i < 2; i++)
        assert_string_equal(at(i, "serialize:isolated"), i == 0 ? "0" : "1");
    read_table("rows/draws.csv");
    for (unsigned i = 0; i < 4; i++)
        assert_string_equal(at(i, "serialize:isolated"), i == 3 ? "0" : "1");
    has_no_column("rows/frames.csv", "serialize:isolated");
    has_no_column("rows/labels.csv", "serialize:isolated");
}

/* Frame 0: the actions ran one by one, with idle time between them. Frame 1: they ran together. Frame 2: one
 * of them was overlapped. Frame 3: the pass has an action without a row. */
static void
gaps_between_actions(void)
{
    struct fake_frontend fake;
    fake_frontend_start(&fake);
    for (int i = 0; i < 4; i++) {
        for (int draw = 0; draw < 3; draw++) {
            fake_frontend_draw(&fake, 1, 1, 3, 1000);
            fake.now.ticks += 500;
        }
        fake.batch->isolated = i == 1 ? PP_ISOLATED_PASSES : PP_ISOLATED_ALL;
        fake.batch->action_list.action[1].overlapped = i == 2;
        fake.batch->action_list.pass[0].copies = i == 3;
        fake_frontend_swap(&fake);
    }
}

static void
gaps_between_isolated_actions_do_not_count(void **state)
{
    (void)state;
    const char *env[] = {
        "PASSPROBE_OUTPUT", "gaps", "PASSPROBE_LEVEL", "draw", "PASSPROBE_SERIALIZE", "1", NULL};
    assert_int_equal(in_child(gaps_between_actions, env), 0);
    read_table("gaps/passes.csv");
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(number(i, "gpu_time_ns"), i == 0 ? 3000 : 4500);
    read_table("gaps/frames.csv");
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(number(i, "gpu_time_ns"), i == 0 ? 4000 : 4500);
        assert_int_equal(number(i, "gpu_busy_ns"), i == 0 ? 3000 : 4500);
    }
}

static void
window(void)
{
    struct fake_frontend fake;
    fake_frontend_start(&fake);
    for (int i = 0; i < 12; i++) {
        fake_frontend_draw(&fake, 1, 2, 3, 1000);
        fake_frontend_swap(&fake);
    }
}

static void
windows_choose_levels(void **state)
{
    (void)state;
    const char *env[] = {
        "PASSPROBE_OUTPUT", "window", "PASSPROBE_FRAMES", "3-9", "PASSPROBE_EVERY", "2", NULL};
    assert_int_equal(in_child(window, env), 0);
    read_table("window/frames.csv");
    assert_int_equal(table.rows, 13);
    for (unsigned i = 0; i < 12; i++) {
        int fine = i >= 3 && i <= 9 && (i - 3) % 2 == 0;
        assert_string_equal(at(i, "level"), fine ? "pass" : "frame");
        assert_int_equal(number(i, "gpu_time_ns"), 2000);
        assert_int_equal(number(i, "draws"), 2);
        if (!fine) {
            assert_string_equal(at(i, "gpu_busy_ns"), "");
            assert_string_equal(at(i, "passes"), "");
        }
    }
    read_table("window/passes.csv");
    assert_int_equal(table.rows, 5);
}

static void
absurd_times(void)
{
    struct fake_frontend fake;
    fake_frontend_start(&fake);
    fake_frontend_draw(&fake, 1, 1, 3, 1000);
    fake.batch->cpu_issued_ns = 0;
    /* The value of llvmpipe's first elapsed time: an absolute clock. */
    uint64_t absurd = fake.now.ticks + 3600000000000ULL;
    pp_track_end(&fake.tracker);
    memcpy(pp_batch_row(fake.batch, 0, 1), &absurd, sizeof(absurd));
    fake.batch->cpu_issued_ns = fake.frame_start_ns;
    fake_frontend_swap(&fake);
    fake.status = PP_LOST;
    fake_frontend_draw(&fake, 1, 1, 3, 1000);
    fake_frontend_swap(&fake);
}

/* Every word has a senseless value: no cell has a number that a signed reader takes for a negative one. */
static void
garbage_words(void)
{
    struct fake_frontend fake;
    const uint64_t garbage[] = {UINT64_MAX - 5, (UINT64_C(1) << 63) + 999, (UINT64_C(1) << 63) + 12345};
    fake_frontend_start(&fake);
    for (unsigned i = 0; i < 3; i++) {
        fake_frontend_draw(&fake, 1, 1, 3, 1000);
        fake.batch->cpu_issued_ns = 0; /* no known time contradicts */
        pp_track_end(&fake.tracker);
        for (uint32_t bracket = 0; bracket < fake.batch->action_list.brackets; bracket++) {
            memcpy(pp_batch_row(fake.batch, bracket, 0), &(uint64_t){7}, sizeof(uint64_t));
            for (unsigned word = 0; word < 3; word++)
                memcpy(pp_batch_row(fake.batch, bracket, 1) + 8 * word, &garbage[i], sizeof(garbage[i]));
        }
        fake_frontend_swap(&fake);
    }
}

/* Frames of 5 ms: 0 (no action: a library clears the window), 1 (loading) and 3. */
static void
slow_frames(void)
{
    struct fake_frontend fake;
    fake_frontend_start(&fake);
    for (int i = 0; i < 14; i++) {
        if (i == 0 || i == 1 || i == 3)
            fake.now.ticks += 5000000;
        if (i > 0)
            fake_frontend_draw(&fake, 1, 2, 3, 1000);
        fake_frontend_swap(&fake);
    }
}

static void
slow_frames_of_loading_do_not_count(void **state)
{
    (void)state;
    const char *env[] = {"PASSPROBE_OUTPUT", "slow", "PASSPROBE_SLOWER_THAN", "1", NULL};
    assert_int_equal(in_child(slow_frames, env), 0);
    read_table("slow/frames.csv");
    assert_int_equal(table.rows, 15);
    for (unsigned i = 0; i < 14; i++)
        assert_string_equal(at(i, "level"), i >= 4 && i < 12 ? "pass" : "frame");
}

static void
senseless_times_are_empty(void **state)
{
    static const char *const file[] = {"garbage/frames.csv", "garbage/passes.csv", "garbage/draws.csv",
                                       "garbage/labels.csv"};
    (void)state;
    const char *env[] = {"PASSPROBE_OUTPUT", "garbage", "PASSPROBE_LEVEL", "draw", NULL};
    assert_int_equal(in_child(garbage_words, env), 0);
    for (unsigned f = 0; f < 4; f++) {
        read_table(file[f]);
        for (unsigned row = 1; row < table.rows; row++)
            for (unsigned c = 0; c < table.columns; c++)
                if (!strstr(table.cell[0][c], "_id") &&
                    strspn(table.cell[row][c], "0123456789") == strlen(table.cell[row][c]))
                    assert_true(strtoull(table.cell[row][c], NULL, 10) <= INT64_MAX);
    }
    read_table("garbage/draws.csv");
    assert_int_equal(table.rows, 1 + 3);
    for (unsigned i = 0; i < 3; i++) {
        assert_string_equal(at(i, "gpu_time_ns"), "");
        assert_string_equal(at(i, "pipeline:input_assembly_vertices"), "");
    }
    assert_true(session_json_number("garbage/session.json", "dropped", "times_rejected") > 0);
    assert_true(session_json_number("garbage/session.json", "dropped", "counters_rejected") > 0);
}

static void
impossible_times_are_empty(void **state)
{
    (void)state;
    const char *env[] = {"PASSPROBE_OUTPUT", "absurd", NULL};
    assert_int_equal(in_child(absurd_times, env), 0);
    read_table("absurd/passes.csv");
    assert_string_equal(at(0, "gpu_time_ns"), "");
    assert_int_equal(number(0, "pipeline:input_assembly_vertices"), 3);
    assert_string_equal(at(1, "gpu_time_ns"), "");
    assert_string_equal(at(1, "pipeline:input_assembly_vertices"), "");
    read_table("absurd/frames.csv");
    assert_int_equal(table.rows, 3);
    assert_string_equal(at(0, "gpu_time_ns"), "");
    assert_string_equal(at(0, "bound_by"), "");
}

static void
leftovers(void)
{
    struct fake_frontend fake;
    fake_frontend_start(&fake);
    fake_frontend_draw(&fake, 1, 2, 3, 1000);
    fake_frontend_swap(&fake);
    fake_frontend_draw(&fake, 1, 1, 5, 1000);
    fake_frontend_flush(&fake); /* actions after the last frame */
}

static void
actions_without_a_frame_have_rows(void **state)
{
    (void)state;
    const char *env[] = {"PASSPROBE_OUTPUT", "left", NULL};
    assert_int_equal(in_child(leftovers, env), 0);
    read_table("left/frames.csv");
    assert_int_equal(table.rows, 2);
    read_table("left/passes.csv");
    assert_int_equal(table.rows, 3);
    assert_string_equal(at(1, "frame"), "");
    assert_int_equal(number(1, "pipeline:input_assembly_vertices"), 5);
}

static unsigned
threads_of_self(void)
{
    unsigned count = 0;
    DIR *dir = opendir("/proc/self/task");
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir))
        count += entry->d_name[0] != '.';
    closedir(dir);
    return count;
}

static void
stays_off(void)
{
    unsigned before = threads_of_self();
    if (pp_session_get() || threads_of_self() != before || access("off", F_OK) == 0)
        exit(3);
}

static void
disabled_or_misconfigured_writes_nothing(void **state)
{
    (void)state;
    const char *off[] = {"PASSPROBE_OUTPUT", "off", "PASSPROBE_DISABLE", "1", NULL};
    const char *wrong[] = {"PASSPROBE_OUTPUT", "off", "PASSPROBE_LEVLE", "pass", NULL};
    assert_int_equal(in_child(stays_off, off), 0);
    assert_int_equal(in_child(stays_off, wrong), 0);
}

static void
unwritable(void)
{
    struct fake_frontend fake;
    struct pp_session *session = pp_session_get();
    if (!session || fake_frontend_init(&fake, session, "w") == 0 || pp_session_get())
        exit(3);
}

static void
unwritable_output_is_reported_once(void **state)
{
    (void)state;
    const char *env[] = {"PASSPROBE_OUTPUT", "/proc/passprobe", NULL};
    assert_int_equal(in_child(unwritable, env), 0);
}

/* The collector's thread does not exist in a forked child; LeakSanitizer would report what it held as a leak
 * at exit. */
static bool in_forked_child;
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);

int
__lsan_is_turned_off(void)
{
    return in_forked_child;
}

static void
forks(void)
{
    struct fake_frontend fake;
    fake_frontend_start(&fake);
    fake_frontend_draw(&fake, 1, 2, 3, 1000);
    fake_frontend_swap(&fake);
    pid_t pid = fork();
    if (pid == 0) {
        in_forked_child = true;
        if (pp_session_get() || pp_session_active(fake.session))
            _exit(3);
        exit(0); /* runs passprobe's destructor in the child */
    }
    int status = 0;
    waitpid(pid, &status, 0);
    if (status)
        exit(4);
    fake_frontend_draw(&fake, 1, 2, 3, 1000);
    fake_frontend_swap(&fake);
}

static void
fork_child_is_off(void **state)
{
    (void)state;
    const char *env[] = {"PASSPROBE_OUTPUT", "fork", NULL};
    assert_int_equal(in_child(forks, env), 0);
    read_table("fork/frames.csv");
    assert_int_equal(table.rows, 3);
}

static void
dies(void)
{
    struct fake_frontend fake;
    fake_frontend_start(&fake);
    for (int i = 0; i < 400; i++) {
        fake_frontend_draw(&fake, 1, 2, 3, 1000);
        fake_frontend_swap(&fake);
        usleep(3000);
    }
    raise(SIGKILL);
}

static void
killed_files_are_valid(void **state)
{
    (void)state;
    const char *env[] = {"PASSPROBE_OUTPUT", "killed", NULL};
    int status = in_child(dies, env);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    read_table("killed/frames.csv");
    assert_true(table.rows > 50); /* 400 frames in 1.2 s; the last second may be missing */
    for (unsigned i = 0; i + 1 < table.rows; i++)
        assert_int_equal(number(i, "frame"), i);
    struct stat st;
    assert_int_equal(stat("killed/session.json", &st), 0);
    assert_true(st.st_size > 100);
}

static void
draws_a_frame(void)
{
    struct fake_frontend fake;
    fake_frontend_start(&fake);
    for (int i = 0; i < 3; i++) {
        fake_frontend_draw(&fake, 1, 2, 3, 1000);
        fake_frontend_swap(&fake);
    }
}

static void
draws_no_frame(void)
{
    struct fake_frontend fake;
    if (!fake_frontend_start(&fake))
        exit(3);
}

/* Without the command: a process without a frame moves no session; one with frames moves it aside. */
static void
an_older_session_keeps_its_place_until_there_is_a_frame(void **state)
{
    (void)state;
    const char *env[] = {"PASSPROBE_OUTPUT", "again", NULL};
    struct stat first;
    struct stat now;
    assert_int_equal(in_child(draws_a_frame, env), 0);
    assert_int_equal(stat("again/frames.csv", &first), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(in_child(draws_no_frame, env), 0);
        assert_int_equal(stat("again/frames.csv", &now), 0);
        assert_true(now.st_ino == first.st_ino);
        assert_int_not_equal(access("again.old", F_OK), 0);
        assert_int_not_equal(access("again.new", F_OK), 0);
    }
    assert_int_equal(in_child(draws_a_frame, env), 0);
    assert_int_equal(stat("again.old/frames.csv", &now), 0);
    assert_true(now.st_ino == first.st_ino);
    assert_int_not_equal(access("again.new", F_OK), 0);
    read_table("again/frames.csv");
    assert_int_equal(table.rows, 4); /* with the header */
}

static void
too_big(void)
{
    struct fake_frontend fake;
    fake_frontend_start(&fake);
    for (int i = 0; i < 20000 && pp_session_active(fake.session); i++) {
        fake_frontend_draw(&fake, 1, 2, 3, 1000);
        fake_frontend_swap(&fake);
        if (i % 100 == 0)
            usleep(1000);
    }
    for (int i = 0; i < 200 && pp_session_active(fake.session); i++)
        usleep(10000);
    if (pp_session_active(fake.session))
        exit(3);
}

static void
size_limit_stops(void **state)
{
    (void)state;
    struct stat frames;
    struct stat passes;
    struct stat labels;
    struct stat json;
    const char *env[] = {"PASSPROBE_OUTPUT", "big", "PASSPROBE_MAX_SIZE", "300K", NULL};
    assert_int_equal(in_child(too_big, env), 0);
    assert_int_equal(stat("big/frames.csv", &frames), 0);
    assert_int_equal(stat("big/passes.csv", &passes), 0);
    assert_int_equal(stat("big/labels.csv", &labels), 0);
    assert_int_equal(stat("big/session.json", &json), 0);
    /* at most the limit, and at least the limit less a frame and the growth of session.json */
    assert_in_range(frames.st_size + passes.st_size + labels.st_size + json.st_size, 296 << 10, 300 << 10);
}

static void *
one_window(void *arg)
{
    struct fake_frontend fake;
    if (fake_frontend_init(&fake, pp_session_get(), arg))
        return arg;
    for (int i = 0; i < 50; i++) {
        char label[16];
        snprintf(label, sizeof(label), "l%d", i % 7);
        pp_track_label(&fake.tracker, pp_session_label(fake.session, 0, label));
        fake_frontend_draw(&fake, 1, 2, 3, 100);
        fake_frontend_swap(&fake);
    }
    pp_timeline_destroy(fake.timeline);
    return NULL;
}

static void
several_windows(void)
{
    pthread_t thread[4];
    static char name[4][2] = {"a", "b", "c", "d"};
    for (int i = 0; i < 4; i++)
        if (pthread_create(&thread[i], NULL, one_window, name[i]))
            exit(3);
    for (int i = 0; i < 4; i++) {
        void *failed = NULL;
        pthread_join(thread[i], &failed);
        if (failed)
            exit(4);
    }
}

static void
windows_do_not_mix(void **state)
{
    (void)state;
    unsigned count[4] = {0};
    const char *env[] = {"PASSPROBE_OUTPUT", "windows", NULL};
    assert_int_equal(in_child(several_windows, env), 0);
    read_table("windows/frames.csv");
    assert_int_equal(table.rows, 201);
    for (unsigned i = 0; i < 200; i++) {
        count[*surface_of("windows", i) - 'a']++;
        assert_int_equal(number(i, "pipeline:input_assembly_vertices"), 6);
    }
    for (int i = 0; i < 4; i++)
        assert_int_equal(count[i], 50);
}

static void
ends_out_of_turn(void)
{
    struct fake_frontend fake;
    if (fake_frontend_init(&fake, pp_session_get(), "window"))
        exit(3);
    uint64_t now = pp_now_ns();
    const struct pp_frame_times second = {.present_begin_ns = now + 50, .present_end_ns = now + 100};
    const struct pp_frame_times first = {.present_begin_ns = now, .present_end_ns = now + 90};
    pp_timeline_end_frame(fake.timeline, &second);
    pp_timeline_end_frame(fake.timeline, &first);
    pp_timeline_destroy(fake.timeline);
}

static void
time_runs_forward(void **state)
{
    const char *env[] = {"PASSPROBE_OUTPUT", "turn", NULL};
    (void)state;
    assert_int_equal(in_child(ends_out_of_turn, env), 0);
    read_table("turn/frames.csv");
    assert_string_equal(at(1, "frame_time_ns"), "0");
    assert_string_equal(at(1, "cpu_busy_ns"), "0");
    assert_string_equal(at(1, "cpu_wait_ns"), "0");
}

/* The reader of stderr has closed its end. SIGPIPE ends applications that do not handle it. */
static void
complain_into_nothing(void)
{
    int end[2];
    sigset_t queued;
    if (pipe(end) || dup2(end[1], STDERR_FILENO) < 0)
        exit(3);
    close(end[0]);
    close(end[1]);
    signal(SIGPIPE, SIG_DFL);
    pp_log(PP_MSG_FULL, "nobody reads this");
    sigemptyset(&queued);
    exit(sigpending(&queued) || sigismember(&queued, SIGPIPE) ? 4 : 0);
}

static void
broken_stderr_is_survived(void **state)
{
    const char *env[] = {NULL};
    (void)state;
    assert_int_equal(in_child(complain_into_nothing, env), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_have_the_recorded_values),
        cmocka_unit_test(draws_add_up),
        cmocka_unit_test(parts_of_a_pass_become_one_row),
        cmocka_unit_test(a_pass_is_isolated_if_all_parts_are),
        cmocka_unit_test(each_row_says_whether_it_is_isolated),
        cmocka_unit_test(gaps_between_isolated_actions_do_not_count),
        cmocka_unit_test(draws_of_an_isolated_pass_are_not_isolated),
        cmocka_unit_test(windows_choose_levels),
        cmocka_unit_test(slow_frames_of_loading_do_not_count),
        cmocka_unit_test(impossible_times_are_empty),
        cmocka_unit_test(senseless_times_are_empty),
        cmocka_unit_test(actions_without_a_frame_have_rows),
        cmocka_unit_test(disabled_or_misconfigured_writes_nothing),
        cmocka_unit_test(unwritable_output_is_reported_once),
        cmocka_unit_test(fork_child_is_off),
        cmocka_unit_test(killed_files_are_valid),
        cmocka_unit_test(an_older_session_keeps_its_place_until_there_is_a_frame),
        cmocka_unit_test(size_limit_stops),
        cmocka_unit_test(windows_do_not_mix),
        cmocka_unit_test(time_runs_forward),
        cmocka_unit_test(broken_stderr_is_survived),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}

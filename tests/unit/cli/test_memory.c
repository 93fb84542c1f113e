/** @file
 * Reads a session back, exports it, and merges sessions, while memory runs out: each allocation fails once,
 * one after the other. All must free what they have and report the error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/export/export_format.h"
#include "cli/export/export_session.h"
#include "cli/export/export_viewer.h"
#include "cli/merge/merge_run.h"
#include "cli/session/saved_session.h"
#include "cli/session/session_shown.h"

/* The allocation that fails, counted down; 0: none. */
static unsigned left;

/* Does this allocation fail? */
static bool
fails(void)
{
    return left && --left == 0;
}

/* The linker uses these functions instead of the C library's. */
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__real_reallocarray(void *old, size_t count, size_t size);
void *__wrap_reallocarray(void *old, size_t count, size_t size);
char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);

void *
__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *
__wrap_realloc(void *old, size_t size)
{
    return fails() ? NULL : __real_realloc(old, size);
}

void *
__wrap_reallocarray(void *old, size_t count, size_t size)
{
    return fails() ? NULL : __real_reallocarray(old, count, size);
}

char *
__wrap_strdup(const char *text)
{
    return fails() ? NULL : __real_strdup(text);
}

/* @return Whether all of it was read. */
static bool
read_all(void)
{
    static const char frames[] = "frame,api,device,surface,level,frame_time_ns,pipeline:x\r\n"
                                 "0,gl,d,w,draw,100,5\r\n1,gl,d,w,draw,10,\r\n2,gl,d,v,draw,20,7\r\n";
    static const char passes[] = "frame,pass,pass_id,name,gpu_time_ns,metric:m\r\n0,0,a,A,5000,1\r\n"
                                 "1,0,a,A,10,\r\n1,1,b,B,20,2\r\n2,0,c,C,1,3\r\n";
    static const char draws[] = "frame,pass,draw,draw_id,call,vertices,gpu_time_ns\r\n"
                                "0,0,0,x,f,3,1000\r\n1,0,0,x,f,3,7\r\n1,1,1,y,g,,\r\n2,0,0,z,f,3,2\r\n";
    static const char labels[] = "frame,label,gpu_inclusive_ns,gpu_exclusive_ns,passes\r\n0,a,100,100,1\r\n"
                                 "1,a,9,,1\r\n1,a/b,10,10,1\r\n1,c\\/d,10,10,1\r\n";
    struct pp_saved_session rec;
    memset(&rec, 0, sizeof(rec));
    int rc = pp_saved_read_frames(&rec, NULL, frames, strlen(frames));
    rc = rc ? rc : pp_saved_read_draws(&rec, NULL, draws, strlen(draws));
    /* also after an error: the session is read up to that point */
    int passes_rc = pp_saved_read_passes(&rec, NULL, passes, strlen(passes));
    int labels_rc = pp_saved_read_labels(&rec, NULL, labels, strlen(labels));
    bool failed = rc || passes_rc || labels_rc;
    if (failed)
        assert_true(rc == -ENOMEM || passes_rc == -ENOMEM || labels_rc == -ENOMEM);
    pp_saved_show(&rec, PP_SAVED_NO_SURFACE);
    pp_saved_finish(&rec);
    return !failed;
}

static void
every_allocation_may_fail(void **state)
{
    unsigned failures = 0;
    (void)state;
    for (unsigned first = 1;; first++) {
        left = first;
        bool whole = read_all();
        if (left) /* there are fewer allocations */
            break;
        assert_false(whole);
        failures++;
    }
    left = 0;
    assert_true(failures > 40);
    assert_true(read_all());
}

static void
write_file(int dir_fd, const char *name, const char *text)
{
    int fd = openat(dir_fd, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

enum kind { DATABASE, LINES, PRESENTMON, MANGOHUD, KINDS };

/* @param ret_whole Whether all of it was exported. @return The error. */
static int
export_all(int dir_fd, enum kind kind, const char *path, bool *ret_whole)
{
    static const struct pp_export_choice *const choice[KINDS] = {
        &pp_export_as_sqlite, &pp_export_as_jsonl, &pp_export_as_presentmon, &pp_export_as_mangohud};
    const struct pp_viewer_format *viewer = choice[kind]->viewer;
    struct pp_viewer_left_out left_out;
    struct pp_export e;
    char why[512];
    FILE *out = fopen("/dev/null", "w");
    memset(&e, 0, sizeof(e));
    assert_non_null(out);
    write_file(dir_fd, "database", "");
    int rc = 0;
    if (!viewer)
        rc = choice[kind]->create(path, out, &e.format, why, sizeof(why));
    *ret_whole = false;
    if (rc == 0) {
        rc = viewer ? pp_viewer_export(&e, dir_fd, viewer, out, &left_out) : pp_export_session(&e, dir_fd);
        /* what a file lacks is noted in e.rec: a session.json that was not read for want of memory, too */
        *ret_whole = rc == 0 && e.rec.json && !e.rec.frames_error && !e.rec.passes_error;
        pp_export_finish(&e);
        if (e.format)
            e.format->ops->destroy(e.format);
    }
    (void)fclose(out);
    return rc;
}

static void
every_allocation_of_an_export_may_fail(void **state)
{
    char folder[] = "/tmp/passprobe-memory-XXXXXX";
    char path[64];
    (void)state;
    assert_non_null(mkdtemp(folder));
    int dir_fd = open(folder, O_RDONLY | O_DIRECTORY);
    assert_true(dir_fd >= 0);
    snprintf(path, sizeof(path), "%s/database", folder);
    write_file(dir_fd, "session.json", "{\"schema\": 1, \"devices\": [{\"name\": \"d\"}], \"marks\": []}");
    write_file(dir_fd, "frames.csv",
               "frame,api,device,surface,app:a,app:A,x,frame_time_ns,app\r\n0,g\xff,d,w,1,2,\xff,,\r\n"
               "1,g,d,v,3,,z,5,\r\n2,g,d,v,3,,z,5,app\r\n");
    write_file(dir_fd, "passes.csv", "frame,pass,name\r\n0,0,a\r\n1,0,\xfe\r\n");
    for (enum kind kind = 0; kind < KINDS; kind++) {
        unsigned failures = 0;
        bool whole = false;
        for (unsigned first = 1;; first++) {
            left = first;
            int rc = export_all(dir_fd, kind, path, &whole);
            if (left) /* there are fewer allocations */
                break;
            assert_true(rc == 0 || rc == -ENOMEM);
            failures += rc != 0;
        }
        left = 0;
        assert_true(failures > 20);
        assert_int_equal(export_all(dir_fd, kind, path, &whole), 0);
        assert_true(whole);
    }
    static const char *const file[] = {"session.json", "frames.csv", "passes.csv", "database"};
    for (unsigned i = 0; i < 4; i++)
        (void)unlinkat(dir_fd, file[i], 0);
    close(dir_fd);
    assert_int_equal(rmdir(folder), 0);
}

static json_t *
load_session(int dir_fd)
{
    int fd = openat(dir_fd, "session.json", O_RDONLY);
    assert_true(fd >= 0);
    json_t *json = json_loadfd(fd, 0, NULL);
    close(fd);
    assert_non_null(json);
    (void)json_object_del(json, "session_id"); /* each merge has another one */
    return json;
}

/* Merge three sessions, which are one, into a folder. @return What pp_merge() returned. */
static int
merge_all(int dir_fd, int out_fd)
{
    const int runs[] = {dir_fd, dir_fd, dir_fd};
    static const char *const place[] = {NULL, NULL, NULL};
    const struct pp_merge_request request = {
        .dir_fd = runs, .place = place, .runs = 3, .events = "e", .runs_for = "e", .wanted = 3};
    return pp_merge(&request, out_fd);
}

/* Allocations of jansson, which does not call the functions above; and the one that fails, 0: none. */
static unsigned json_calls, json_fails;

static void *
json_memory(size_t size)
{
    return ++json_calls == json_fails ? NULL : malloc(size);
}

/* Merge while each allocation of jansson fails once, but for those that read the sessions: jansson 2.14 has
 * an assertion there. A merge that succeeds must have written all. */
static void
fail_jansson_in_a_merge(int dir_fd, int out_fd)
{
    unsigned failures = 0, calls, first;
    json_set_alloc_funcs(json_memory, free);
    for (int run = 0; run < 3; run++)
        json_decref(load_session(dir_fd));
    first = json_calls + 1;
    json_calls = 0;
    assert_int_equal(merge_all(dir_fd, out_fd), 0);
    calls = json_calls;
    json_t *whole = load_session(out_fd);
    for (unsigned i = first; i <= calls; i++) {
        json_calls = 0;
        json_fails = i;
        int rc = merge_all(dir_fd, out_fd);
        json_fails = 0;
        assert_true(rc == 0 || rc == -ENOMEM);
        failures += rc != 0;
        if (rc == 0) {
            json_t *json = load_session(out_fd);
            assert_true(json_equal(json, whole));
            json_decref(json);
        }
    }
    assert_true(failures > 100);
    json_decref(whole);
    json_set_alloc_funcs(malloc, free);
}

static void
every_allocation_of_a_merge_may_fail(void **state)
{
    static const char *const file[] = {"session.json", "frames.csv", "passes.csv", "draws.csv"};
    char folder[] = "/tmp/passprobe-memory-XXXXXX";
    (void)state;
    assert_non_null(mkdtemp(folder));
    int dir_fd = open(folder, O_RDONLY | O_DIRECTORY);
    assert_true(dir_fd >= 0);
    assert_int_equal(mkdirat(dir_fd, "out", 0700), 0);
    int out_fd = openat(dir_fd, "out", O_RDONLY | O_DIRECTORY);
    assert_true(out_fd >= 0);
    write_file(
        dir_fd, file[0],
        "{\"schema\": 2, \"options\": {\"level\": \"draw\"}, \"devices\": [{\"name\": \"d\", "
        "\"events_got\": [\"khr:v\", \"time:timestamp\"], \"events_missing\": [{\"event\": \"x\", "
        "\"reason\": \"y\"}], \"notes\": [\"n\"]}], \"states\": [\"s\"], \"metrics\": [{\"name\": \"m\"}], "
        "\"empty_cells\": [{\"file\": \"draws.csv\", \"reason\": \"r\", \"columns\": [\"khr:v\"]}], "
        "\"counts\": {\"frames\": 2}}");
    write_file(dir_fd, file[1], "frame,surface,khr:v\r\n0,0,1\r\n1,0,2\r\n");
    write_file(dir_fd, file[2], "frame,pass,pass_id,khr:v\r\n0,0,a,1\r\n1,0,a,2\r\n");
    write_file(dir_fd, file[3], "frame,pass,draw,draw_id,khr:v\r\n0,0,0,x,1\r\n1,0,0,y,\r\n");
    unsigned failures = 0;
    for (unsigned first = 1;; first++) {
        left = first;
        int rc = merge_all(dir_fd, out_fd);
        if (left) /* there are fewer allocations */
            break;
        assert_true(rc == 0 || rc == -ENOMEM);
        failures += rc != 0;
    }
    left = 0;
    assert_true(failures > 20);
    fail_jansson_in_a_merge(dir_fd, out_fd);
    assert_int_equal(merge_all(dir_fd, out_fd), 0);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(unlinkat(out_fd, file[i], 0), 0);
        assert_int_equal(unlinkat(dir_fd, file[i], 0), 0);
    }
    close(out_fd);
    assert_int_equal(unlinkat(dir_fd, "out", AT_REMOVEDIR), 0);
    close(dir_fd);
    assert_int_equal(rmdir(folder), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_of_a_merge_may_fail),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(every_allocation_of_an_export_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

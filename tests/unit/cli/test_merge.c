/** @file
 * Merges sessions that are made by hand: which rows correspond, what is compared, where each cell comes from;
 * damaged files, a full disk. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/merge/merge_run.h"
#include "cli/print/gaps.h"
#include "pp_texts.h"
#include "tests/lib/cmocka_test.h"

#define RUNS 4

/* The files of a session; NULL: it has none of this name. */
struct made {
    const char *frames, *passes, *draws;
    const char *json; /* NULL: one device, no drops */
};

/* Sessions in a folder, and the merged one. */
struct scene {
    char folder[64];
    int fd[RUNS];
    int out_fd;
    size_t runs;
    json_t *json; /* of the merged session */
    char text[65536];
};

static const char usual_json[] =
    "{\"schema\":2,\"session_id\":\"0123456789abcdef0123456789abcdef\",\"ended\":\"exit\",\"options\":{"
    "\"level\":\"draw\"},\"devices\":[{\"name\":\"gpu\","
    "\"events_got\":[\"time:"
    "timestamp\"]}],\"surfaces\":[],\"empty_cells\":[],\"counts\":{\"frames\":1},\"dropped\":{\"frames\":0}}";

static void
write_file(int dir_fd, const char *name, const char *text, size_t len)
{
    int fd = openat(dir_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, len), len);
    close(fd);
}

static int
make_folder(const struct scene *scene, const char *name)
{
    char path[96];
    snprintf(path, sizeof(path), "%s/%s", scene->folder, name);
    assert_int_equal(mkdir(path, 0755), 0);
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(fd >= 0);
    return fd;
}

static void
make(struct scene *scene, const struct made *made, size_t runs)
{
    *scene = (struct scene){.folder = "/tmp/passprobe-merge-XXXXXX", .runs = runs};
    assert_non_null(mkdtemp(scene->folder));
    scene->out_fd = make_folder(scene, "out");
    for (size_t r = 0; r < runs; r++) {
        char name[32];
        snprintf(name, sizeof(name), "run%zu", r);
        scene->fd[r] = make_folder(scene, name);
        const char *text[] = {made[r].frames, made[r].passes, made[r].draws,
                              made[r].json ? made[r].json : usual_json};
        static const char *const file[] = {"frames.csv", "passes.csv", "draws.csv", "session.json"};
        for (size_t i = 0; i < 4; i++)
            if (text[i])
                write_file(scene->fd[r], file[i], text[i], strlen(text[i]));
    }
}

static int
merge(struct scene *scene)
{
    static const char *const places[RUNS] = {NULL};
    char why[256];
    (void)why;
    const struct pp_merge_request request = {.dir_fd = scene->fd,
                                             .place = places,
                                             .runs = scene->runs,
                                             .events = "time,khr",
                                             .runs_for = "khr",
                                             .wanted = (uint32_t)scene->runs};
    int rc = pp_merge(&request, scene->out_fd);
    json_error_t error;
    char path[96];
    json_decref(scene->json);
    snprintf(path, sizeof(path), "%s/out/session.json", scene->folder);
    scene->json = json_load_file(path, 0, &error);
    return rc;
}

/* A merged file, without carriage returns. */
static const char *
merged_file(struct scene *scene, const char *name)
{
    size_t len = 0;
    int fd = openat(scene->out_fd, name, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? 0 : read(fd, scene->text, sizeof(scene->text) - 1);
    assert_true(got >= 0);
    for (ssize_t i = 0; i < got; i++)
        if (scene->text[i] != '\r')
            scene->text[len++] = scene->text[i];
    scene->text[len] = '\0';
    if (fd >= 0)
        close(fd);
    return scene->text;
}

static void
finish(struct scene *scene)
{
    char command[128];
    for (size_t r = 0; r < scene->runs; r++)
        close(scene->fd[r]);
    close(scene->out_fd);
    json_decref(scene->json);
    snprintf(command, sizeof(command), "rm -r %s", scene->folder);
    assert_int_equal(system(command), 0);
}

/* A difference of a run: the rows of a file with this reason. */
static json_int_t
differing(const struct scene *scene, size_t run, const char *file, const char *reason)
{
    const json_t *runs = json_object_get(json_object_get(scene->json, "runs_for"), "runs");
    const json_t *all = json_object_get(json_array_get(runs, run), "differences");
    for (size_t i = 0; i < json_array_size(all); i++) {
        const json_t *one = json_array_get(all, i);
        if (strcmp(json_string_value(json_object_get(one, "file")), file) == 0 &&
            strcmp(json_string_value(json_object_get(one, "reason")), reason) == 0)
            return json_integer_value(json_object_get(one, "rows"));
    }
    return 0;
}

static const char *
left_out(const struct scene *scene, size_t run)
{
    const json_t *runs = json_object_get(json_object_get(scene->json, "runs_for"), "runs");
    return json_string_value(json_object_get(json_array_get(runs, run), "left_out"));
}

/* Rows of a frame of two passes and three draws; @p a, @p b: cells of counters. */
#define FRAMES(more, cells)                                                                                  \
    "frame,surface,level,gpu_time_ns,passes,draws" more ",app\r\n0,0,draw,77,2,3" cells ",x\r\n"
#define PASSES(more, a, b)                                                                                   \
    "frame,pass,pass_id,kind,draws,bound_by" more ",id:by_place,name\r\n"                                    \
    "0,0,p0,render,1," a ",0,\"a, \"\"b\"\"\"\r\n0,1,p1,render,2," b ",0,c\r\n"
#define DRAWS(more, a, b, c)                                                                                 \
    "frame,pass,draw,draw_id,vertices" more "\r\n0,0,0,d0,3" a "\r\n0,1,1,d1,4" b "\r\n0,1,2,d2,5" c "\r\n"

static const struct made first_run = {FRAMES("", ""), PASSES("", "", ""), DRAWS("", "", "", ""), NULL};
static const struct made second_run = {FRAMES(",khr:v", ",12"), PASSES(",khr:v", ",3", ",9"),
                                       DRAWS(",khr:v", ",3", ",4", ",5"), NULL};

static void
rows_get_the_counters_of_each_run(void **state)
{
    (void)state;
    struct scene scene;
    const struct made made[] = {
        first_run,
        {FRAMES(",khr:v", ",12"), PASSES(",khr:v,estimate:oa,metric:m", "under-used,3,0,", ",9,0,1.5"),
         DRAWS(",khr:v", ",3", ",4", ""), NULL},
        {FRAMES(",khr:v,khr:w", ",13,7"), PASSES(",khr:w,estimate:oa,metric:m", "eu,1,1,2", ",2,0,"),
         DRAWS(",khr:w,khr:v", ",1,9", ",,", ",2,5"), NULL}};
    make(&scene, made, 3);
    assert_int_equal(merge(&scene), 0);
    assert_string_equal(merged_file(&scene, "frames.csv"),
                        "frame,surface,level,gpu_time_ns,passes,draws,khr:v,khr:w,runs:differ,app\n"
                        "0,0,draw,77,2,3,12,7,0,x\n");
    assert_string_equal(merged_file(&scene, "passes.csv"),
                        "frame,pass,pass_id,kind,draws,bound_by,khr:v,estimate:oa,metric:m,khr:w,runs:differ,"
                        "id:by_place,name\n"
                        "0,0,p0,render,1,eu,3,1,2,1,0,0,\"a, \"\"b\"\"\"\n"
                        "0,1,p1,render,2,,9,0,1.5,2,0,0,c\n");
    assert_string_equal(merged_file(&scene, "draws.csv"),
                        "frame,pass,draw,draw_id,vertices,khr:v,khr:w,runs:differ\n"
                        "0,0,0,d0,3,3,1,0\n0,1,1,d1,4,4,,0\n0,1,2,d2,5,5,2,0\n");
    const json_t *counts = json_object_get(scene.json, "counts");
    assert_int_equal(json_integer_value(json_object_get(counts, "draws")), 3);
    assert_string_equal(json_string_value(json_object_get(scene.json, "ended")), "exit");
    const char *id = json_string_value(json_object_get(scene.json, "session_id"));
    assert_non_null(id); /* of the merged session, not of its first run */
    assert_string_not_equal(id, "0123456789abcdef0123456789abcdef");
    finish(&scene);
}

/* A draw of the second pass differs: it, its pass and the frame are without the counters of that run. */
static void
a_draw_that_differs_is_not_merged(void **state)
{
    (void)state;
    struct scene scene;
    struct made other = second_run;
    other.draws =
        "frame,pass,draw,draw_id,vertices,khr:v\r\n0,0,0,d0,3,3\r\n0,1,1,d1,40,4\r\n0,1,2,d2,5,5\r\n";
    const struct made made[] = {first_run, other, second_run};
    make(&scene, made, 2);
    assert_int_equal(merge(&scene), 0);
    assert_string_equal(merged_file(&scene, "draws.csv"),
                        "frame,pass,draw,draw_id,vertices,khr:v,runs:differ\n"
                        "0,0,0,d0,3,3,0\n0,1,1,d1,4,,1\n0,1,2,d2,5,5,0\n");
    assert_string_equal(merged_file(&scene, "passes.csv"),
                        "frame,pass,pass_id,kind,draws,bound_by,khr:v,runs:differ,id:by_place,name\n"
                        "0,0,p0,render,1,,3,0,0,\"a, \"\"b\"\"\"\n0,1,p1,render,2,,,1,0,c\n");
    assert_non_null(strstr(merged_file(&scene, "frames.csv"), "0,0,draw,77,2,3,,1,x\n"));
    assert_int_equal(differing(&scene, 1, "draws.csv", PP_TEXT_MERGE_COUNTS), 1);
    assert_int_equal(differing(&scene, 1, "passes.csv", PP_TEXT_MERGE_PARTS), 1);
    assert_int_equal(differing(&scene, 1, "frames.csv", PP_TEXT_MERGE_PARTS), 1);
    char *text = json_dumps(json_object_get(scene.json, "empty_cells"), JSON_COMPACT);
    assert_non_null(strstr(text, "{\"file\":\"draws.csv\",\"reason\":\"" PP_TEXT_MERGE_EMPTY
                                 "\",\"columns\":[\"khr:v\"]}"));
    free(text);
    finish(&scene);
}

/* A run has one draw more, or lacks one, or has two in another order: the others still correspond. */
static void
order_is_kept(void **state)
{
    (void)state;
    static const struct {
        const char *draws, *want; /* rows; the counters and the numbers of runs that differ */
        json_int_t lost;
        const char *bad; /* passes that are not merged */
    } row[] = {
        {"0,0,0,d0,3,3\r\n0,1,1,dx,9,9\r\n0,1,2,d1,4,4\r\n0,1,3,d2,5,5\r\n", "3,0 4,0 5,0 ", 0, "10"},
        {"0,0,0,d0,3,3\r\n0,1,1,d2,5,5\r\n", "3,0 ,1 5,0 ", 1, "01"},
        {"0,0,0,d0,3,3\r\n0,1,1,d2,5,5\r\n0,1,2,d1,4,4\r\n", "3,0 4,0 ,1 ", 1, "01"},
        {"0,0,0,d0,3,3\r\n0,1,1,d1,4,4\r\n0,1,2,d2,5,5\r\n0,1,3,d3,5,5\r\n", "3,0 4,0 5,0 ", 0, "01"},
        {"", ",1 ,1 ,1 ", 3, "11"},
    };
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        struct scene scene;
        char draws[512];
        char got[256] = "";
        struct made made[] = {first_run, second_run};
        snprintf(draws, sizeof(draws), "frame,pass,draw,draw_id,vertices,khr:v\r\n%s", row[i].draws);
        made[1].draws = draws;
        make(&scene, made, 2);
        assert_int_equal(merge(&scene), 0);
        const char *line = strchr(merged_file(&scene, "draws.csv"), '\n') + 1;
        for (; *line; line = strchr(line, '\n') + 1) {
            int at = 0;
            assert_int_equal(sscanf(line, "0,%*d,%*d,d%*d,%*d,%n", &at), 0);
            snprintf(got + strlen(got), sizeof(got) - strlen(got), "%.*s ", (int)strcspn(line + at, "\n"),
                     line + at);
        }
        assert_string_equal(got, row[i].want);
        assert_int_equal(differing(&scene, 1, "draws.csv", PP_TEXT_MERGE_NO_ROW), row[i].lost);
        const char *passes = merged_file(&scene, "passes.csv");
        bool bad0 = strstr(passes, "p0,render,1,,,1") != NULL;
        bool bad1 = strstr(passes, "p1,render,2,,,1") != NULL;
        assert_true(bad1 || row[i].bad[1] == '0' || row[i].bad[0] == '1');
        assert_true(bad0 || bad1);
        assert_non_null(strstr(merged_file(&scene, "frames.csv"), "0,0,draw,77,2,3,,1,x\n"));
        finish(&scene);
    }
}

/* Frames of two windows come in another order in the second run: they correspond by their places in the
 * windows' series. With dropped frames they cannot be distinguished. */
static void
frames_of_windows_correspond(void **state)
{
    (void)state;
    static const char a[] = "frame,surface,draws\r\n0,0,1\r\n1,1,2\r\n2,0,3\r\n3,1,4\r\n4,1,5\r\n";
    static const char b[] = "frame,surface,draws,khr:v\r\n0,1,2,20\r\n1,0,1,10\r\n2,1,4,40\r\n3,0,3,30\r\n";
    struct scene scene;
    struct made made[] = {{a, NULL, NULL, NULL}, {b, NULL, NULL, NULL}};
    make(&scene, made, 2);
    assert_int_equal(merge(&scene), 0);
    assert_string_equal(merged_file(&scene, "frames.csv"),
                        "frame,surface,draws,khr:v,runs:differ\n"
                        "0,0,1,10,0\n1,1,2,20,0\n2,0,3,30,0\n3,1,4,40,0\n4,1,5,,1\n");
    assert_int_equal(differing(&scene, 1, "frames.csv", PP_TEXT_MERGE_NO_FRAME), 1);
    finish(&scene);
    made[1].json =
        "{\"schema\":2,\"options\":{\"level\":\"draw\"},\"devices\":[{\"name\":\"gpu\"}],\"dropped\":"
        "{\"frames\":1}}";
    make(&scene, made, 2);
    assert_int_equal(merge(&scene), 0);
    assert_string_equal(left_out(&scene, 1), PP_TEXT_MERGE_DROPPED);
    assert_string_equal(merged_file(&scene, "frames.csv"),
                        "frame,surface,draws,runs:differ\n0,0,1,0\n1,1,2,0\n2,0,3,0\n3,1,4,0\n4,1,5,0\n");
    finish(&scene);
}

static void
other_sessions_are_left_out(void **state)
{
    (void)state;
    static const struct {
        struct made made;
        const char *why;
    } row[] = {
        {{FRAMES("", ""), NULL, NULL, "{"}, PP_TEXT_MERGE_NO_JSON},
        {{FRAMES("", ""), NULL, NULL, "[]"}, PP_TEXT_MERGE_NO_JSON},
        {{FRAMES("", ""), NULL, NULL, "{\"schema\":2,\"options\":{\"level\":\"pass\"}}"},
         PP_TEXT_MERGE_OTHER_LEVEL},
        {{FRAMES("", ""), NULL, NULL,
          "{\"schema\":2,\"options\":{\"level\":\"draw\"},\"devices\":[{\"name\":\"x\"}]}"},
         PP_TEXT_MERGE_OTHER_DEVICE},
        {{NULL, NULL, NULL, NULL}, PP_TEXT_MERGE_UNREADABLE},
        {{"", NULL, NULL, NULL}, PP_TEXT_MERGE_UNREADABLE},
        {{"frame,surface", NULL, NULL, NULL}, PP_TEXT_MERGE_UNREADABLE},
        {{"a,b\r\n1,2\r\n", NULL, NULL, NULL}, PP_TEXT_MERGE_UNREADABLE},
        {{"frame,surface\r\n", NULL, NULL, NULL}, PP_TEXT_MERGE_NO_FRAMES},
        {{"frame,surface\r\nx,0\r\n,0\r\n-1,0\r\n", NULL, NULL, NULL}, PP_TEXT_MERGE_NO_FRAMES},
        {{FRAMES("", ""), "pass_id\r\n", NULL, NULL}, PP_TEXT_MERGE_UNREADABLE},
    };
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        struct scene scene;
        const struct made made[] = {first_run, row[i].made, second_run};
        make(&scene, made, 3);
        assert_int_equal(merge(&scene), 0);
        assert_string_equal(left_out(&scene, 1), row[i].why);
        assert_null(left_out(&scene, 2));
        assert_non_null(strstr(merged_file(&scene, "frames.csv"), "0,0,draw,77,2,3,12,0,x\n"));
        finish(&scene);
        /* as the first run, it has nothing to merge with */
        const struct made reversed[] = {row[i].made, first_run};
        bool other = row[i].why == (const char *)PP_TEXT_MERGE_OTHER_LEVEL ||
                     strcmp(row[i].why, PP_TEXT_MERGE_OTHER_LEVEL) == 0 ||
                     strcmp(row[i].why, PP_TEXT_MERGE_OTHER_DEVICE) == 0;
        make(&scene, reversed, 2);
        assert_int_equal(merge(&scene), other ? 0 : -ENODATA);
        finish(&scene);
    }
}

/* A torn last row, a row with NUL bytes, blank lines, a frame whose rows are in two places or that is there
 * twice, rows without a frame, short and long rows. */
static void
damaged_files_are_read(void **state)
{
    (void)state;
    struct scene scene;
    const struct made made[] = {{"frame,surface,draws\r\n5,0,2\r\n\r\n6,0,1\r\n5,0,2\r\n7,0",
                                 "frame,pass,pass_id,draws\r\n5,0,a,1\r\n"
                                 "6,0,a,1\r\n,0,late,1\r\n5,1,b,1\r\n8,0,c,1\r\n5,70000000,d,1\r\n6",
                                 NULL, NULL},
                                {"frame,surface,draws,khr:v\r\n6,0,1,61\r\n5,0,2,52,9,9,9\r\n",
                                 "frame,pass,pass_id,draws,khr:v\r\n5,0,a,1,1\r\n"
                                 "6,0,a,1\r\n5,1,b,1,2\r\n5,70000000,d,1,3\r\n",
                                 NULL, NULL}};
    make(&scene, made, 2);
    static const char nul[] = "frame,pass,pass_id,draws,khr:v\r\n5,0,a,1,1\r\n5,0,\0,1,1\r\n5,1,b,1,2\r\n6,0,"
                              "a,1\r\n5,70000000,d,1,3\r\n";
    write_file(scene.fd[1], "passes.csv", nul, sizeof(nul) - 1);
    assert_int_equal(merge(&scene), 0);
    assert_string_equal(merged_file(&scene, "passes.csv"),
                        "frame,pass,pass_id,draws,khr:v,runs:differ\n5,0,a,1,1,0\n5,1,b,1,2,0\n"
                        "5,70000000,d,1,3,0\n6,0,a,1,,0\n,0,late,1,,\n");
    assert_string_equal(merged_file(&scene, "frames.csv"),
                        "frame,surface,draws,khr:v,runs:differ\n5,0,2,52,0\n6,0,1,61,0\n5,0,2,52,0\n");
    finish(&scene);
}

/* A run whose rows all differ is given up in a frame; the next frame is compared again. */
static void
a_frame_without_partners_is_given_up(void **state)
{
    (void)state;
    enum { ROWS = 5000 };
    struct scene scene;
    struct made made[] = {{"frame,surface\r\n0,0\r\n1,0\r\n", NULL, NULL, NULL},
                          {"frame,surface,khr:v\r\n0,0,1\r\n1,0,2\r\n", NULL, NULL, NULL}};
    char *text[2];
    for (size_t r = 0; r < 2; r++) {
        size_t size = (size_t)(ROWS + 10) * 32;
        text[r] = calloc(1, size);
        assert_non_null(text[r]);
        int used = snprintf(text[r], size, "frame,pass,pass_id%s\r\n", r ? ",khr:v" : "");
        for (int i = 0; i < ROWS; i++)
            used += snprintf(text[r] + used, size - (size_t)used, "0,%d,%c%d%s\r\n", i, r ? 'x' : 'a', i,
                             r ? ",1" : "");
        snprintf(text[r] + used, size - (size_t)used, "1,0,z%s\r\n", r ? ",7" : "");
        made[r].passes = text[r];
    }
    make(&scene, made, 2);
    assert_int_equal(merge(&scene), 0);
    assert_int_equal(differing(&scene, 1, "passes.csv", PP_TEXT_MERGE_NO_ROW), ROWS);
    assert_string_equal(merged_file(&scene, "frames.csv"),
                        "frame,surface,khr:v,runs:differ\n0,0,,1\n1,0,2,0\n");
    finish(&scene);
    free(text[0]);
    free(text[1]);
}

/* No file may grow: the merge fails, and the session says that it is not complete. */
static void
a_full_disk_is_reported(void **state)
{
    (void)state;
    struct scene scene;
    struct rlimit old;
    enum { ROWS = 4000 };
    char *frames = calloc(ROWS + 1, 32);
    assert_non_null(frames);
    int used = snprintf(frames, 64, "frame,surface,draws\r\n");
    for (int i = 0; i < ROWS; i++)
        used += snprintf(frames + used, 32, "%d,0,1\r\n", i);
    const struct made made[] = {{frames, NULL, NULL, NULL}, {frames, NULL, NULL, NULL}};
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    assert_true(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
    for (rlim_t limit = 0; limit <= 16384; limit += 8192) {
        make(&scene, made, 2);
        const struct rlimit small = {limit, old.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        int rc = merge(&scene);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
        assert_int_equal(rc, -EFBIG);
        if (limit)
            assert_string_equal(json_string_value(json_object_get(scene.json, "ended")),
                                PP_TEXT_MERGE_UNFINISHED);
        else
            assert_null(scene.json);
        finish(&scene);
    }
    free(frames);
}

/* Files that are not merged are those of the first run. One that cannot be read is not left out in silence.
 */
static void
files_are_copied(void **state)
{
    (void)state;
    static const char labels[] = "frame,label\r\n0,sky\r\n";
    const struct made made[] = {{"frame,surface\r\n0,0\r\n", NULL, NULL, NULL},
                                {"frame,surface\r\n0,0\r\n", NULL, NULL, NULL}};
    struct scene scene;
    make(&scene, made, 2);
    write_file(scene.fd[0], "labels.csv", labels, sizeof(labels) - 1);
    assert_int_equal(merge(&scene), 0);
    assert_string_equal(merged_file(&scene, "labels.csv"), "frame,label\n0,sky\n");
    assert_int_equal(mkdirat(scene.fd[0], "symbols.csv", 0755), 0);
    assert_int_equal(merge(&scene), -EISDIR);
    finish(&scene);
}

/* Readers take 4096 columns: the session says which ones are left out. */
static void
columns_are_bounded(void **state)
{
    (void)state;
    enum { COLUMNS = 3000 };
    struct scene scene;
    struct pp_runs_for_texts texts;
    char *frames[3] = {NULL};
    struct made made[3] = {{"frame,surface\r\n0,0\r\n", NULL, NULL, NULL}};
    for (size_t r = 1; r < 3; r++) {
        frames[r] = calloc(COLUMNS + 2, 16);
        assert_non_null(frames[r]);
        int used = sprintf(frames[r], "frame,surface");
        for (int i = 0; i < COLUMNS; i++)
            used += sprintf(frames[r] + used, ",khr:%zu.%d", r, i);
        sprintf(frames[r] + used, "\r\n0,0,1\r\n");
        made[r] = (struct made){frames[r], NULL, NULL, NULL};
    }
    make(&scene, made, 3);
    assert_int_equal(merge(&scene), 0);
    size_t columns = 1;
    for (const char *c = merged_file(&scene, "frames.csv"); *c != '\n'; c++)
        columns += *c == ',';
    assert_int_equal(columns, 4096);
    const json_t *all = json_object_get(json_object_get(scene.json, "runs_for"), "columns_left_out");
    const json_t *one = json_array_get(all, 0), *names = json_object_get(one, "columns");
    assert_int_equal(json_array_size(all), 1);
    assert_string_equal(json_string_value(json_object_get(one, "file")), "frames.csv");
    assert_string_equal(json_string_value(json_object_get(one, "reason")), PP_TEXT_MERGE_FULL);
    assert_int_equal(json_array_size(names), 2 * COLUMNS + 3 - 4096);
    assert_string_equal(json_string_value(json_array_get(names, 0)), "khr:2.1093");
    pp_runs_for_texts(scene.json, &texts);
    assert_string_equal(texts.columns, "1907 counters are missing in frames.csv, because it has at most 4096 "
                                       "columns; name fewer events");
    finish(&scene);
    free(frames[1]);
    free(frames[2]);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_get_the_counters_of_each_run),
        cmocka_unit_test(a_draw_that_differs_is_not_merged),
        cmocka_unit_test(order_is_kept),
        cmocka_unit_test(frames_of_windows_correspond),
        cmocka_unit_test(other_sessions_are_left_out),
        cmocka_unit_test(damaged_files_are_read),
        cmocka_unit_test(a_frame_without_partners_is_given_up),
        cmocka_unit_test(a_full_disk_is_reported),
        cmocka_unit_test(files_are_copied),
        cmocka_unit_test(columns_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/** @file
 * The rows that `top` shows: names of rows that are no longer kept make place for others. */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/top/live_rows.h"
#include "tests/lib/cmocka_test.h"

/* Each frame has a region of its own. */
#define FRAMES (2U * PP_LIVE_NAMES_MAX)

struct scene {
    char folder[64];
    int dir_fd;
    FILE *file;
};

static int
set_up(void **state)
{
    struct scene *scene = calloc(1, sizeof(*scene));
    assert_non_null(scene);
    snprintf(scene->folder, sizeof(scene->folder), "/tmp/live_rows.XXXXXX");
    assert_non_null(mkdtemp(scene->folder));
    scene->dir_fd = open(scene->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(scene->dir_fd >= 0);
    int fd = openat(scene->dir_fd, "labels.csv", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    scene->file = fdopen(fd, "w");
    assert_non_null(scene->file);
    *state = scene;
    return 0;
}

static int
tear_down(void **state)
{
    struct scene *scene = *state;
    fclose(scene->file);
    unlinkat(scene->dir_fd, "labels.csv", 0);
    close(scene->dir_fd);
    rmdir(scene->folder);
    free(scene);
    return 0;
}

static void
names_of_old_rows_make_place(void **state)
{
    struct scene *scene = *state;
    struct pp_live_rows rows = {.len = 0};
    char want[32];
    pp_live_rows_begin(&rows, PP_LIVE_BY_LABEL);
    fprintf(scene->file, "frame,label,gpu_exclusive_ns,draws\r\n");
    for (unsigned frame = 0; frame < FRAMES; frame++) {
        fprintf(scene->file, "%u,region %u,%u,1\r\n", frame, frame, 1000 + frame);
        if (frame % 100 && frame + 1 < FRAMES)
            continue;
        assert_int_equal(fflush(scene->file), 0);
        assert_int_equal(pp_live_rows_read(&rows, scene->dir_fd, frame < 50 ? 0 : frame - 50.0), 0);
        assert_true(rows.names <= PP_LIVE_NAMES_MAX);
        for (size_t i = 0; i < rows.len; i++) {
            const struct pp_live_row *row = &rows.row[i];
            snprintf(want, sizeof(want), "region %.0f", row->frame);
            assert_string_equal(rows.name[row->name].title, want);
        }
    }
    assert_int_equal(rows.len, 51);
    assert_int_equal(lround(rows.row[50].gpu_ns), 1000 + FRAMES - 1);
    pp_live_rows_finish(&rows);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(names_of_old_rows_make_place, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

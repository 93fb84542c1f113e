/** @file
 * A file that is read while another process writes it: rows are given once, complete ones only, and again
 * after the file was replaced or other rows took the place of a draft. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/session/follow.h"
#include "tests/lib/cmocka_test.h"

/* A folder with a file, and what was read of it. */
struct scene {
    char folder[64];
    int dir_fd, fd;
    struct pp_follow follow;
    char got[4096]; /* cells joined by ':', rows by ' ' */
};

static bool
on_header(void *data, const struct pp_cell *cell, size_t cells)
{
    (void)data;
    assert_true(cells >= 2);
    assert_string_equal(cell[0].text, "frame");
    return true;
}

static bool
on_row(void *data, const struct pp_cell *cell, size_t cells)
{
    struct scene *scene = data;
    size_t len = strlen(scene->got);
    for (size_t i = 0; i < cells; i++)
        len +=
            (size_t)snprintf(scene->got + len, sizeof(scene->got) - len, "%s%s", i ? ":" : "", cell[i].text);
    snprintf(scene->got + len, sizeof(scene->got) - len, " ");
    return true;
}

/* The rows that are new since the last call. */
static const char *
rows(struct scene *scene)
{
    const struct pp_csv_reader reader = {.header = on_header, .row = on_row, .data = scene};
    scene->got[0] = '\0';
    assert_int_equal(pp_follow_read(&scene->follow, scene->dir_fd, "f.csv", &reader), 0);
    return scene->got;
}

static void
append(struct scene *scene, const char *text)
{
    assert_int_equal(write(scene->fd, text, strlen(text)), strlen(text));
}

static int
begin(void **state)
{
    struct scene *scene = calloc(1, sizeof(*scene));
    assert_non_null(scene);
    strcpy(scene->folder, "/tmp/passprobe-follow-XXXXXX");
    assert_non_null(mkdtemp(scene->folder));
    scene->dir_fd = open(scene->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(scene->dir_fd >= 0);
    assert_string_equal(rows(scene), ""); /* the file does not exist yet */
    scene->fd = openat(scene->dir_fd, "f.csv", O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    assert_true(scene->fd >= 0);
    *state = scene;
    return 0;
}

static int
finish(void **state)
{
    struct scene *scene = *state;
    pp_follow_finish(&scene->follow);
    (void)unlinkat(scene->dir_fd, "f.csv", 0);
    close(scene->fd);
    close(scene->dir_fd);
    (void)rmdir(scene->folder);
    free(scene);
    return 0;
}

static void
complete_rows_are_given_once(void **state)
{
    struct scene *scene = *state;
    assert_string_equal(rows(scene), "");
    append(scene, "frame,na");
    assert_string_equal(rows(scene), "");
    append(scene, "me\r\n");
    assert_string_equal(rows(scene), "");
    append(scene, "0,a\r\n1,\"b\r\n");
    assert_string_equal(rows(scene), "0:a ");
    append(scene, "c\"\r\n2,d\r\n3");
    assert_string_equal(rows(scene), "1:b\r\nc 2:d ");
    assert_string_equal(rows(scene), "");
    append(scene, ",e\r\n");
    assert_string_equal(rows(scene), "3:e ");
    assert_false(scene->follow.again);
}

static void
other_rows_in_place_of_a_draft(void **state)
{
    struct scene *scene = *state;
    append(scene, "frame,name\r\n0,a\r\n1,draft\r\n");
    assert_string_equal(rows(scene), "0:a 1:draft ");
    assert_int_equal(ftruncate(scene->fd, (off_t)strlen("frame,name\r\n0,a\r\n")), 0);
    append(scene, "1,other\r\n2,b\r\n3,c\r\n");
    assert_string_equal(rows(scene), "0:a 1:other 2:b 3:c ");
    assert_true(scene->follow.again);
    append(scene, "4,d\r\n");
    assert_string_equal(rows(scene), "4:d ");
}

static void
a_file_that_was_replaced(void **state)
{
    struct scene *scene = *state;
    append(scene, "frame,name\r\n0,a\r\n");
    assert_string_equal(rows(scene), "0:a ");
    int wide = openat(scene->dir_fd, "wide", O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    assert_true(wide >= 0);
    assert_int_equal(renameat(scene->dir_fd, "wide", scene->dir_fd, "f.csv"), 0);
    close(scene->fd);
    scene->fd = wide;
    assert_string_equal(rows(scene), "");
    append(scene, "frame,name,app:x\r\n0,a,\r\n1,b,7\r\n");
    assert_string_equal(rows(scene), "0:a: 1:b:7 ");
}

/* Rows of a megabyte are none of passprobe. */
static void
a_row_without_end(void **state)
{
    struct scene *scene = *state;
    const struct pp_csv_reader reader = {.header = on_header, .row = on_row, .data = scene};
    append(scene, "frame,name\r\n0,a\r\n1,");
    assert_int_equal(ftruncate(scene->fd, 3 << 20), 0);
    assert_int_equal(pp_follow_read(&scene->follow, scene->dir_fd, "f.csv", &reader), -EMSGSIZE);
    assert_string_equal(scene->got, "0:a ");
}

/* A row that is cut at its begin is not given; neither is the header's line break the begin of a row in the
 * tail. */
static void
rows_at_the_end_of_a_large_file(void **state)
{
    struct scene *scene = *state;
    scene->follow.tail = 12;
    append(scene, "frame,name\r\n0,a\r\n1,b\r\n2,c\r\n3,d\r\n");
    assert_string_equal(rows(scene), "2:c 3:d ");
    append(scene, ",e\r\n5");
    assert_string_equal(rows(scene), ":e ");
    append(scene, ",f\r\n");
    assert_string_equal(rows(scene), "5:f ");
    assert_false(scene->follow.again);
    pp_follow_finish(&scene->follow);
    assert_int_equal(scene->follow.tail, 12);
    assert_string_equal(rows(scene), ":e 5:f ");
    pp_follow_finish(&scene->follow);
    scene->follow.tail = 1000;
    assert_string_equal(rows(scene), "0:a 1:b 2:c 3:d :e 5:f ");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(complete_rows_are_given_once, begin, finish),
        cmocka_unit_test_setup_teardown(other_rows_in_place_of_a_draft, begin, finish),
        cmocka_unit_test_setup_teardown(a_file_that_was_replaced, begin, finish),
        cmocka_unit_test_setup_teardown(a_row_without_end, begin, finish),
        cmocka_unit_test_setup_teardown(rows_at_the_end_of_a_large_file, begin, finish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

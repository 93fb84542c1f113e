/** @file
 * Messages on stderr contain nothing that controls a terminal, whatever names they have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/util/log.h"

/* What pp_log() writes to stderr. */
static void
log_line(enum pp_message id, const char *foreign, char *line, size_t size)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    int saved = dup(STDERR_FILENO);
    assert_true(saved >= 0 && dup2(ends[1], STDERR_FILENO) >= 0);
    pp_log(id, "pass '%s' is odd", foreign);
    assert_true(dup2(saved, STDERR_FILENO) >= 0);
    close(saved);
    close(ends[1]);
    ssize_t got = read(ends[0], line, size - 1);
    assert_true(got >= 0);
    line[got] = '\0';
    close(ends[0]);
}

static void
foreign_names_are_clean(void **state)
{
    static const struct {
        enum pp_message id;
        const char *foreign, *shown;
    } row[] = {
        {0, "a\x1b[31m\x07\n\r\t\x7f", "pass 'a [31m     ' is odd"},
        {1, "c1 \xc2\x9b \x9b \xc2\x80", "pass 'c1      ' is odd"},
        {2, "\xe2\x80\xae|\xe2\x81\xa6|\xd8\x9c|\xe2\x80\xa8|\xe2\x80\x8b|\xef\xbb\xbf",
         "pass ' | | | | | ' is odd"},
        {3, "gr\xc3\xbc\xc3\x9f \xe6\x97\xa5 \xf0\x9f\x8e\xae",
         "pass 'gr\xc3\xbc\xc3\x9f \xe6\x97\xa5 \xf0\x9f\x8e\xae' is odd"},
        {4, "cut \xe2\x80", "pass 'cut   ' is odd"},
    };
    char line[1024], wanted[256];
    (void)state;
    pp_log_set_verbosity(1);
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        log_line(row[i].id, row[i].foreign, line, sizeof(line));
        snprintf(wanted, sizeof(wanted), "passprobe: %s [PP-", row[i].shown);
        assert_memory_equal(line, wanted, strlen(wanted));
        assert_string_equal(pp_log_text(row[i].id), row[i].shown);
    }
}

/* A text that would be cut inside of a character ends before it. */
static void
long_names_are_cut_clean(void **state)
{
    char name[2001];
    char line[1024];
    (void)state;
    for (size_t i = 0; i < sizeof(name) - 1; i++)
        name[i] = "\xe6\x97\xa5"[i % 3];
    name[sizeof(name) - 1] = '\0';
    for (int shift = 0; shift < 3; shift++) {
        log_line((enum pp_message)(5 + shift), name + 1998 - 3 * 600 - shift, line, sizeof(line));
        const char *end = strstr(line, " [PP-");
        assert_non_null(end);
        assert_string_equal(strchr(end, ']'), "]\n");
        for (const char *c = line; *c; c++)
            assert_true((unsigned char)*c >= ' ' || c[1] == '\0');
    }
}

/* Each id is reported once, whichever other ids were reported before. */
static void
once_for_each_id(void **state)
{
    struct pp_once once = {.reported = {0}};
    (void)state;
    for (int round = 0; round < 2; round++)
        for (int id = 0; id < PP_MESSAGE_COUNT; id++)
            assert_int_equal(pp_once(&once, (enum pp_message)id), round == 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(foreign_names_are_clean),
        cmocka_unit_test(long_names_are_cut_clean),
        cmocka_unit_test(once_for_each_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/** @file
 * Runs a case in a child process, and reads the files of its session. */
#include "tests/unit/core/session/session_child.h"

#include "tests/lib/cmocka_test.h"
#include "tests/lib/session_json.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct table table;

int
in_child(void (*run)(void), const char *const *env)
{
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        for (; *env; env += 2)
            setenv(env[0], env[1], 1);
        run();
        exit(0); /* not _exit(): the session ends as in an application */
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

void
read_table(const char *path)
{
    int fd = open(path, O_RDONLY);
    assert_true(fd >= 0);
    ssize_t len = read(fd, table.text, sizeof(table.text) - 1);
    close(fd);
    assert_true(len > 0);
    table.text[len] = '\0';
    table.rows = 0;
    char *line_end = NULL;
    for (char *line = table.text; *line; line = line_end + 1) {
        line_end = strchr(line, '\n');
        assert_non_null(line_end);
        assert_int_equal(line_end[-1], '\r');
        line_end[-1] = '\0';
        unsigned column = 0;
        int quoted = 0;
        char *cell = line;
        for (char *p = line;; p++) {
            if (*p == '"')
                quoted = !quoted;
            if ((*p == ',' && !quoted) || *p == '\0') {
                int last = *p == '\0';
                *p = '\0';
                table.cell[table.rows][column++] = cell;
                cell = p + 1;
                if (last)
                    break;
            }
        }
        table.columns = column;
        table.rows++;
    }
}

const char *
at(unsigned row, const char *column)
{
    for (unsigned c = 0; c < table.columns; c++)
        if (strcmp(table.cell[0][c], column) == 0)
            return table.cell[row + 1][c];
    fail_msg("no column %s", column);
    return "";
}

uint64_t
number(unsigned row, const char *column)
{
    const char *text = at(row, column);
    assert_true(*text >= '0' && *text <= '9');
    return strtoull(text, NULL, 10);
}

const char *
surface_of(const char *dir, unsigned row)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/session.json", dir);
    return session_json_name(path, "surfaces", number(row, "surface"));
}

static char table_root[] = "/tmp/passprobe-core-XXXXXX";

int
enter(void **state)
{
    (void)state;
    setenv("HOME", "/nonexistent", 1);
    unsetenv("XDG_CONFIG_HOME");
    return mkdtemp(table_root) ? chdir(table_root) : -1;
}

int
leave(void **state)
{
    char command[64];
    (void)state;
    snprintf(command, sizeof(command), "rm -rf '%s'", table_root);
    return chdir("/") || system(command); // NOLINT(cert-env33-c): a folder of this test
}

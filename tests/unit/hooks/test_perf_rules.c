/** @file
 * The fake driver of tests/fake/gl_perf is strict: it reports a caller that breaks a rule of
 * GL_AMD_performance_monitor or GL_INTEL_performance_query, and reports nothing of a caller that keeps the
 * rules. The tests call the driver's functions directly, without OpenGL. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fake/gl_perf/fake.h"

static char said[600];
static char second_context;

/* The driver reports on stderr. */
static int heard, stderr_fd;

static void
listen(void)
{
    heard = memfd_create("heard", MFD_CLOEXEC);
    stderr_fd = dup(STDERR_FILENO);
    assert_int_equal(dup2(heard, STDERR_FILENO), STDERR_FILENO);
}

static void
hear(void)
{
    ssize_t got = pread(heard, said, sizeof(said) - 1, 0);
    said[got > 0 ? got : 0] = '\0';
    (void)dup2(stderr_fd, STDERR_FILENO);
    (void)close(stderr_fd);
    (void)close(heard);
}

static fake_proc
function(const char *name)
{
    const struct fake_entry *table[] = {fake_amd_entry, fake_intel_entry, fake_work_entry};
    for (size_t t = 0; t < 3; t++)
        for (const struct fake_entry *at = table[t]; at->name; at++)
            if (strcmp(at->name, name) == 0)
                return at->function;
    fail_msg("no function %s", name);
    return NULL;
}

#define CALL(type, name) ((type)function(name))
#define BEGIN_MONITOR    CALL(void (*)(GLuint), "glBeginPerfMonitorAMD")
#define END_MONITOR      CALL(void (*)(GLuint), "glEndPerfMonitorAMD")
#define BEGIN_QUERY      CALL(void (*)(GLuint), "glBeginPerfQueryINTEL")
#define END_QUERY        CALL(void (*)(GLuint), "glEndPerfQueryINTEL")

static GLuint
new_monitor(void)
{
    GLuint name = 0;
    CALL(void (*)(GLsizei, GLuint *), "glGenPerfMonitorsAMD")(1, &name);
    assert_int_not_equal(name, 0);
    return name;
}

/* The groups' ids are 21, 7 and 40. Their limits are 2, 3 and 1 active counters. The counters of the first
 * group are 100, 107, ... */
static void
choose(GLuint name, GLuint group, GLuint counter)
{
    CALL(void (*)(GLuint, GLboolean, GLuint, GLint, GLuint *), "glSelectPerfMonitorCountersAMD")
    (name, GL_TRUE, group, 1, &counter);
}

static GLuint
monitor(void)
{
    GLuint name = new_monitor();
    choose(name, 21, 100);
    return name;
}

static GLuint
query(GLuint type)
{
    GLuint name = 0;
    CALL(void (*)(GLuint, GLuint *), "glCreatePerfQueryINTEL")(type, &name);
    assert_int_not_equal(name, 0);
    return name;
}

static void
monitor_data(GLuint name, GLenum what, GLsizei size, void *data)
{
    CALL(void (*)(GLuint, GLenum, GLsizei, void *, GLint *), "glGetPerfMonitorCounterDataAMD")
    (name, what, size, data, NULL);
}

static void
query_data(GLuint name, GLuint flags, GLsizei size, void *data, GLuint *written)
{
    CALL(void (*)(GLuint, GLuint, GLsizei, void *, GLuint *), "glGetPerfQueryDataINTEL")
    (name, flags, size, data, written);
}

static void
use(char *context)
{
    fake_make_current(context);
    assert_non_null(fake_current());
}

static void
next_frame(void)
{
    fake_current()->frames++;
}

/* Breaches. */

static uint64_t room[64];
static GLuint written;

static void
monitor_begins_twice(void)
{
    GLuint name = monitor();
    BEGIN_MONITOR(name);
    BEGIN_MONITOR(name);
}

static void
monitors_nest(void)
{
    BEGIN_MONITOR(monitor());
    BEGIN_MONITOR(monitor());
}

static void
monitor_ends_without_begin(void)
{
    END_MONITOR(monitor());
}

static void
monitor_ends_twice(void)
{
    GLuint name = monitor();
    BEGIN_MONITOR(name);
    END_MONITOR(name);
    END_MONITOR(name);
}

static void
monitor_without_counters(void)
{
    BEGIN_MONITOR(new_monitor());
}

static void
monitor_with_too_many_counters(void)
{
    GLuint name = monitor();
    choose(name, 21, 107);
    choose(name, 21, 114);
    BEGIN_MONITOR(name);
}

static void
monitor_of_another_context(void)
{
    GLuint name = monitor();
    use(&second_context);
    BEGIN_MONITOR(name);
}

static void
monitor_of_no_context(void)
{
    GLuint name = monitor();
    fake_make_current(NULL);
    BEGIN_MONITOR(name);
}

static void
monitor_that_was_deleted(void)
{
    GLuint name = monitor();
    CALL(void (*)(GLsizei, GLuint *), "glDeletePerfMonitorsAMD")(1, &name);
    BEGIN_MONITOR(name);
}

static void
monitor_inside_of_begin(void)
{
    GLuint name = monitor();
    fake_current()->in_begin = true;
    BEGIN_MONITOR(name);
}

static void
monitor_ends_inside_of_begin(void)
{
    GLuint name = monitor();
    BEGIN_MONITOR(name);
    fake_current()->in_begin = true;
    END_MONITOR(name);
}

static void
monitor_changes_while_active(void)
{
    GLuint name = monitor();
    BEGIN_MONITOR(name);
    choose(name, 21, 107);
}

static void
monitor_begins_before_its_result(void)
{
    GLuint name = monitor();
    BEGIN_MONITOR(name);
    END_MONITOR(name);
    BEGIN_MONITOR(name);
}

static void
monitor_read_before_its_result(void)
{
    GLuint name = monitor();
    BEGIN_MONITOR(name);
    END_MONITOR(name);
    monitor_data(name, GL_PERFMON_RESULT_AMD, sizeof(room), room);
}

static void
monitor_read_before_its_end(void)
{
    GLuint name = monitor();
    BEGIN_MONITOR(name);
    monitor_data(name, GL_PERFMON_RESULT_AMD, sizeof(room), room);
}

static void
monitor_read_into_too_little(void)
{
    GLuint name = monitor();
    BEGIN_MONITOR(name);
    END_MONITOR(name);
    next_frame();
    monitor_data(name, GL_PERFMON_RESULT_AMD, 12, room);
}

static void
monitor_word_into_too_little(void)
{
    monitor_data(monitor(), GL_PERFMON_RESULT_AVAILABLE_AMD, 2, room);
}

static void
monitor_read_into_nothing(void)
{
    monitor_data(monitor(), GL_PERFMON_RESULT_AVAILABLE_AMD, 4, NULL);
}

static void
monitor_of_no_group(void)
{
    choose(new_monitor(), 0, 100);
}

static void
monitor_of_no_counter(void)
{
    choose(new_monitor(), 21, 0);
}

static void
query_begins_twice(void)
{
    GLuint name = query(3);
    BEGIN_QUERY(name);
    BEGIN_QUERY(name);
}

static void
queries_of_two_types(void)
{
    BEGIN_QUERY(query(3));
    BEGIN_QUERY(query(8));
}

static void
query_ends_without_begin(void)
{
    END_QUERY(query(3));
}

static void
query_inside_of_begin(void)
{
    GLuint name = query(3);
    fake_current()->in_begin = true;
    BEGIN_QUERY(name);
}

static void
query_of_another_context(void)
{
    GLuint name = query(3);
    use(&second_context);
    BEGIN_QUERY(name);
}

static void
query_begins_before_its_result(void)
{
    GLuint name = query(3);
    BEGIN_QUERY(name);
    END_QUERY(name);
    BEGIN_QUERY(name);
}

static void
query_deleted_before_its_result(void)
{
    GLuint name = query(3);
    BEGIN_QUERY(name);
    END_QUERY(name);
    CALL(void (*)(GLuint), "glDeletePerfQueryINTEL")(name);
}

static void
query_read_before_its_end(void)
{
    GLuint name = query(3);
    BEGIN_QUERY(name);
    query_data(name, GL_PERFQUERY_DONOT_FLUSH_INTEL, sizeof(room), room, &written);
}

static void
query_read_without_begin(void)
{
    query_data(query(3), GL_PERFQUERY_DONOT_FLUSH_INTEL, sizeof(room), room, &written);
}

static void
query_waited_for(void)
{
    GLuint name = query(3);
    BEGIN_QUERY(name);
    END_QUERY(name);
    query_data(name, GL_PERFQUERY_WAIT_INTEL, sizeof(room), room, &written);
}

static void
query_read_into_too_little(void)
{
    GLuint name = query(3);
    BEGIN_QUERY(name);
    END_QUERY(name);
    next_frame();
    query_data(name, GL_PERFQUERY_DONOT_FLUSH_INTEL, 71, room, &written);
}

static void
query_read_into_nothing(void)
{
    query_data(query(3), GL_PERFQUERY_DONOT_FLUSH_INTEL, sizeof(room), room, NULL);
}

static void
query_of_no_type(void)
{
    GLuint name = 0;
    CALL(void (*)(GLuint, GLuint *), "glCreatePerfQueryINTEL")(4, &name);
}

static const struct {
    void (*breach)(void);
    const char *says;
} breach[] = {
    {monitor_begins_twice, "begins although it is active"},
    {monitors_nest, "begins although another is active"},
    {monitor_ends_without_begin, "ends and is not active"},
    {monitor_ends_twice, "ends and is not active"},
    {monitor_without_counters, "without a counter"},
    {monitor_with_too_many_counters, "3 counters of Front End, which has room for 2"},
    {monitor_of_another_context, "this context has no monitor"},
    {monitor_of_no_context, "this context has no monitor"},
    {monitor_that_was_deleted, "this context has no monitor"},
    {monitor_inside_of_begin, "between glBegin and glEnd"},
    {monitor_ends_inside_of_begin, "between glBegin and glEnd"},
    {monitor_changes_while_active, "while it is active"},
    {monitor_begins_before_its_result, "before its result is available"},
    {monitor_read_before_its_result, "before it is available"},
    {monitor_read_before_its_end, "before it is available"},
    {monitor_read_into_too_little, "into 12 of 16 bytes"},
    {monitor_word_into_too_little, "into 2 bytes"},
    {monitor_read_into_nothing, "go nowhere"},
    {monitor_of_no_group, "is no group"},
    {monitor_of_no_counter, "is no counter"},
    {query_begins_twice, "begins although it is active"},
    {queries_of_two_types, "although one of another type is active"},
    {query_ends_without_begin, "ends and is not active"},
    {query_inside_of_begin, "between glBegin and glEnd"},
    {query_of_another_context, "this context has no query"},
    {query_begins_before_its_result, "before its result is available"},
    {query_deleted_before_its_result, "deleted before its result is available"},
    {query_read_before_its_end, "which has not ended"},
    {query_read_without_begin, "which has not begun"},
    {query_waited_for, "is waited for"},
    {query_read_into_too_little, "into 71 of 72 bytes"},
    {query_read_into_nothing, "go nowhere"},
    {query_of_no_type, "is no type of query"},
};

static void
fresh(const char *words)
{
    static char handle[3 * sizeof(breach) / sizeof(breach[0])];
    static size_t handles;
    setenv("FAKE_GL", words, 1);
    fake_configure();
    use(&second_context);
    fake_current()->in_begin = false;
    use(&handle[handles++]);
    said[0] = '\0';
}

static void
breaches_are_reported(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(breach) / sizeof(breach[0]); i++) {
        fresh("");
        listen();
        breach[i].breach();
        hear();
        if (!strstr(said, "fake: VIOLATION") || !strstr(said, breach[i].says))
            fail_msg("%zu: it says \"%s\", not \"%s\"", i, said, breach[i].says);
    }
}

/* An application that makes mistakes on purpose gets its errors. Breaches that do harm without an error are
 * reported all the same. */
static void
mistakes_are_errors(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(breach) / sizeof(breach[0]); i++) {
        fresh("mistakes");
        listen();
        breach[i].breach();
        hear();
        if (!fake_current()) /* monitor_of_no_context */
            continue;
        if (!*said && fake_current()->error == GL_NO_ERROR)
            fail_msg("%zu: neither an error nor a word", i);
    }
    fresh("mistakes");
    listen();
    monitor_ends_without_begin();
    hear();
    assert_string_equal(said, "");
    assert_int_equal(fake_current()->error, GL_INVALID_OPERATION);
}

/* A caller that keeps the rules gets no report, whatever the driver refuses. */
static void
rules_can_be_kept(void **state)
{
    static const char *const plays[] = {"", "refuse=1", "real=1", "onegroup", "onehardware", "lost=1"};
    (void)state;
    for (size_t i = 0; i < sizeof(plays) / sizeof(plays[0]); i++) {
        fresh(plays[i]);
        listen();
        GLuint one = monitor(), two = query(3), three = query(3), there = 0;
        choose(one, 7, 214);
        BEGIN_MONITOR(one);
        bool began = fake_current()->active[0] == 1;
        fake_current()->error = GL_NO_ERROR;
        if (began)
            END_MONITOR(one);
        for (int again = 0; again < 2; again++) { /* two of one type may be active */
            BEGIN_QUERY(again ? three : two);
            began = fake_current()->active[1] == 1 + (uint32_t)again;
        }
        fake_current()->error = GL_NO_ERROR;
        for (int again = 0; again < 2 && began; again++)
            END_QUERY(again ? three : two);
        next_frame();
        monitor_data(one, GL_PERFMON_RESULT_AVAILABLE_AMD, 4, &there);
        if (there)
            monitor_data(one, GL_PERFMON_RESULT_AMD, sizeof(room), room);
        if (began)
            query_data(two, GL_PERFQUERY_DONOT_FLUSH_INTEL, sizeof(room), room, &written);
        hear();
        assert_string_equal(said, "");
        assert_int_equal(fake_current()->error, GL_NO_ERROR);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(breaches_are_reported),
        cmocka_unit_test(mistakes_are_errors),
        cmocka_unit_test(rules_can_be_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

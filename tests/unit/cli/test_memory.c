/** @file
 * Reads a session back while memory runs out: each allocation fails once, one after the other. The reader
 * must free what it has read and report the error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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
        failures += !whole; /* if libcsv gets no buffer, it asks for a smaller one */
    }
    left = 0;
    assert_true(failures > 40);
    assert_true(read_all());
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

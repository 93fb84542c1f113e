/** @file
 * Broken rules and the log of executed commands; see report.h. */
#include "tests/lab/report.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FAULTS_PRINTED 50

static atomic_uint faults;
static FILE *log_file;

/* The C library calls this last: it was registered before the application's own functions. */
static void
end_with_fault(void)
{
    unsigned count = atomic_load(&faults);
    if (log_file)
        fflush(log_file);
    if (!count)
        return;
    fflush(NULL);
    fprintf(stderr, "lab: %u rules broken\n", count);
    _exit(LAB_EXIT_STATUS);
}

__attribute__((constructor)) static void
begin(void)
{
    (void)atexit(end_with_fault);
}

void
lab_fault(const char *file, int line, const char *format, ...)
{
    char text[512];
    va_list list;
    if (atomic_fetch_add(&faults, 1) >= FAULTS_PRINTED)
        return;
    va_start(list, format);
    vsnprintf(text, sizeof(text), format, list);
    va_end(list);
    const char *name = strrchr(file, '/');
    fprintf(stderr, "lab: %s:%d: %s\n", name ? name + 1 : file, line, text);
}

bool
lab_log_wanted(void)
{
    return getenv("LAB_LOG") != NULL;
}

/* The log's file is opened with the first line, so that processes that never use the device leave none. */
static FILE *
open_log(void)
{
    static bool tried;
    char path[4096];
    const char *prefix = getenv("LAB_LOG");
    if (log_file || tried || !prefix)
        return log_file;
    tried = true;
    snprintf(path, sizeof(path), "%s.%d", prefix, (int)getpid());
    log_file = fopen(path, "we");
    if (log_file)
        setvbuf(log_file, NULL, _IOLBF, 0);
    else
        LAB_FAULT("the log %s cannot be written", path);
    return log_file;
}

void
lab_log(const char *format, ...)
{
    FILE *file = open_log();
    va_list list;
    if (!file)
        return;
    va_start(list, format);
    vfprintf(file, format, list);
    va_end(list);
    fputc('\n', file);
}

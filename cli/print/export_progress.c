/** @file
 * See export_progress.h. */
#include "cli/print/export_progress.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

#include "cli/print/format.h"
#include "cli/print/print.h"
#include "cli/print/terminal.h"
#include "pp_texts.h"

#define FIRST_NS UINT64_C(2000000000)
#define EACH_NS  UINT64_C(500000000)
#define COLUMNS  60

static uint64_t
now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

void
pp_export_progress_begin(struct pp_export_progress *progress)
{
    *progress = (struct pp_export_progress){.begin_ns = now_ns(), .terminal = pp_terminal(stderr)};
}

void
pp_export_progress_print(void *data, uint64_t rows, double of)
{
    struct pp_export_progress *progress = data;
    char count[PP_FORMATTED_MAX], whole[PP_FORMATTED_MAX];
    uint64_t now = progress->terminal ? now_ns() : 0;
    if (!progress->terminal || now - progress->begin_ns < FIRST_NS || now - progress->last_ns < EACH_NS)
        return;
    pp_export_progress_end(progress);
    progress->last_ns = now;
    progress->shown = true;
    if (isnan(of) || of < (double)rows)
        pp_print(stderr, PP_FORMAT_EXPORT_PROGRESS_ROWS, pp_format_count(count, (double)rows, 0));
    else
        pp_print(stderr, PP_FORMAT_EXPORT_PROGRESS, pp_format_count(count, (double)rows, 0),
                 pp_format_count(whole, of, 0));
    (void)fflush(stderr);
}

void
pp_export_progress_end(struct pp_export_progress *progress)
{
    if (!progress->shown)
        return;
    pp_print_char(stderr, '\r');
    pp_print(stderr, "%*s", COLUMNS, "");
    pp_print_char(stderr, '\r');
    progress->shown = false;
}

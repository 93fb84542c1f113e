/** @file
 * stacks.csv: one row for each different call stack (option --call-graph); the columns of
 * docs/formats/session.md. A stack has its row before any row that names it, and a draft's rows do not take
 * it back. So the file is written at once and has no part in drafts. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/report/csv_file.h"

/* "4294967295+0x" and 16 digits, and a separator. */
#define FRAME_TEXT 32U

struct stacks {
    struct pp_csv csv;
    struct pp_stacks *stacks;
    uint32_t written; /* number of the last stack that has a row */
};

static bool
stacks_wanted(const struct pp_config *config)
{
    return config->call_graph != PP_CALL_GRAPH_OFF;
}

static void
stacks_end(void *self)
{
    struct stacks *stacks = self;
    if (!stacks)
        return;
    pp_csv_close(&stacks->csv);
    free(stacks);
}

static int
stacks_begin(const struct pp_writer_place *place, void **ret_self)
{
    struct stacks *stacks = calloc(1, sizeof(*stacks));
    if (!stacks)
        return -ENOMEM;
    stacks->stacks = place->session->stacks;
    int rc = pp_csv_open(&stacks->csv, place->dir_fd, "stacks.csv");
    pp_csv_column(&stacks->csv, "stack");
    pp_csv_column(&stacks->csv, "truncated");
    pp_csv_column(&stacks->csv, "frames");
    rc = rc ? rc : pp_csv_row(&stacks->csv);
    rc = rc ? rc : pp_csv_flush(&stacks->csv);
    if (rc) {
        stacks_end(stacks);
        return rc;
    }
    *ret_self = stacks;
    return 0;
}

/* Write the frames, innermost first: "3+0x1a2f0;0+0x4012;?0x7f0012345678". */
static void
write_frames(char *to, size_t size, const struct pp_stack *stack)
{
    int length = 0;
    *to = '\0';
    for (uint32_t i = 0; i < stack->frames && length >= 0 && (size_t)length < size; i++) {
        const struct pp_stack_frame *frame = &stack->frame[i];
        const char *separator = i ? ";" : "";
        to += length;
        size -= (size_t)length;
        if (frame->module == PP_NO_MODULE)
            length = snprintf(to, size, "%s?0x%" PRIx64, separator, frame->offset);
        else
            length = snprintf(to, size, "%s%" PRIu32 "+0x%" PRIx64, separator, frame->module, frame->offset);
    }
}

/* Write the stacks that are new, whatever frames they belong to. */
static int
stacks_frame(void *self, const struct pp_frame_row *frame)
{
    struct stacks *stacks = self;
    struct pp_csv *csv = &stacks->csv;
    char text[PP_STACK_FRAMES * FRAME_TEXT];
    const struct pp_stack *stack = NULL;
    uint32_t before = stacks->written;
    int rc = 0;
    (void)frame;
    while (rc == 0 && stacks->stacks) {
        stack = pp_stacks_get(stacks->stacks, stacks->written + 1);
        if (!stack)
            break;
        write_frames(text, sizeof(text), stack);
        pp_csv_u64(csv, ++stacks->written);
        pp_csv_text(csv, pp_walk_end_name((enum pp_walk_end)stack->end));
        pp_csv_text(csv, text);
        rc = pp_csv_row(csv);
    }
    return rc || before == stacks->written ? rc : pp_csv_flush(csv);
}

static int
stacks_flush(void *self)
{
    return pp_csv_flush(&((struct stacks *)self)->csv);
}

static uint64_t
stacks_size(const void *self)
{
    return pp_csv_size(&((const struct stacks *)self)->csv);
}

const struct pp_writer_ops pp_writer_stacks = {
    .takes_drafts = true,
    .wanted = stacks_wanted,
    .begin = stacks_begin,
    .frame = stacks_frame,
    .flush = stacks_flush,
    .size = stacks_size,
    .end = stacks_end,
};

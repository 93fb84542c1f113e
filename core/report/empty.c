/** @file
 * See empty.h. */
#include "core/report/empty.h"

#include <stdlib.h>
#include <string.h>

#include "core/grow.h"
#include "core/session_private.h"

_Static_assert(PP_WHY_COUNT <= 32, "a column's reasons are the bits of a word");

static const char *const text[PP_WHY_COUNT] = {
    [PP_DIV_BY_ZERO] = "the formula divides by zero",
    [PP_WRAPPED] = "the counter may have wrapped more than once",
    [PP_NOT_LANDED] = "the GPU's result had not come when the row was written",
    [PP_REJECTED] = "the value contradicts the CPU's clock, or is no number that can be counted",
    [PP_LOST] = "the driver or the hardware lost the result",
    [PP_DISABLED] =
        "not measured around this row: it has no such work, the level measures others, other events "
        "had their turn, or the application measured itself",
    [PP_UNSUPPORTED] =
        "the device, the driver or the context does not count it for such work (see events_missing), or "
        "values of several brackets do not add up",
    [PP_WHY_FRAME_LEVEL] = "at level frame the passes of a frame are not told apart",
    [PP_WHY_ONE_BRACKET] = "at level frame one bracket spans the whole frame, with the gaps in it",
    [PP_WHY_NO_WORK] = "no work of the frame was measured on the GPU",
    [PP_WHY_NO_FRAME] = "the work belongs to no frame",
    [PP_WHY_INCOMPLETE] = "some of the GPU's results had not come when the row was written",
    [PP_WHY_CLOCKS] = "the clocks of GPU and CPU are not exact enough to tell",
    [PP_WHY_NO_TARGET] = "the pass has no render target",
    [PP_WHY_NO_LABEL] = "no label region was open",
    [PP_WHY_NO_PIPELINE] = "the command uses no pipeline or program that is known",
    [PP_WHY_NO_NAME] = "there is no name for it",
    [PP_WHY_ARGUMENT] = "the command has no such argument, or it lies in GPU memory and was not copied",
    [PP_WHY_STACK] = "this version takes no call stacks",
    [PP_WHY_NO_MODEL] = "no counters were measured that tell what bounded the work",
    [PP_WHY_SHARED] = "such commands may be in passes that the region shares with others",
    [PP_WHY_APP] = "the application had not given the counter yet, or gave no finite number",
    [PP_WHY_FORMULA] = "the metric's formula has no result for the row",
    [PP_WHY_NO_TIME] = "the frame took no time",
};

static void
empty_finish(struct pp_empty *empty)
{
    for (uint32_t i = 0; i < empty->columns; i++)
        free(empty->column[i].name);
    free(empty->column);
    *empty = (struct pp_empty){.file = NULL};
}

struct pp_empty *
pp_empty_begin(struct pp_session *session, const char *file)
{
    for (uint32_t i = 0; i < PP_EMPTY_FILES; i++) {
        struct pp_empty *empty = &session->empty[i];
        if (empty->file && strcmp(empty->file, file) != 0)
            continue;
        empty_finish(empty);
        empty->file = file;
        return empty;
    }
    return NULL;
}

void
pp_empty_column(struct pp_empty *empty, const char *name)
{
    char *copy = empty ? strdup(name) : NULL;
    if (!copy)
        return;
    if (pp_grow(&empty->column, &empty->cap, (size_t)empty->columns + 1, sizeof(*empty->column))) {
        free(copy);
        return;
    }
    empty->column[empty->columns++] = (struct pp_empty_column){.name = copy};
}

static void
write_reason(const struct pp_empty *empty, uint32_t why, struct pp_json *json)
{
    bool any = false;
    for (uint32_t i = 0; i < empty->columns && !any; i++)
        any = (empty->column[i].why >> why & 1) != 0;
    if (!any || !text[why])
        return;
    pp_json_open(json, NULL, '{');
    pp_json_text(json, "file", empty->file);
    pp_json_text(json, "reason", text[why]);
    pp_json_open(json, "columns", '[');
    for (uint32_t i = 0; i < empty->columns; i++)
        if (empty->column[i].why >> why & 1)
            pp_json_text(json, NULL, empty->column[i].name);
    pp_json_close(json, ']');
    pp_json_close(json, '}');
}

void
pp_empty_json(const struct pp_session *session, struct pp_json *json)
{
    pp_json_open(json, "empty_cells", '[');
    for (uint32_t i = 0; i < PP_EMPTY_FILES; i++)
        for (uint32_t why = 0; why < PP_WHY_COUNT; why++)
            write_reason(&session->empty[i], why, json);
    pp_json_close(json, ']');
}

void
pp_empty_finish(struct pp_session *session)
{
    for (uint32_t i = 0; i < PP_EMPTY_FILES; i++)
        empty_finish(&session->empty[i]);
}
